// What one token of the strip says of itself, and what can be done with it.

import { el, quote, setText } from "../../frame/live/dom.js";
import { formatCount, formatNats, formatNumber, formatProbability } from "../../frame/live/format.js";

const GAP = 6;

/**
 * The facts of one token, as lines of [name, value].
 * @param {View} view
 * @param {number} index position in the text
 */
export function describeToken(view, index) {
  const id = view.ids[index];
  const facts = [["position", formatCount(index)], ["id", formatCount(id)]];
  const step = index - view.nPrompt;
  const { steps } = view.header;
  if (step >= 0 && step < steps.prob.length) facts.push(...factsOfDraw(steps, step));
  const note = noteOf(view, index);
  return { title: quote(view.label(id)), facts, note, canBranch: index >= view.nPrompt };
}

function factsOfDraw(steps, step) {
  const nats = -steps.logprob[step];
  return [
    ["probability", formatProbability(steps.prob[step])],
    ["rank", formatCount(steps.rank[step] + 1)],
    ["surprise", `${formatNats(nats)} (${formatNumber(nats / Math.LN2)} bits)`],
    ["entropy", formatNats(steps.entropy[step])],
    ["after masks", formatProbability(steps.chosen_prob[step])],
  ];
}

function noteOf(view, index) {
  if (index < view.nPrompt) return "of the prompt";
  if (index >= view.nConfirmed) return "pending: its distribution is on its way";
  return view.forcedPositions.has(index) ? "forced by you" : "written by the model";
}

/** One menu and one tip for all tokens; both live in the top layer, so that nothing cuts them. */
export function createTokenMenu(actions, describe) {
  const tip = el("div", { class: "tip", popover: "manual", role: "tooltip" });
  const element = el("div", { class: "menu", popover: "auto", role: "dialog", "aria-label": "This token" });
  let opener = null;
  let isByPointer = false;
  const act = (action) => {
    element.hidePopover();
    action();
  };
  element.addEventListener("toggle", (event) => {
    if (event.newState !== "closed") return;
    // After a click the focus is let go, so that the keys drive the loop again.
    if (isByPointer) opener.blur();
    else opener.focus();
  });
  return {
    element,
    tip,
    open(index, node, byPointer) {
      opener = node;
      isByPointer = byPointer;
      tip.hidePopover();
      fillMenu(element, describe(index), index, actions, act);
      element.showPopover();
      place(element, node, "below");
      element.querySelector("button")?.focus();
    },
    showTip(index, node) {
      if (element.matches(":popover-open")) return;
      fillFacts(tip, describe(index));
      tip.showPopover();
      place(tip, node, "above");
    },
    hideTip: () => tip.hidePopover(),
  };
}

function fillFacts(node, { title, facts, note }) {
  const table = el("dl", { class: "facts" });
  for (const [name, value] of facts) {
    table.append(el("dt", { textContent: name }), el("dd", { textContent: value }));
  }
  node.replaceChildren(el("p", { class: "facts-title" }, el("b", { textContent: title }), ` ${note}`), table);
}

function fillMenu(node, description, index, actions, act) {
  fillFacts(node, description);
  const button = (text, action) =>
    el("button", { type: "button", class: "menu-item", textContent: text, onclick: () => act(action) });
  if (index > 0) node.append(button("Look at its distribution", () => actions.inspect(index)));
  if (!description.canBranch) {
    node.append(el("p", { class: "facts-note", textContent: "Edit the prompt to change this token." }));
    return;
  }
  node.append(
    button("Rewind to before it", () => actions.rewind(index)),
    button("Branch here, keep this text", () => actions.branch(index)),
  );
}

/** Puts a popover beside a token, inside the window. */
function place(node, anchor, side) {
  const box = anchor.getBoundingClientRect();
  const { width, height } = node.getBoundingClientRect();
  const above = box.top - height - GAP;
  const below = box.bottom + GAP;
  const wanted = side === "above" ? above : below;
  const fits = side === "above" ? above >= 0 : below + height <= innerHeight;
  const top = fits ? wanted : side === "above" ? below : above;
  const left = Math.min(Math.max(GAP, box.left), innerWidth - width - GAP);
  node.style.setProperty("left", `${left}px`);
  node.style.setProperty("top", `${Math.max(GAP, top)}px`);
}

/** A line of text that can be dismissed: the one sentence that says what went wrong. */
export function createNotice(role, onDismiss) {
  const text = el("span");
  const element = el(
    "div",
    { class: "notice", role, hidden: true },
    text,
    el("button", { type: "button", class: "quiet", textContent: "Dismiss", onclick: onDismiss }),
  );
  return {
    element,
    update(message, kind = "info") {
      element.hidden = message === null;
      element.dataset.kind = kind;
      setText(text, message ?? "");
    },
  };
}
