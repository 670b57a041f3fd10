// The texts that were parted from one another, side by side: click one to go on with it.

import { createButton, el, setShown, visibleParts } from "../../../frame/live/dom.js";
import { formatNats } from "../../../frame/live/format.js";
import { _ } from "../../../frame/live/words.js";

const SHOWN_BEFORE_FORK = 6;

/** The branches of this text; hidden while there is one. @param {Actions} actions @returns {Part} */
export function createBranches(actions) {
  const list = el("div", { class: "branch-list" });
  const element = el(
    "section",
    { class: "branches", "aria-label": _("Branches of this text"), hidden: true },
    list,
  );
  /** @type {Pick<View, "header" | "labels">|null} */
  let shown = null;
  return {
    element,
    update(view) {
      const { header, labels } = view;
      if (header === shown?.header && labels === shown?.labels) return;
      shown = { header, labels };
      const branches = allBranches(header);
      setShown(element, branches.length > 1);
      // a row stays what it is: it may be in the midst of a press, or have the focus
      for (let n = list.childElementCount; n < branches.length; n++) list.append(createBranchRow(actions));
      while (list.childElementCount > branches.length) list.lastElementChild?.remove();
      branches.forEach((branch, i) =>
        fillBranchRow(/** @type {HTMLElement} */ (list.children[i]), branch, view)
      );
    },
  };
}

/**
 * The text that is written among the others, each with how many tokens it has in common with that.
 * @param {Header} header
 */
function allBranches({ branches, branch: id, ids, joined, logprob }) {
  if (branches.length === 0) return [];
  const all = [...branches, { id, ids, joined, logprob }].sort((first, second) => first.id - second.id);
  return all.map((text) => ({ ...text, nCommon: lengthInCommon(text.ids, ids) }));
}

/** @param {number[]} first @param {number[]} second */
function lengthInCommon(first, second) {
  const n = first.findIndex((id, i) => id !== second[i]);
  return n < 0 ? first.length : n;
}

/** @param {Actions} actions */
function createBranchRow(actions) {
  const row = createButton("branch", null, () => {
    if (row.getAttribute("aria-current") === "false") actions.switchBranch(Number(row.dataset.branch));
  });
  return row;
}

/** @param {HTMLElement} row @param {ReturnType<typeof allBranches>[number]} branch @param {View} view */
function fillBranchRow(row, branch, view) {
  const text = el("span", { class: "branch-text", translate: false });
  const from = Math.max(0, branch.nCommon - SHOWN_BEFORE_FORK);
  if (from > 0) text.append(el("span", { class: "muted", textContent: "… " }));
  branch.ids.slice(from).forEach((id, i) => {
    const isCommon = from + i < branch.nCommon;
    text.append(
      el("span", { class: isCommon ? "muted" : "branch-own" }, ...visibleParts(view.label(id))),
    );
    const joined = branch.joined[from + i];
    if (joined) text.append(el("span", { class: "branch-joined", textContent: `(${joined})` }));
  });
  const isActive = branch.id === view.header.branch;
  row.replaceChildren(
    text,
    el("span", { class: "branch-sum", textContent: `log p = ${formatNats(branch.logprob)}` }),
    el("span", { class: "branch-mark", textContent: isActive ? _("shown above") : _("go on with it") }),
  );
  row.dataset.branch = String(branch.id);
  row.setAttribute("aria-current", String(isActive));
}
