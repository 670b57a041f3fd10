"""Where engines part: the same masks at the same values on the same distribution and pointer."""

import streamlit as st
from markupsafe import Markup

from model.draw import draw
from model.sampling import process
from model.settings import ENGINES
from pages.frame.fields import write_fields
from pages.frame.question import answered
from pages.lessons.sampling.settings import SETTINGS, title
from pages.lessons.sampling.source import SHAPES
from pages.lessons.sampling.state import POINTER, LabControls
from viz.chart import Table
from viz.sampling.charts import table_html
from viz.strip import element

TITLES = {"vllm": "vLLM", "ollama": "Ollama"}
ANSWERS = ("Always", "Unless one lacks a mask", "Not even with the same masks")
CASES: tuple[dict[str, float], ...] = (
    {"temperature": 1.5, "top_p": 0.5},
    {"temperature": 0.5, "min_p": 0.2},
    {"temperature": 0.5, "typical_p": 0.7},
    {"min_p": 0.1, "top_p": 0.9},
    {"min_p": 0.2, "typical_p": 0.5},
    {"top_p": 0.7, "typical_p": 0.7},
    {"epsilon": 0.06},
    {"eta": 0.1},
    {"top_h": 0.5},
    {"top_n_sigma": 1.0},
    {"mirostat": 2.0},
)
_GIVEN = SHAPES["textbook"]


def show_engines() -> None:
    """Asks whether the engines draw the same token, then shows what each of them draws."""
    st.header("Do four engines draw the same token?", anchor=False)
    st.markdown(
        "The textbook’s distribution, the same masks at the same values, the pointer at "
        f"{POINTER}: which token does each draw, and of how many that it kept?"
    )
    if not answered("Do they draw the same one?", ANSWERS, ANSWERS[-1], "lab_engines"):
        return
    st.html(table_html(rows()))
    st.markdown(
        "A mask that comes before the temperature, or before another mask, sees other "
        "probabilities."
    )
    st.caption("Derived, by the orders above and their versions.")


def rows() -> Table:
    """Returns a row for each case: what each engine draws, and from how many tokens."""
    table: Table = []
    for values in CASES:
        said = {TITLES.get(engine, engine): words for engine, words in drawn(values).items()}
        table.append({"masks": _named(values), **said, "on the bars": _link(values)})
    return table


def drawn(values: dict[str, float]) -> dict[str, str]:
    """Returns by engine the token that is drawn and how many were left, or what it lacks."""
    found = {}
    controls = LabControls(**values, use=tuple(values))  # type: ignore[arg-type]  # by name
    for engine in ENGINES:
        settings = controls.settings(engine)
        stage = process(_GIVEN.logits, [], settings)[-1]
        token = (_GIVEN.labels or ())[draw(stage, POINTER)]
        lacks = "".join(f" (no {title(name)})" for name in values if name not in settings.order)
        found[engine] = f"{token} of {stage.order.size}{lacks}"
    return found


def _named(values: dict[str, float]) -> str:
    return ", ".join(f"{title(name)} {value:g}" for name, value in values.items())


def _link(values: dict[str, float]) -> Markup:
    shown = {"source": "textbook", "use": tuple(values), **values}
    address = f"/engines{write_fields(shown, SETTINGS.fields)}"
    return element("a", "see it", href=address, style="color:inherit")
