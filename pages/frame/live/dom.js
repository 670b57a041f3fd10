// Small tools for the page: elements, their text and attributes, labels of tokens cut to length.
// Knows nothing of models.

import { spoken } from "./aloud.js";
import { required } from "./required.js";
import { _ } from "./words.js";

const SHORT_LABEL = 24;
const VERBATIM = ["code", "kbd", "pre"]; // tags whose words no browser may translate

/**
 * Makes one element: `on*` properties become listeners, `data-*`, `aria-*` and the like attributes.
 * Text is only ever set as text, never as markup. `translate: false` keeps a browser that translates the page
 * from tokens, ids and names.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, unknown>} [props]
 * @param {...(Node|string|null)} children
 */
export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  if (VERBATIM.includes(tag)) node.translate = false;
  for (const [name, value] of Object.entries(props)) setProperty(node, name, value);
  node.append(...children.filter((child) => child !== null));
  return node;
}

/**
 * The first element that a selector finds.
 * @param {ParentNode} root
 * @param {string} selector
 * @returns {HTMLElement}
 */
export function find(root, selector) {
  return required(/** @type {HTMLElement|null} */ (root.querySelector(selector)), `element “${selector}”`);
}

/** The element that has the focus in the page or the component of a node. @param {Node} node */
export function activeIn(node) {
  return /** @type {Document|ShadowRoot} */ (node.getRootNode()).activeElement;
}

/**
 * What draws on a canvas.
 * @param {HTMLCanvasElement} canvas
 * @param {CanvasRenderingContext2DSettings} [settings]
 */
export function brushOf(canvas, settings) {
  return required(canvas.getContext("2d", settings), "canvas to draw on");
}

/**
 * Makes a button that sends no form.
 * @param {string} kind
 * @param {Node|string|null} words
 * @param {((event: MouseEvent) => void)|null} onclick
 */
export function createButton(kind, words = null, onclick = null) {
  return el("button", { type: "button", class: kind, onclick }, words);
}

/** @param {Record<string, any> & HTMLElement} node @param {string} name @param {any} value */
function setProperty(node, name, value) {
  if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
  else if (name === "class") node.className = value;
  else if (name in node && !name.includes("-")) node[name] = value;
  else node.setAttribute(name, value);
}

/**
 * Writes text only where it changed, into the text that is there: a new one would be boxed anew.
 * @param {Node} node
 * @param {string} text
 */
export function setText(node, text) {
  const { firstChild: first, lastChild: last } = node;
  if (first instanceof Text && first === last) {
    if (first.data !== text) first.data = text;
  } else if (node.textContent !== text) node.textContent = text;
}

/**
 * Sets or removes an attribute, touching the page only on a change; tells whether there was one.
 * @param {Element} node
 * @param {string} name
 * @param {unknown} value
 */
export function setAttribute(node, name, value) {
  const next = value === null || value === false ? null : String(value);
  if (node.getAttribute(name) === next) return false;
  if (next === null) node.removeAttribute(name);
  else node.setAttribute(name, next);
  return true;
}

/** Shows or hides a node by the `hidden` attribute. @param {HTMLElement} node @param {boolean} isShown */
export function setShown(node, isShown) {
  if (node.hidden === isShown) node.hidden = !isShown;
}

/** Whether a script of Streamlit's is under way for this page. */
export function isScriptRunning() {
  return document.querySelector('.stApp[data-test-script-state="notRunning"]') === null;
}

/** Cuts a long label at a whole code point and ends it with an ellipsis. @param {string} text */
export function shorten(text, length = SHORT_LABEL) {
  const points = [...text];
  return points.length > length ? `${points.slice(0, length - 1).join("")}…` : text;
}

/**
 * Spaces and line ends stand back, so that words are read and whitespace is still seen.
 * @param {string} label
 */
export function visibleParts(label) {
  return label
    .split(/([␣⏎⇥]+)/)
    .filter(Boolean)
    .map((part) => (/[␣⏎⇥]/.test(part) ? el("span", { class: "space", textContent: part }) : part));
}

/** What ends a text, as models write it. */
const ENDS = ["<|endoftext|>", "<|end_of_text|>", "<|im_end|>", "<|eot_id|>", "</s>", "<eos>"];

/** Whether a label is that of a token that ends a text. @param {string} label */
export const isEnd = (label) => ENDS.includes(label);

/** A token's label as a figure shows it: what ends a text by a word, as its facts say how it is written. @param {string} label */
export const plainLabel = (label) => isEnd(label) ? _("end") : label;

/** The label of a token for a figure or a sentence; the word for the end is no text, and looks it. @param {string} label */
export const tokenParts = (label) =>
  isEnd(label) ? [el("span", { class: "end-word", textContent: plainLabel(label) })] : visibleParts(label);

const [OPEN, CLOSE] = ["\uE000", "\uE001"]; // around a token in a sentence: no text has them
const said = new WeakMap(); // nodes and their sentences

/** A token to stand in a sentence, which `setSentence` or `heard` takes. @param {string} label */
export function named(label, length = SHORT_LABEL) {
  return OPEN + shorten(label, length) + CLOSE;
}

/**
 * Writes a sentence in which the tokens look as they do in the strip.
 * @param {Element} node
 * @param {string} sentence
 */
export function setSentence(node, sentence) {
  if (said.get(node) === sentence) return;
  said.set(node, sentence);
  const parts = sentence.split(/[\uE000\uE001]/); // the odd ones are tokens
  const chip = (/** @type {string} */ label) =>
    el("span", { class: "named", translate: false }, ...tokenParts(label));
  node.replaceChildren(...parts.map((part, i) => i % 2 ? chip(part) : part));
}

/** The same sentence as plain text. @param {string} sentence */
export function quoted(sentence) {
  return sentence.replace(/\uE000␣?([^\uE001]*)\uE001/g, (_named, token) => inQuotes(token));
}

/** The same sentence as it is heard. @param {string} sentence */
export function heard(sentence) {
  const parts = sentence.split(/[\uE000\uE001]/); // the odd ones are tokens
  return parts.map((part, i) => (i % 2 ? inQuotes(spoken(part)) : part)).join("");
}

/** The label of a token as quoted in a sentence: “␣the”. @param {string} label */
export function quote(label) {
  return inQuotes(isolated(shorten(label)));
}

/** @param {string} text */
function inQuotes(text) {
  return _("“{text}”", { text });
}

const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]/;

/**
 * A text to stand in a sentence of the other direction: it turns no number around that follows it, and keeps
 * its own order.
 * @param {string} text
 */
export function isolated(text) {
  const isAmongOthers = RIGHT_TO_LEFT.test(text) || document.documentElement.dir === "rtl";
  return isAmongOthers ? `\u2068${text}\u2069` : text;
}
