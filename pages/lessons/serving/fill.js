// Lanes that fill while one watches: the figure is uncovered from left to right, each lane at the moment at
// which it was measured. It begins once it is in view; a press shows all at once, another one starts again.

import { createButton, setText } from "../../frame/live/dom.js";
import { move, rest } from "../../frame/live/motion.js";
import { mountOnce } from "../../frame/live/stale_updates.js";

const FROM = { clipPath: "inset(0 100% 0 0)" }, TO = { clipPath: "inset(0)" };

class Fill {
  frame = 0; // that is asked for
  run = ""; // that was shown last
  /** The lanes that fill at the moment. @type {Element|null} */
  moving = null;

  data = { box: "", milliseconds: 0 }; // what Python said last

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

  /** @param {Component<{ box: string, run: string, milliseconds: number }>} component */
  receive({ data }) {
    this.data = data;
    if (data.run === this.run) return;
    this.run = data.run;
    this.end();
    this.watching.observe(document.querySelector(`.st-key-${data.box}`) ?? this.button);
  }

  start() {
    cancelAnimationFrame(this.frame);
    const lanes = document.querySelector(`.st-key-${this.data.box} .cartesianlayer .scatterlayer`);
    const isThere = lanes && getComputedStyle(lanes).visibility !== "hidden"; // a lesson may cover it
    if (!isThere) return this.frame = requestAnimationFrame(() => this.start());
    const motion = move(lanes, [FROM, TO], { duration: this.data.milliseconds, easing: "linear" });
    if (!motion) return;
    this.moving = lanes;
    motion.onfinish = () => this.end();
    setText(this.button, "Show all");
  }

  end() {
    cancelAnimationFrame(this.frame);
    if (this.moving) rest(this.moving);
    this.moving = null;
    setText(this.button, "Watch again");
  }

  close() {
    this.watching.disconnect();
    this.end();
  }
}

export default mountOnce(Fill);
