// Shapes of a picture to save, in the colours of the page. A picture is an SVG; a PNG is made from it. Text is
// only ever text.

import { brushOf, el } from "../../../frame/live/dom.js";
import { _ } from "../../../frame/live/words.js";

const ROLES = ["paper", "raised", "ink", "muted", "line", "kept", "kept-ink", "rejected", "chosen", "pointer"]
  .concat(["prompt", "prompt-tint", "generated", "generated-tint", "surprise", "stage", "stage-tint"]);

/**
 * The colours and faces of the page as it stands, in light or in dark.
 * @param {HTMLElement} node of the page
 * @returns {PageLook}
 */
export function readLook(node) {
  const probe = el("span", { hidden: true });
  node.append(probe);
  const style = getComputedStyle(probe);
  const colours = Object.fromEntries(ROLES.map((role) => {
    probe.style.color = `var(--${role})`;
    return [role, style.color];
  }));
  probe.style.fontFamily = "var(--read)";
  const faces = { read: systems(style), plain: systems(getComputedStyle(node)) };
  probe.remove();
  return { colours, faces };
}

/** The faces after our own, which a picture does not hold. @param {CSSStyleDeclaration} style */
const systems = ({ fontFamily }) => fontFamily.replace(/^["']?One Token \w+["']?, /, "");

/** A picture that is being drawn. */
export class Paint {
  /** @param {number} width @param {PageLook} look */
  constructor(width, { colours, faces }) {
    this.width = width;
    this.colours = colours;
    this.faces = faces;
    this.svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    this.ruler = brushOf(el("canvas"));
    this.paper = this.add("rect", { width, fill: colours.paper });
  }

  /** @param {keyof SVGElementTagNameMap} name @param {Attributes} attributes */
  add(name, attributes, text = "") {
    const node = document.createElementNS(this.svg.namespaceURI, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
    node.textContent = text;
    this.svg.append(node);
    return node;
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height @param {string} role */
  box(x, y, width, height, role, more = {}) {
    this.add("rect", { x, y, width: Math.max(0, width), height, fill: this.colours[role], ...more });
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height @param {string} role */
  outline(x, y, width, height, role, more = {}) {
    const stroke = { fill: "none", ...this.stroke(role, more) };
    this.add("rect", { x, y, width: Math.max(0, width), height, ...stroke });
  }

  /** @param {number} x1 @param {number} y1 @param {number} x2 @param {number} y2 @param {string} role */
  line(x1, y1, x2, y2, role, more = {}) {
    this.add("line", { x1, y1, x2, y2, ...this.stroke(role, more) });
  }

  /** @param {string} role @param {Attributes} more */
  stroke(role, more) {
    return { stroke: this.colours[role], "stroke-width": 2, ...more };
  }

  /** @param {string} text @param {number} x @param {number} y @param {number} size @param {Record<string, any>} [look] */
  words(
    text,
    x,
    y,
    size,
    { role = "ink", weight = "normal", anchor = "start", face = "plain", ...more } = {},
  ) {
    const font = { "font-family": this.faces[face], "font-size": size, "font-weight": weight };
    const at = { x, y, fill: this.colours[role], "text-anchor": anchor, "xml:space": "preserve" };
    const node = this.add("text", { ...at, ...font, ...more });
    for (const part of text.split(/([␣⏎⇥]+)/).filter(Boolean)) {
      const span = document.createElementNS(node.namespaceURI, "tspan");
      if (/[␣⏎⇥]/.test(part)) span.setAttribute("fill-opacity", "0.35");
      span.textContent = part;
      node.append(span);
    }
  }

  /** @param {string} text @param {number} size */
  measure(text, size, face = "plain") {
    this.ruler.font = `${size}px ${this.faces[face]}`;
    return this.ruler.measureText(text).width;
  }

  /**
   * Cuts a sentence into lines of at most a width.
   * @param {string} sentence
   * @param {number} size
   * @param {number} width
   */
  wrap(sentence, size, width) {
    /** @type {string[]} */
    const lines = [];
    for (const word of sentence.split(" ")) {
      const longer = lines.length > 0 ? `${lines.at(-1)} ${word}` : word;
      if (lines.length > 0 && this.measure(longer, size) <= width) lines[lines.length - 1] = longer;
      else lines.push(word);
    }
    return lines;
  }

  /** Ends the picture at that height. @param {number} height @returns {SVGElement} */
  close(height) {
    this.paper.setAttribute("height", String(height));
    const sizes = { width: this.width, height, viewBox: `0 0 ${this.width} ${height}` };
    for (const [name, value] of Object.entries(sizes)) this.svg.setAttribute(name, String(value));
    return this.svg;
  }
}

/** A picture as a file. @param {SVGElement} svg */
export function asSvg(svg) {
  return new Blob([new XMLSerializer().serializeToString(svg)], { type: "image/svg+xml" });
}

/**
 * A picture as a file of pixels.
 * @param {SVGElement} svg
 * @param {number} scale pixels for each of the drawing
 * @returns {Promise<Blob>}
 */
export async function asPng(svg, scale) {
  const canvas = await drawPixels(svg, scale);
  const blob = await new Promise((resolve) => canvas.toBlob(resolve));
  if (blob === null) throw new Error(_("This browser has no memory for a picture of this size."));
  return blob;
}

/** Draws a picture on a canvas. @param {SVGElement} svg @param {number} scale */
export async function drawPixels(svg, scale) {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(svg))}`;
  await image.decode();
  const canvas = el("canvas", {
    width: Math.round(scale * image.width),
    height: Math.round(scale * image.height),
  });
  brushOf(canvas, { willReadFrequently: true }).drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas;
}
