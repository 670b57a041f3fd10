// The code that ran: the lines of the very function, those of the present stage lit.

import { createButton, el, setAttribute, setText } from "../../../frame/live/dom.js";
import { _ } from "../../../frame/live/words.js";

const [CLOSED, OPEN] = [_("show the code that ran"), _("hide the code")];
/** What the lines of each beat are marked with, if not with its name. @type {Record<string, string[]>} */
const CODE_STAGES = { read: ["read", "score"], append: ["append", "stop"] };

/** Makes the listing and the button that unfolds it. @param {(isOpen: boolean) => void} unfolded */
export function createCode(unfolded) {
  const name = el("p", { class: "muted" });
  const list = el("ol", {
    class: "code-lines",
    translate: false,
    tabIndex: 0,
    "aria-label": _("The code that ran"),
  });
  const element = el("div", { class: "code", hidden: true }, name, list);
  const toggle = createButton("quiet loop-code", CLOSED, unfold);
  toggle.ariaExpanded = "false";
  /** @type {Code|null} */
  let shown = null;
  /** @type {HTMLElement[]} */
  let lines = [];
  /** @type {[Code|null, StageOfLoop]} */
  let last = [null, "idle"];

  function unfold() {
    element.hidden = !element.hidden;
    toggle.ariaExpanded = String(!element.hidden);
    unfolded(!element.hidden);
    setText(toggle, element.hidden ? CLOSED : OPEN);
    update(...last);
  }

  /** @param {Code|null} code @param {StageOfLoop} stage */
  function update(code, stage) {
    last = [code, stage];
    if (!code || element.hidden) return;
    if (shown?.file !== code.file || shown.first_line !== code.first_line) {
      shown = code;
      setText(name, _("{name} in {file}", { name: code.name, file: code.file }));
      lines = code.lines.map((text, i) => createLine(text, code.numbers?.[i] ?? code.first_line + i));
      for (const i of restOfDocstring(code.lines)) lines[i].hidden = true;
      list.replaceChildren(...lines);
    }
    const lit = (CODE_STAGES[stage] ?? [stage]).map((key) => code.stages[key]).filter(Boolean);
    lines.forEach((line, i) => {
      const isLit = lit.some(([first, last]) => first <= i && i <= last);
      setAttribute(line, "data-lit", isLit);
    });
  }
  return { element, toggle, update };
}

/** Rows of the docstring below its first line: the loop should fit on a projector. @param {string[]} lines */
function restOfDocstring(lines) {
  const first = lines.findIndex((line) => line.trimStart().startsWith('"""'));
  const last = lines.findIndex((line, i) => i >= first && line.trimEnd().endsWith('"""'));
  return lines.flatMap((_, i) => (first < i && i <= last ? [i] : []));
}

/** @param {string} text @param {number} number */
function createLine(text, number) {
  const code = el("code", { class: /^\s*(#|"""|\/\/)/.test(text) ? "is-comment" : "" }, text || " ");
  return el("li", { value: number }, code);
}
