// Lanes on one clock: bars that fill, tokens that come, as they were measured, at another pace.

import { createButton, el, setText } from "./live/dom.js";
import { last } from "./live/required.js";
import { mountOnce } from "./live/stale_updates.js";

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

class Lane {
  /** @param {RaceLane} lane @param {number} longest @param {RaceData} data */
  constructor(lane, longest, { waits, byTokens }) {
    this.lane = lane;
    this.longest = longest;
    this.byTokens = byTokens;
    this.clock = el("span", { class: "clock" });
    this.count = el("span", { class: "count" });
    const wait = waits ? el("span", { class: "wait" }, "runs once you have answered") : null;
    this.fills = (byTokens ? lane.parts.slice(-1) : lane.parts).map(([, role]) =>
      el("span", { class: `fill is-${role}` })
    );
    this.text = el("p", { class: "text" });
    // as high as it will be, so that nothing below moves
    const whole = el("p", { class: "text is-whole", textContent: lane.texts.at(-1) ?? "" });
    whole.ariaHidden = "true";
    this.node = el(
      "div",
      { class: "lane" },
      el("strong", { textContent: lane.name }),
      el("div", { class: "track" }, wait, ...this.fills),
      el("div", { class: "numbers" }, this.clock, this.count),
      lane.texts.length > 0 ? el("div", { class: "words" }, whole, this.text) : null,
    );
  }

  /** Shows the lane as it was after so many seconds. @param {number} now */
  show(now) {
    const { parts, arrivals, texts } = this.lane;
    const [end] = last(parts);
    const isOver = now >= end;
    const n = isOver ? arrivals.length : countUntil(arrivals, now); // a sum of gaps may end later
    const widths = this.byTokens ? [n / arrivals.length] : parts.map(([until], i) => {
      const begin = i > 0 ? parts[i - 1][0] : 0;
      return Math.max(0, Math.min(now, until) - begin) / this.longest;
    });
    widths.forEach((share, i) => this.fills[i].style.width = `${100 * share}%`);
    setText(this.clock, clockText(Math.min(now, end), this.longest)); // one unit on all clocks
    this.clock.classList.toggle("is-over", isOver);
    setText(this.count, `${n} of ${arrivals.length} tokens`);
    setText(this.text, texts[n] ?? "");
  }
}

class Race {
  told = ""; // what was drawn last
  slower = 1;
  /** @type {Lane[]} */
  lanes = [];
  longest = 0; // seconds of the last lane to end
  frame = 0; // that is asked for

  /** @param {ShadowRoot} place */
  constructor(place) {
    this.box = el("div", { class: "race" });
    this.again = createButton("again", "Watch again", () => this.start());
    place.append(this.box);
  }

  /** @param {Component<RaceData>} given */
  receive({ data }) {
    this.box.toggleAttribute("data-presenter", data.presenter);
    const told = JSON.stringify([data.lanes, data.waits, data.byTokens]);
    if (told === this.told) return;
    this.told = told;
    this.slower = data.slower;
    this.longest = Math.max(...data.lanes.map((lane) => last(lane.parts)[0]));
    this.lanes = data.lanes.map((lane) => new Lane(lane, this.longest, data));
    this.box.replaceChildren(...this.lanes.map(({ node }) => node), this.again);
    this.again.hidden = data.waits;
    if (data.waits) this.show(0);
    else if (matchMedia("(prefers-reduced-motion: reduce)").matches) this.show(this.longest);
    else this.start();
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

  /** @param {number} now */
  show(now) {
    for (const lane of this.lanes) lane.show(now);
  }

  close() {
    cancelAnimationFrame(this.frame);
  }
}

export default mountOnce(Race);
