// What one token of the strip says of itself, and what can be done with it.

import { createButton, el, quote } from "../../../frame/live/dom.js";
import { formatCount, formatNumber, formatProbability } from "../../../frame/live/format.js";
import { _ } from "../../../frame/live/words.js";

const GAP = 6;
const WIDE = 2.6; // times a card: there the picture leaves it room
const N_IN_TIP = 3; // facts, the plain ones
const LINGER_MS = 150; // in which the pointer reaches the tip

/**
 * The facts of the token at a position of the text, as lines of [name, value].
 * @param {View} view
 * @param {number} index
 * @returns {TokenFacts}
 */
export function describeToken(view, index) {
  const id = view.ids[index];
  const step = index - view.nPrompt;
  const { steps } = view.header;
  const facts = step >= 0 && step < steps.prob.length ? factsOfDraw(view.header, step) : [];
  facts.push([_("position"), formatCount(index)], ["id", formatCount(id)]);
  const note = noteOf(view, index);
  return { title: quote(view.label(id)), facts, note, canBranch: index >= view.nPrompt };
}

/** @param {Header} header @param {number} step @returns {TokenFacts["facts"]} */
function factsOfDraw({ steps, terms }, step) {
  const bits = -steps.logprob[step] / Math.LN2;
  return [
    [_("after the cut"), formatProbability(steps.chosen_prob[step])], // as the bar says it
    [_("by the model"), formatProbability(steps.prob[step])],
    [_("rank"), formatCount(steps.rank[step] + 1)],
    [_("surprise"), _("{number} bits", { number: formatNumber(bits) }), terms["surprise"]],
  ];
}

/** @param {View} view @param {number} index */
function noteOf(view, index) {
  if (index < view.nPrompt) return _("of the prompt");
  if (index >= view.nConfirmed) return _("pending: its distribution is on its way");
  return view.header.steps.forced[index - view.nPrompt] ? _("forced by you") : _("written by the model");
}

/**
 * One menu and one tip for all tokens; both live in the top layer, so that nothing cuts them.
 * @param {Actions} actions
 * @param {(index: number) => TokenFacts} describe
 */
export function createTokenMenu(actions, describe) {
  const tip = el("div", { class: "tip", popover: "auto", role: "tooltip" }); // Escape closes it
  const element = createMenu("menu", _("This token"));
  let timer = 0; // a tip opens when what closed before it is gone, and stays while it is pointed at
  /** @param {() => void} action @param {number} delay */
  const plan = (action, delay) => {
    clearTimeout(timer);
    timer = setTimeout(action, delay);
  };
  const hideTip = () => plan(() => tip.hidePopover(), LINGER_MS);
  tip.addEventListener("pointerenter", () => clearTimeout(timer));
  tip.addEventListener("pointerleave", hideTip);
  /** @param {() => void} action */
  const act = (action) => {
    element.hidePopover();
    action();
  };
  return {
    element,
    tip,
    /** @param {number} index @param {HTMLElement} node @param {boolean} isByPointer */
    open(index, node, isByPointer) {
      clearTimeout(timer);
      fillMenu(element, describe(index), index, actions, act);
      openBeside(element, node, "apart", isByPointer);
    },
    /** @param {number} index @param {HTMLElement} node */
    showTip(index, node) {
      plan(() => {
        if (element.matches(":popover-open") || !node.isConnected) return;
        if (node.matches("[data-still] .token:not(:focus-visible)")) return; // the pointer did not come to it
        const known = describe(index);
        fillFacts(tip, { ...known, facts: known.facts.slice(0, N_IN_TIP) });
        if (!tip.matches(":popover-open")) tip.showPopover();
        place(tip, node, "above");
      }, 0);
    },
    hideTip,
    /** Closes what nobody reads: neither the pointer nor the focus is in it. */
    closeUnused() {
      clearTimeout(timer);
      for (const card of [element, tip]) if (!card.matches(":hover, :focus-within")) card.hidePopover();
    },
  };
}

/** @param {HTMLElement} node @param {TokenFacts} description */
function fillFacts(node, { title, facts, note }) {
  const table = el("dl", { class: "facts" });
  // no popover of its own: WebKit never comes back from closing the menu around one
  const explained = el("p", { class: "facts-note muted", hidden: true });
  for (const [name, value, says] of facts) {
    const word = says ? createExplained(name, explained, says) : name;
    table.append(el("dt", { class: "muted" }, word), el("dd", { translate: false }, value));
  }
  node.replaceChildren(
    el("p", { class: "facts-title muted" }, el("b", { textContent: title, translate: false }), ` ${note}`),
    table,
    explained,
  );
}

/** Makes a word that shows what it means, and hides it again. @param {string} word @param {HTMLElement} note @param {string} says */
function createExplained(word, note, says) {
  const button = createButton("term", word, () => {
    note.textContent = _(says);
    note.hidden = !note.hidden;
    button.ariaExpanded = String(!note.hidden);
  });
  button.ariaExpanded = "false";
  return button;
}

/**
 * @param {HTMLElement} node
 * @param {TokenFacts} description
 * @param {number} index
 * @param {Actions} actions
 * @param {(action: () => void) => void} act
 */
function fillMenu(node, description, index, actions, act) {
  fillFacts(node, description);
  /** @param {string} text @param {() => void} action */
  const button = (text, action) => createButton("button", text, () => act(action));
  const items = el("div", { class: "row menu-items" });
  if (index > 0) items.append(button(_("Look at its bars"), () => actions.inspect(index)));
  node.append(items);
  if (!description.canBranch) {
    node.append(el("p", { class: "facts-note muted" }, _("Edit the prompt to change this token.")));
    return;
  }
  items.append(
    button(_("Rewind to before it"), () => actions.rewind(index)),
    button(_("Branch here, keep this text"), () => actions.branch(index)),
  );
}

/** Makes a menu; it closes once the focus has gone elsewhere. @param {string} kind @param {string} name */
export function createMenu(kind, name) {
  /** @param {FocusEvent} event */
  const onfocusout = ({ relatedTarget }) => {
    if (relatedTarget instanceof Node && !menu.contains(relatedTarget)) menu.hidePopover();
  };
  const menu = el("div", { class: kind, popover: "auto", role: "dialog", "aria-label": name, onfocusout });
  return menu;
}

/**
 * Opens a popover beside what it is about. Closed, it hands the focus back to who came by the keyboard.
 * @param {HTMLElement} popover
 * @param {HTMLElement} anchor
 * @param {Side} side
 * @param {boolean} isByPointer
 */
export function openBeside(popover, anchor, side, isByPointer) {
  if (isByPointer) anchor.blur();
  popover.ontoggle = (/** @type {ToggleEvent} */ { newState }) => {
    const isLost = newState === "closed" && document.activeElement === document.body;
    if (isLost && !isByPointer) anchor.focus({ preventScroll: true });
  };
  popover.showPopover();
  place(popover, anchor, side);
  /** @type {HTMLElement|null} */ (popover.querySelector("button:not(.term)"))?.focus();
}

/**
 * Puts a popover beside a token, inside the window; or apart from the picture of which it speaks: above the token,
 * or, where that has no room, over what stands beside the picture of a wide page.
 * @typedef {"above"|"below"|"apart"} Side
 * @param {HTMLElement} node
 * @param {HTMLElement} anchor
 * @param {Side} side
 */
function place(node, anchor, side) {
  const box = anchor.getBoundingClientRect();
  const { width, height } = node.getBoundingClientRect();
  const above = box.top - height - GAP;
  const below = box.bottom + GAP;
  const isAbove = side === "below" ? below + height > innerHeight : above >= 0;
  const atEnd = innerWidth - width - GAP;
  const isAtEnd = side === "apart" && !isAbove && innerWidth > WIDE * width;
  const left = isAtEnd ? atEnd : Math.min(Math.max(GAP, box.left), atEnd);
  const top = isAbove ? above : below;
  node.style.setProperty("left", `${left}px`);
  node.style.setProperty("top", `${Math.max(GAP, top)}px`);
}
