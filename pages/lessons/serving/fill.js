// Lanes that fill while one watches: the figure is uncovered from left to right, each lane at the moment at
// which it was measured; lanes that were seen before stay. It begins once it is in view; a press shows all at once, another one starts again.
// Once all was seen, the page's root says so: a verdict waits for it.

import { createButton, setText } from "../../frame/live/dom.js";
import { move, rest } from "../../frame/live/motion.js";
import { mountOnce } from "../../frame/live/stale_updates.js";

/**
 * What is uncovered: all above a height, and below it what stands left of a line.
 * @param {number} still share of the height
 * @param {number} across share of the width
 */
function uncovered(still, across) {
  const [y, x] = [still, across].map((share) => `${100 * share}%`);
  return { clipPath: `polygon(0 0, 100% 0, 100% ${y}, ${x} ${y}, ${x} 100%, 0 100%)` };
}

class Fill {
  frame = 0; // that is asked for
  run = ""; // that was shown last
  /** The lanes that fill at the moment. @type {Element|null} */
  moving = null;

  data = { key: "", box: "", milliseconds: 0, still: 0 }; // what Python said last

  /** @param {ShadowRoot} place */
  constructor(place) {
    this.button = createButton("again", "Watch again", () => this.moving ? this.end() : this.start());
    this.watching = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      this.watching.disconnect();
      this.start();
    });
    place.append(this.button);
  }

  /** @param {Component<{ key: string, box: string, run: string, milliseconds: number, still: number }>} component */
  receive({ data }) {
    this.data = data;
    if (data.run === this.run) return;
    this.run = data.run;
    this.end();
    this.say(false);
    this.watching.observe(document.querySelector(`.st-key-${data.box}`) ?? this.button);
  }

  start() {
    cancelAnimationFrame(this.frame);
    const lanes = document.querySelector(`.st-key-${this.data.box} .cartesianlayer .scatterlayer`);
    const isThere = lanes && getComputedStyle(lanes).visibility !== "hidden"; // a lesson may cover it
    if (!isThere) return this.frame = requestAnimationFrame(() => this.start());
    const { milliseconds, still } = this.data;
    const frames = [uncovered(still, 0), uncovered(still, 1)];
    const motion = move(lanes, frames, { duration: milliseconds, easing: "linear" });
    if (!motion) return this.say(true);
    this.moving = lanes;
    motion.onfinish = () => this.end();
    setText(this.button, "Show all");
  }

  end() {
    cancelAnimationFrame(this.frame);
    if (this.moving) {
      rest(this.moving);
      this.say(true);
    }
    this.moving = null;
    setText(this.button, "Watch again");
  }

  /** @param {boolean} isShown */
  say(isShown) {
    document.documentElement.toggleAttribute(`data-shown-${this.data.key}`, isShown);
  }

  close() {
    this.watching.disconnect();
    this.end();
    this.say(false);
  }
}

export default mountOnce(Fill);
