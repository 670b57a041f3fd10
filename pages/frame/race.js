// Lanes on one clock: bars that fill, tokens that come, as they were measured, at another pace.

import { createButton, el, setText } from "./live/dom.js";
import { last } from "./live/required.js";
import { mountOnce } from "./live/stale_updates.js";
import { grouped } from "./live/words.js";

const THIN = "\u202f";

/**
 * Seconds with as many decimals as a clock needs that runs for so long.
 * @param {number} seconds
 * @param {number} longest
 */
const clockText = (seconds, longest) => `${seconds.toFixed(longest < 1 ? 3 : 2)}${THIN}s`;

/** How many of some sorted moments have passed. @param {number[]} moments @param {number} now */
const countUntil = (moments, now) => {
  const place = moments.findIndex((moment) => moment > now);
  return place === -1 ? moments.length : place;
};

/**
 * The tokens that came together, such as those of one pass: when, and how many.
 * @param {number[]} arrivals
 */
function blocksOf(arrivals) {
  /** @type {{ at: number, n: number }[]} */
  const blocks = [];
  for (const at of arrivals) {
    const before = blocks.at(-1);
    if (before?.at === at) before.n += 1;
    else blocks.push({ at, n: 1 });
  }
  return blocks;
}

/** @param {[string, string, number]} piece */
const piece = ([words, role]) =>
  el(role === "rejected" ? "s" : "span", { class: `piece is-${role}`, textContent: words });

/** @param {RaceLane} lane */
function legend({ legend }) {
  if (legend.length === 0) return null;
  return el("div", { class: "legend" }, ...legend.map(([words, role]) => piece([words, role, 0])));
}

class Lane {
  /** @param {RaceLane} lane @param {number} longest @param {number} first @param {RaceData} data */
  constructor(lane, longest, first, { waits, byTokens, firstDone }) {
    this.lane = lane;
    this.longest = longest; // seconds of the last lane to end
    this.first = first; // and of the first: what comes later is pale
    this.blocks = byTokens ? blocksOf(lane.arrivals) : [];
    this.clock = el("span", { class: "clock" });
    this.count = el("span", { class: "count" });
    const wait = waits ? el("span", { class: "wait" }, "runs once you have answered") : null;
    const roles = byTokens ? this.blocks.map(() => "block") : lane.parts.map(([, role]) => role);
    this.fills = roles.map((role) => el("span", { class: `fill is-${role}` }));
    this.blocks.forEach(({ n }, i) => this.fills[i].style.flexGrow = `${n}`);
    this.text = el("p", { class: "text" });
    // as high as it will be, so that nothing below moves
    const whole = el(
      "p",
      { class: "text is-whole", textContent: lane.texts.at(-1) ?? "" },
      ...lane.pieces.map(piece),
    );
    whole.ariaHidden = "true";
    this.pieces = lane.pieces.map(piece);
    this.text.append(...this.pieces);
    this.waits = waits;
    this.isLater = last(lane.parts)[0] > first; // a sum of gaps may end later
    this.mark = firstDone && byTokens && this.isLater ? this.markAt(firstDone) : null;
    this.note = lane.block || this.mark
      ? el("div", { class: "note", textContent: lane.block || "\u00a0" })
      : null;
    this.node = el(
      "div",
      { class: "lane" },
      el("strong", { textContent: lane.name }),
      el("div", { class: "track" }, wait, ...this.fills, this.mark),
      el("div", { class: "numbers" }, this.clock, this.count),
      this.note,
      lane.texts.length + lane.pieces.length > 0
        ? el("div", { class: "words" }, whole, this.text, legend(lane))
        : null,
    );
  }

  /** Marks where the bar had come to when another lane was done. @param {string} words */
  markAt(words) {
    const nThere = countUntil(this.lane.arrivals, this.first);
    const share = nThere / this.lane.arrivals.length;
    const told = el("span", { class: share > 0.6 ? "is-before" : "", textContent: words });
    const mark = el("span", { class: "mark" }, told);
    mark.style.left = `${100 * share}%`;
    return mark;
  }

  /** Shows the lane as it was after so many seconds. @param {number} now */
  show(now) {
    const { parts, arrivals, texts } = this.lane;
    const [end] = last(parts);
    const isOver = now >= end;
    const n = isOver ? arrivals.length : countUntil(arrivals, now); // a sum of gaps may end later
    if (this.blocks.length > 0) this.showBlocks(isOver ? Infinity : now);
    else this.showParts(now);
    // one unit on all clocks; where a bar is no time, its seconds say nothing before its end
    const seconds = clockText(Math.min(now, end), this.longest);
    const { note } = this.lane;
    const count = `${grouped(n)} of ${grouped(arrivals.length)}`;
    const isTime = this.blocks.length === 0 || (isOver && !note);
    setText(this.clock, isTime ? seconds : isOver ? note : count);
    this.clock.classList.toggle("is-over", isOver);
    const tokens = isOver ? `${grouped(n)} tokens, ${seconds}` : "tokens";
    setText(this.count, isTime ? `${count} tokens` : tokens);
    if (this.pieces.length === 0) setText(this.text, texts[n] ?? "");
    this.pieces.forEach((one, i) => one.hidden = this.lane.pieces[i][2] > n);
    this.mark?.classList.toggle("is-there", now >= this.first);
  }

  /** @param {number} now */
  showBlocks(now) {
    this.blocks.forEach(({ at }, i) => {
      this.fills[i].classList.toggle("is-there", at <= now);
      this.fills[i].classList.toggle("is-late", this.isLater && at > this.first);
    });
  }

  /** @param {number} now */
  showParts(now) {
    this.lane.parts.forEach(([until], i) => {
      const begin = i > 0 ? this.lane.parts[i - 1][0] : 0;
      const share = Math.max(0, Math.min(now, until) - begin) / this.longest;
      this.fills[i].style.width = `${100 * share}%`;
    });
  }
}

class Race {
  key = "";
  told = ""; // what was drawn last
  slower = 1;
  /** @type {Lane[]} */
  lanes = [];
  longest = 0; // seconds of the last lane to end
  frame = 0; // that is asked for
  isOver = false; // whether all lanes are at their end

  /** @param {ShadowRoot} place */
  constructor(place) {
    this.box = el("div", { class: "race" });
    this.again = createButton("again", "Watch again", () => this.isOver ? this.start() : this.end());
    this.pace = el("span", { class: "pace" });
    this.below = el("div", { class: "below" }, this.again, this.pace);
    place.append(this.box);
  }

  /** @param {Component<RaceData>} given */
  receive({ data }) {
    this.box.toggleAttribute("data-presenter", data.presenter);
    const told = JSON.stringify([data.lanes, data.waits, data.byTokens, data.firstDone]);
    if (told === this.told) return;
    this.told = told;
    this.key = data.key;
    this.slower = data.slower;
    const ends = data.lanes.map((lane) => last(lane.parts)[0]);
    this.longest = Math.max(...ends);
    this.lanes = data.lanes.map((lane) => new Lane(lane, this.longest, Math.min(...ends), data));
    const axis = data.byTokens ? [] : [this.axis()];
    this.box.replaceChildren(...this.lanes.map(({ node }) => node), ...axis, this.below);
    setText(this.pace, data.pace);
    this.below.classList.toggle("is-waiting", data.waits); // it keeps its room
    this.box.toggleAttribute("data-marked", data.lanes.some(({ legend }) => legend.length > 0));
    this.say(false);
    if (data.waits) this.show(0);
    else if (matchMedia("(prefers-reduced-motion: reduce)").matches) this.show(this.longest);
    else this.start();
  }

  /** The seconds below the bars, which are as long as their time. */
  axis() {
    const end = clockText(this.longest, this.longest);
    return el("div", { class: "axis" }, el("span", {}, `0${THIN}s`), el("span", {}, end));
  }

  start() {
    cancelAnimationFrame(this.frame);
    let began = performance.now();
    /** @param {number} now */
    const tick = (now) => {
      if (getComputedStyle(this.box).visibility === "hidden") began = now; // a guided lesson covers it
      const passed = Math.max(0, now - began) / 1000 / this.slower;
      this.show(Math.min(passed, this.longest));
      if (passed < this.longest) this.frame = requestAnimationFrame(tick);
    };
    tick(began);
  }

  /** Shows all that is still to come. */
  end() {
    cancelAnimationFrame(this.frame);
    this.show(this.longest);
  }

  /** @param {number} now */
  show(now) {
    for (const lane of this.lanes) lane.show(now);
    this.isOver = now >= this.longest;
    setText(this.again, this.isOver ? "Watch again" : "Show all");
    this.box.toggleAttribute("data-over", this.isOver);
    if (this.isOver) this.say(true);
  }

  /** Says on the page's root whether it was seen to its end: a verdict waits for it. @param {boolean} isShown */
  say(isShown) {
    document.documentElement.toggleAttribute(`data-shown-${this.key}`, isShown);
  }

  close() {
    this.say(false);
    cancelAnimationFrame(this.frame);
  }
}

export default mountOnce(Race);
