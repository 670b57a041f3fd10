// Small tools for the page: elements, their text and attributes, labels of tokens cut to length.
// Knows nothing of models.

const SHORT_LABEL = 24;

/**
 * Makes one element: `on*` properties become listeners, `data-*`, `aria-*` and the like attributes.
 * Text is only ever set as text, never as markup.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, unknown>} [props]
 * @param {...(Node|string|null)} children
 */
export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) setProperty(node, name, value);
  node.append(...children.filter((child) => child !== null));
  return node;
}

/** Makes a button that sends no form. */
export function createButton(kind, words = null, onclick = null) {
  return el("button", { type: "button", class: kind, onclick }, words);
}

function setProperty(node, name, value) {
  if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
  else if (name === "class") node.className = value;
  else if (name in node && !name.includes("-")) node[name] = value;
  else node.setAttribute(name, value);
}

/** Writes text only where it changed, so that an unchanged number costs no layout. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Sets or removes an attribute, touching the page only on a change. */
export function setAttribute(node, name, value) {
  if (value === null || value === false) node.removeAttribute(name);
  else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, String(value));
}

/** Shows or hides a node by the `hidden` attribute. */
export function setShown(node, isShown) {
  if (node.hidden === isShown) node.hidden = !isShown;
}

/** Cuts a long label at a whole code point and ends it with an ellipsis. */
export function shorten(text, length = SHORT_LABEL) {
  const points = [...text];
  return points.length > length ? `${points.slice(0, length - 1).join("")}…` : text;
}

/** A label as it is heard: whitespace by its name. */
export function spoken(label) {
  return label.replaceAll("␣", "space ").replaceAll("⏎", "new line ").replaceAll("⇥", "tab ").trim();
}

/** Spaces and line ends stand back, so that words are read and whitespace is still seen. */
export function visibleParts(label) {
  return label
    .split(/([␣⏎⇥]+)/)
    .filter(Boolean)
    .map((part) => (/[␣⏎⇥]/.test(part) ? el("span", { class: "space", textContent: part }) : part));
}

const [OPEN, CLOSE] = ["\uE000", "\uE001"]; // around a token in a sentence: no text has them
const said = new WeakMap(); // nodes and their sentences

/** A token to stand in a sentence, which `setSentence` or `heard` takes. */
export function named(label, length = SHORT_LABEL) {
  return OPEN + shorten(label, length) + CLOSE;
}

/** Writes a sentence in which the tokens look as they do in the strip. */
export function setSentence(node, sentence) {
  if (said.get(node) === sentence) return;
  said.set(node, sentence);
  const parts = sentence.split(/[\uE000\uE001]/); // the odd ones are tokens
  const chip = (label) => el("span", { class: "named" }, ...visibleParts(label));
  node.replaceChildren(...parts.map((part, i) => i % 2 ? chip(part) : part));
}

/** The same sentence as it is heard. */
export function heard(sentence) {
  return spoken(sentence.replaceAll(OPEN, "“").replaceAll(CLOSE, "”"));
}

/** The label of a token as quoted in a sentence: “␣the”. */
export function quote(label) {
  return `“${shorten(label)}”`;
}
