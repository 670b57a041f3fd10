// Play presses Next again and again, each time after the distribution before it has been painted:
// a slow model slows the presses and nothing piles up. A press that came a little late is made up for
// by those behind it. Stages light the loop one after another.

import { isStill } from "../../../frame/live/motion.js";

const MAX_PACED_SPEED = 2;
const MAX_CATCH_UP_MS = 300;
const FLASH_MS = 70;

/** The fractions of one beat at which the stages light, when they are paced for the eye. */
const PACE = { draw: 0, append: 0.22, read: 0.4, score: 0.6, cut: 0.8 };

/** Plans the presses of Play. */
export class Player {
  /** @param {{press: () => void, changed: () => void}} hooks */
  constructor({ press, changed }) {
    this.press = press;
    this.changed = changed;
    this.isPlaying = false;
    this.speed = 5;
    this.lastDue = 0; // when the last press should have been
    this.timer = 0;
  }

  /** Milliseconds from one press to the next. */
  get interval() {
    return 1000 / this.speed;
  }

  /** Whether tokens come slowly enough to show the stages of each one after another. */
  get isPaced() {
    return this.isPlaying && this.speed <= MAX_PACED_SPEED;
  }

  play() {
    this.isPlaying = true;
    this.lastDue = performance.now() - this.interval;
    this.changed();
  }

  pause() {
    clearTimeout(this.timer);
    if (!this.isPlaying) return;
    this.isPlaying = false;
    this.changed();
  }

  /** Plans the next press; called when a distribution has been painted and nothing waits. */
  beat() {
    clearTimeout(this.timer);
    if (!this.isPlaying) return;
    const due = Math.max(performance.now() - MAX_CATCH_UP_MS, this.lastDue + this.interval);
    const press = () => {
      this.lastDue = due;
      this.press();
    };
    if (due <= performance.now()) press();
    else this.timer = setTimeout(press, due - performance.now());
  }
}

/** Lights the stages of the loop in turn. */
export class StageLight {
  /** @param {() => void} changed */
  constructor(changed) {
    this.changed = changed;
    /** @type {StageOfLoop} */
    this.stage = "idle";
    /** @type {number[]} */
    this.timers = [];
  }

  /**
   * Lights the stages from a press until its answer comes.
   * @param {number|null} beat milliseconds to pace them over; null when nothing is paced
   * @param {boolean} isPlaying a run too fast to be paced keeps one light: no flicker
   */
  pressed(beat, isPlaying) {
    if (beat !== null)
      this.sequence([["draw", PACE.draw * beat], ["append", PACE.append * beat], ["read", PACE.read * beat]]);
    else if (isPlaying || isStill()) this.hold("read");
    else
      this.sequence([["draw", 0], ["append", FLASH_MS], ["read", 2 * FLASH_MS]]);
  }

  /**
   * Lights the stages from the answer until the loop rests.
   * @param {number|null} beat
   * @param {boolean} isPlaying
   */
  answered(beat, isPlaying) {
    if (beat === null && isPlaying) return;
    if (beat === null && isStill()) return this.rest();
    const step = beat === null ? FLASH_MS : (PACE.cut - PACE.score) * beat;
    this.sequence([["score", 0], ["cut", step], ["idle", 2 * step]]);
  }

  /** Milliseconds after a press at which a paced answer is shown. @param {number} beat */
  static holdOf(beat) {
    return PACE.score * beat;
  }

  /** Keeps one stage lit. @param {StageOfLoop} stage */
  hold(stage) {
    this.sequence([[stage, 0]]);
  }

  /** Puts the light out. */
  rest() {
    this.hold("idle");
  }

  /** @param {[StageOfLoop, number][]} steps */
  sequence(steps) {
    this.timers.forEach(clearTimeout);
    /** @param {StageOfLoop} stage */
    const light = (stage) => {
      this.stage = stage;
      this.changed();
    };
    const [first, ...later] = steps;
    if (first[0] !== this.stage) light(first[0]);
    this.timers = later.map(([stage, delay]) => setTimeout(light, delay, stage));
  }
}
