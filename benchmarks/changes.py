"""What can be changed in a file of Python or JavaScript: one operator or one number at a time."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

SWAPS = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "===": "!==", "!==": "===",
    "+": "-", "-": "+", "*": "/", "/": "*", "//": "*", "%": "*", "and": "or", "or": "and",
    "&&": "||", "||": "&&", "is": "is not", "is not": "is", "in": "not in", "not in": "in",
    "+=": "-=", "-=": "+=", "&": "|", "|": "&",
}  # fmt: skip
OPERATORS = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in", ast.Add: "+",
    ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.And: "and",
    ast.Or: "or", ast.BitAnd: "&", ast.BitOr: "|",
}  # fmt: skip
IN_SCRIPTS = re.compile(r" (<=?|>=?|===|!==|\+=?|-=?|\*|/|&&|\|\|) |(?<![\w.$])(\d+|true|false)\b")


@dataclass(frozen=True)
class Mutant:
    """One change of one file."""

    file: str
    line: int
    start: int  # characters of the file
    end: int
    text: str  # that stands there instead

    def change(self, source: str) -> str:
        """Returns the file with the change in it."""
        return source[: self.start] + self.text + source[self.end :]


def mutants_of(file: str, source: str) -> Iterator[Mutant]:
    """Yields every change of a file that is tried."""
    changes = in_script(source) if file.endswith(".js") else in_python(source)
    for start, end, text in changes:
        yield Mutant(file, source.count("\n", 0, start) + 1, start, end, text)


def in_script(source: str) -> Iterator[tuple[int, int, str]]:
    """Yields what can be changed in JavaScript: where, and into what."""
    at = 0
    for line in source.splitlines(keepends=True):
        code = "" if re.match(r" *(//|/?\*|import )", line) else line.partition(" // ")[0]
        for found in IN_SCRIPTS.finditer(code):
            if any(found.string[: found.start()].count(quote) % 2 for quote in "\"'`"):
                continue
            group = found.lastindex or 1
            old = found[group]
            new = SWAPS.get(old) or {"true": "false", "false": "true"}.get(old) or str(int(old) + 1)
            yield at + found.start(group), at + found.end(group), new
        at += len(line)


class PythonChanges:
    """What can be changed in a Python file, node by node."""

    def __init__(self, source: str) -> None:
        """Notes where the lines begin: the tree counts bytes of a line."""
        self.source, self.lines, self.starts = source, source.splitlines(), [0]
        for line in source.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))

    def span(self, node: ast.expr) -> tuple[int, int]:
        """Returns where an expression begins and ends, in characters."""
        ends = (node.lineno, node.col_offset), (node.end_lineno or 1, node.end_col_offset or 0)
        first, last = (
            self.starts[row - 1] + len(self.lines[row - 1].encode()[:column].decode())
            for row, column in ends
        )
        return first, last

    def swap(
        self, left: ast.expr, right: ast.expr, kind: ast.AST
    ) -> Iterator[tuple[int, int, str]]:
        """Yields the other operator between two expressions."""
        operator = OPERATORS.get(type(kind))
        at = -1
        if operator:
            at = self.source.find(operator, self.span(left)[1], self.span(right)[0])
        if operator and at >= 0:
            yield at, at + len(operator), SWAPS[operator]

    def operators(self, node: ast.AST) -> Iterator[tuple[int, int, str]]:
        """Yields the changes of an operator."""
        match node:
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                yield from self.swap(left, right, op)
            case ast.BinOp(left=left, op=op, right=right):
                yield from self.swap(left, right, op)
            case ast.BoolOp(op=op, values=[left, right]):
                yield from self.swap(left, right, op)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                yield self.span(node)[0], self.span(operand)[0], ""

    def constants(self, node: ast.AST) -> Iterator[tuple[int, int, str]]:
        """Yields the changes of a number."""
        match node:
            case ast.Constant(value=bool() as value):
                yield *self.span(node), str(not value)
            case ast.Constant(value=int() | float() as value):
                yield *self.span(node), repr(value + 1)


def in_python(source: str) -> Iterator[tuple[int, int, str]]:
    """Yields what can be changed in Python: where, and into what."""
    changes = PythonChanges(source)
    for node in seen(ast.parse(source)):
        yield from changes.operators(node)
        yield from changes.constants(node)


def seen(node: ast.AST) -> Iterator[ast.AST]:
    """Yields the nodes below one, without types, sentences, and checks that never fail."""
    left_out = ast.Raise | ast.Assert | ast.JoinedStr
    if isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "TypeAlias":
        return
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.keyword) and child.arg == "strict":
                continue
            if isinstance(child, ast.AST) and not isinstance(child, left_out):
                yield child
                yield from seen(child)
