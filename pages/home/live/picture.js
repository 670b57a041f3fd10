// What is on the screen as a picture to share: the text, the bars, the draw bar with its pointer, the model.

import { segmentsOf } from "./coinbar.js";
import { createButton, el, shorten } from "../../frame/live/dom.js";
import { formatCoin, formatProbability } from "../../frame/live/format.js";
import { chooseRows, readColumn } from "./rows.js";
import { activeResult, describePipeline, drawnToken } from "../../frame/live/strategies.js";
import { START, tint } from "./strip.js";

const WIDTH = 1200;
const MARGIN = 40;
const INNER = WIDTH - 2 * MARGIN;
const MAX_LINES = 5; // of the text: its end
const SCALE = 2; // pixels of the PNG for each of the drawing
const ROLES = ["paper", "ink", "muted", "line", "kept", "rejected", "chosen", "coin", "prompt", "prompt-tint"]
  .concat(["generated", "generated-tint", "surprise"]);

/** Two buttons that save what `read` returns, as SVG and as PNG. @param {() => View|null} read */
export function createPictureButtons(read) {
  const saved = async (node, kind) => {
    const view = read();
    if (!view?.distribution) return;
    const svg = draw(view, coloursOf(node), getComputedStyle(node).fontFamily);
    const blob = new Blob([new XMLSerializer().serializeToString(svg)], { type: "image/svg+xml" });
    offer(kind === "svg" ? blob : await toPng(svg), `one-token.${kind}`);
  };
  const button = (kind) => {
    const node = createButton("quiet", kind.toUpperCase(), () => saved(node, kind));
    node.setAttribute("aria-label", `Save this picture as ${kind.toUpperCase()}`);
    return node;
  };
  return el("div", { class: "row picture" }, "save this picture: ", button("svg"), button("png"));
}

/** Draws the picture. @param {View} view @returns {SVGElement} */
function draw(view, colours, font) {
  const paint = new Paint(colours, font);
  const result = activeResult(view);
  let y = drawText(paint, view, MARGIN) + 24;
  y = drawBars(paint, view, result, y) + 16;
  const drawn = view.coin === null ? null : drawnToken(result, view.coin);
  if (drawn !== null) {
    const share = formatProbability(drawn.to - drawn.from);
    const sentence = `The pointer ${formatCoin(view.coin)} fell on ${
      view.label(drawn.id)
    }, ${share} of the bar.`;
    paint.words(sentence, MARGIN, y + 22, 22, "ink", "bold");
    y += 44;
  }
  y = drawDrawBar(paint, view, result, y) + 20;
  const from = `${view.header.model.name}, ${describePipeline(result, view.settings)}. One Token at a Time`;
  paint.words(from, MARGIN, y + 16, 16, "muted");
  return paint.close(y + 16 + MARGIN);
}

/** The text as its tokens, from the top; returns where it ends. */
function drawText(paint, view, top) {
  const size = 26;
  const lines = [[]];
  let x = 0;
  for (let i = 0; i < view.ids.length; i += 1) {
    const isStart = i === 0 && view.ids[0] === view.header.model.bos_id;
    const label = isStart ? START : view.label(view.ids[i]);
    const width = paint.measure(label, size) + 10;
    if (x + width > INNER) [x] = [0, lines.push([])];
    lines.at(-1).push({ i, label, x, width });
    x += width + 4;
    if (label.includes("⏎")) [x] = [0, lines.push([])];
  }
  const shown = lines.filter((line) => line.length > 0).slice(-MAX_LINES);
  shown.forEach((line, row) => line.forEach((token) => drawToken(paint, view, token, top + row * 46, size)));
  return top + shown.length * 46;
}

function drawToken(paint, view, { i, label, x, width }, y, size) {
  const isPrompt = i < view.nPrompt;
  const left = MARGIN + x;
  paint.box(left, y, width, 36, isPrompt ? "prompt-tint" : "generated-tint");
  const logprob = view.header.steps.logprob[i - view.nPrompt] ?? null;
  if (!isPrompt) paint.box(left, y, width, 36, "surprise", { "fill-opacity": tint(logprob) });
  const dash = isPrompt ? {} : { "stroke-dasharray": "6 4" };
  paint.line(left, y + 36, left + width, y + 36, isPrompt ? "prompt" : "generated", dash);
  paint.words(label, left + 5, y + 27, size, "ink");
}

/** The likeliest tokens; returns where they end. */
function drawBars(paint, view, result, top) {
  const rows = chooseRows(result, view.chosenId, true);
  const { cells } = readColumn(result, rows, { coin: view.coin, nVocab: view.distribution.nVocab });
  const most = Math.max(...cells.slice(0, rows.length).map(({ prob, raw }) => Math.max(prob, raw)));
  rows.forEach(({ id }, i) => {
    const { isKept, prob, raw } = cells[i];
    const y = top + i * 40;
    const length = 720 * (isKept ? prob : raw) / most;
    paint.words(shorten(view.label(id), 16), MARGIN + 8, y + 28, 26, "ink");
    if (isKept) paint.box(MARGIN + 240, y + 6, length, 28, "kept");
    else paint.box(
        MARGIN + 240,
        y + 6,
        length,
        28,
        null,
        paint.stroke("rejected", { "stroke-dasharray": "3 3" }),
      );
    paint.words(formatProbability(prob), WIDTH - MARGIN - 8, y + 28, 26, "ink", "normal", "end");
    if (id === view.chosenId)
      paint.box(MARGIN, y, INNER, 40, null, paint.stroke("chosen", { "stroke-width": 3 }));
  });
  return top + rows.length * 40;
}

/** The draw bar and its pointer; returns where it ends. */
function drawDrawBar(paint, view, result, top) {
  segmentsOf(view, result).forEach(({ id, from, width }, i) => {
    const [left, wide] = [MARGIN + INNER * from, INNER * width];
    paint.box(left, top + 12, wide, 56, "kept", { "fill-opacity": i % 2 ? 0.55 : 0.42 });
    const label = id === null ? "" : shorten(view.label(id), 16);
    if (paint.measure(label, 22) + 12 < wide)
      paint.words(label, left + wide / 2, top + 48, 22, "ink", "normal", "middle");
    if (id !== null && id === view.chosenId)
      paint.box(left, top + 12, wide, 56, null, paint.stroke("chosen", { "stroke-width": 3 }));
  });
  if (view.coin !== null) {
    const x = MARGIN + INNER * view.coin;
    paint.line(x, top, x, top + 68, "coin", { "stroke-width": 3 });
    paint.add("path", { d: `M${x - 9} ${top - 4}h18l-9 14z`, fill: paint.colours.coin });
  }
  return top + 68;
}

/** Shapes in the colours of the page; text is only ever text. */
class Paint {
  constructor(colours, font) {
    this.colours = colours;
    this.font = font;
    this.svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    this.ruler = document.createElement("canvas").getContext("2d");
    this.paper = this.add("rect", { width: WIDTH, fill: colours.paper });
  }

  add(name, attributes, text = "") {
    const node = document.createElementNS(this.svg.namespaceURI, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
    node.textContent = text;
    this.svg.append(node);
    return node;
  }

  box(x, y, width, height, role, more = {}) {
    this.add("rect", { x, y, width, height, fill: role === null ? "none" : this.colours[role], ...more });
  }

  line(x1, y1, x2, y2, role, more = {}) {
    this.add("line", { x1, y1, x2, y2, ...this.stroke(role, { "stroke-width": 2, ...more }) });
  }

  stroke(role, more) {
    return { stroke: this.colours[role], ...more };
  }

  words(text, x, y, size, role, weight = "normal", anchor = "start") {
    const look = {
      "font-family": this.font,
      "font-size": size,
      "font-weight": weight,
      "text-anchor": anchor,
    };
    this.add("text", { x, y, fill: this.colours[role], "xml:space": "preserve", ...look }, text);
  }

  measure(text, size) {
    this.ruler.font = `${size}px ${this.font}`;
    return this.ruler.measureText(text).width;
  }

  close(height) {
    this.paper.setAttribute("height", String(height));
    for (const [name, value] of [["width", WIDTH], ["height", height], ["viewBox", `0 0 ${WIDTH} ${height}`]])
      this.svg.setAttribute(String(name), String(value));
    return this.svg;
  }
}

/** The colours of the page as it stands, in light or in dark. */
function coloursOf(node) {
  const probe = el("span", { hidden: true });
  node.append(probe);
  const colours = Object.fromEntries(ROLES.map((role) => {
    probe.style.color = `var(--${role})`;
    return [role, getComputedStyle(probe).color];
  }));
  probe.remove();
  return colours;
}

async function toPng(svg) {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(svg))}`;
  await image.decode();
  const canvas = el("canvas", { width: SCALE * image.width, height: SCALE * image.height });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve));
}

function offer(blob, name) {
  const link = el("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
