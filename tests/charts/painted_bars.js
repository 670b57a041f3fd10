// Paints every distribution that the app draws on a blank page, and reads from it what was painted.

import { createTexts } from "/pages/lessons/futures/texts.js";
import { drawBar } from "/pages/lessons/classroom/drawn.js";
import { drawOutcome } from "/pages/lessons/classroom/room.js";

const box = (node) => {
  const { left, right } = node.getBoundingClientRect();
  return [left, right];
};
const middle = (node) => (box(node)[0] + box(node)[1]) / 2;
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const at = (ticks, words) => ticks.filter((tick) => tick.textContent === words).map(middle)[0] ?? null;
const axisOf = (ticks) => [at(ticks, "0\u202f%"), at(ticks, "100\u202f%")];

function section(id, kind) {
  const made = document.createElement("div");
  Object.assign(made, { id, className: kind });
  document.body.append(made);
  return made;
}

/** Paints Plotly's figures, a round's cards, the tokens after two prompts, the likeliest texts, a class's answers and its draw bar. */
export async function paint(figures, cards, cases, probs, width) {
  document.body.replaceChildren();
  document.body.style.width = `${width}px`;
  document.body.className = "ott";
  for (const [name, figure] of Object.entries(figures)) {
    const layout = { ...figure.layout, width };
    await globalThis.Plotly.newPlot(section(name, "plot"), figure.data, layout, { staticPlot: true });
  }
  for (const [id, markup] of Object.entries({ cards, cases })) {
    section(id, "").innerHTML = markup; // escaped where it was made, as st.html is given it
  }
  const texts = createTexts({ select() {} });
  section("texts", "").append(texts.element);
  const best = probs.map((prob, i) => ({ ids: [i], prob }));
  texts.update({ best, runs: [], counts: null, nDraws: 0, chi: null, label: () => "cat", selected: null });
  const share = (prob) => `${100 * prob}\u202f%`;
  const people = ["the class", "prompt"];
  const votes = [2, 1, 0].map((n) => [[n / 3], [`${n} of 3`]]);
  const shares = probs.map((prob) => [[prob, prob / 2], [share(prob), share(prob / 2)]]);
  for (const [id, series, rows] of [["votes", [people], votes], ["shares", [people, people], shares]]) {
    const bars = rows.map(([values, texts], i) => (
      { label: `word ${i}`, values, texts, is_marked: i === 1, is_rest: i === 2 }
    ));
    drawOutcome(section(id, "outcome"), { series, bars, dots: null, words: "" });
  }
  drawBar(section("draw", "draw"), { shares: probs, options: probs.map(String), has_rest: false }, [probs[0]]);
}

/** Of every bar: the axis that it stands on, from where to where it goes, and the number beside it. */
export function measure(probs) {
  return [...plotted(), ...cards(), ...nextTokens(), ...texts(), ...answers(), ...drawBarOf(probs)];
}

function plotted() {
  return all(".plot .barlayer .points").flatMap((points) => {
    const { trace } = points.__data__[0];
    const plot = points.closest(".plot");
    const axis = axisOf(all(`.${trace.xaxis ?? "x"}tick text`, plot));
    return all(".point", points).map((point) => {
      const [bar, number] = ["path", "text"].map((kind) => point.querySelector(kind));
      return { what: plot.id, axis, bar: bar && box(bar), number: number?.textContent ?? "" };
    });
  });
}

function cards() {
  return all("#cards .bar").map((bar) => {
    const { gridTemplateColumns, columnGap } = getComputedStyle(bar);
    const [before, wide] = gridTemplateColumns.split(" ").map(parseFloat);
    const left = box(bar)[0] + before + parseFloat(columnGap);
    const test = bar.parentElement.querySelector(".track"); // has the axis of the bars
    const number = bar.lastChild.textContent;
    return {
      what: "card",
      axis: [left, left + wide],
      bar: box(bar.children[1]),
      number,
      beside: test && box(test),
    };
  });
}

function nextTokens() {
  return all("#cases .next-bar").map((bar) => {
    const axis = axisOf(all(".next-axis small", bar.parentElement));
    return { what: "next", axis, bar: box(bar.children[1].firstChild), number: bar.lastChild.textContent };
  });
}

function texts() {
  const axis = axisOf(all("#texts .texts-axis small"));
  return all("#texts tbody:first-of-type tr").map((row) => {
    const number = row.querySelector(".texts-number").textContent;
    return { what: "text", axis, bar: box(row.querySelector(".texts-bar")), number };
  });
}

function answers() {
  return all(".outcome").flatMap((place) => {
    const ticks = all(".axis > span", place);
    const axis = [middle(ticks[0]), middle(ticks.at(-1))];
    return all(".bar", place).map(({ firstChild, lastChild }) => (
      { what: place.id, axis, bar: firstChild.hidden ? null : box(firstChild), number: lastChild.textContent }
    ));
  });
}

/** The segments as bars that begin where those before end, and the pointer as the end of the first. */
function drawBarOf(probs) {
  const [start, end] = box(document.querySelector("#draw"));
  let from = 0;
  const laid = all("#draw span").map((segment, i) => {
    const axis = [start, end].map((edge) => edge + from * (end - start));
    from += probs[i];
    return { what: "draw", axis, bar: box(segment), number: `${100 * probs[i]}\u202f%` };
  });
  const pointer = middle(document.querySelector("#draw b"));
  return [...laid, { ...laid[0], what: "pointer", bar: [start, pointer] }];
}
