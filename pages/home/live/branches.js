// The texts that were parted from one another, side by side: click one to go on with it.

import { el, setShown, visibleParts } from "../../frame/live/dom.js";
import { formatNats } from "../../frame/live/format.js";

const SHOWN_BEFORE_FORK = 6;

/** The branches of this text; hidden while there is one. @type {MakePart} */
export function createBranches(actions) {
  const list = el("div", { class: "branch-list" });
  const element = el(
    "section",
    { class: "branches", "aria-label": "Branches of this text", hidden: true },
    list,
  );
  let shown = null;
  return {
    element,
    update(view) {
      const { branches } = view.header;
      const isNew = branches !== shown?.branches || view.labels !== shown?.labels;
      if (!isNew) return;
      shown = { branches, labels: view.labels };
      setShown(element, branches.length > 1);
      list.replaceChildren(...branches.map((branch) => branchRow(branch, view, actions)));
    },
  };
}

function branchRow(branch, view, actions) {
  const isActive = branch.id === view.header.branch;
  const text = el("span", { class: "branch-text" });
  const from = Math.max(0, branch.n_common - SHOWN_BEFORE_FORK);
  if (from > 0) text.append(el("span", { class: "branch-common", textContent: "… " }));
  branch.ids.slice(from).forEach((id, i) => {
    const isCommon = from + i < branch.n_common;
    text.append(
      el("span", { class: isCommon ? "branch-common" : "branch-own" }, ...visibleParts(view.label(id))),
    );
    const joined = branch.joined[from + i];
    if (joined) text.append(el("span", { class: "branch-joined", textContent: `(${joined})` }));
  });
  const row = el("button", { type: "button", class: "branch" }, text);
  row.append(el("span", { class: "branch-sum", textContent: `log p = ${formatNats(branch.logprob)}` }));
  row.append(el("span", { class: "branch-mark", textContent: isActive ? "shown above" : "go on with it" }));
  row.setAttribute("aria-current", String(isActive));
  row.addEventListener("click", () => isActive || actions.switchBranch(branch.id));
  return row;
}
