// The step that was just pressed: what it was drawn from, shown for a moment, or until the next press.

import { isStill } from "../../frame/live/motion.js";
import { keepPreference, prefers } from "./controls/preferences.js";

const LIT_MS = 250;
const MAX_STEPS = 16; // presses that one frame may have to catch up with

/** What the end of the text was drawn from, and whether it is shown in place of what comes next. */
export class FinishedStep {
  /** Null before the first. @type {DrawnStep|null} */
  drawn = null;
  /** The last ones of this text: presses may be faster than frames. @type {DrawnStep[]} */
  steps = [];
  /** Whether it stays until the next press: so one sees where the pointer fell. */
  isHeld = prefers("hold", true);
  /** How long it is lit from the frame that shows it first, in milliseconds. */
  duration = 0;
  timer = 0; // 0 before that frame

  /** @param {() => void} changed */
  constructor(changed) {
    this.changed = changed;
  }

  /**
   * Keeps a finished step on the screen until the next press from now on, or no longer.
   * @param {boolean} isHeld
   */
  hold(isHeld) {
    this.isHeld = isHeld;
    keepPreference("hold", isHeld);
    this.cutShort();
  }

  /**
   * Remembers what a press draws from, and lights it; one that is played slowly as long as that takes.
   * @param {DrawnStep} drawn
   * @param {boolean} isPlaying
   * @param {boolean} isSlow
   */
  light(drawn, isPlaying, isSlow) {
    this.cutShort();
    this.drawn = drawn;
    this.steps = [...this.steps, drawn].slice(-MAX_STEPS);
    if (this.isHeld || isSlow) this.duration = Infinity;
    else if (!isPlaying && !isStill()) this.duration = LIT_MS;
  }

  /**
   * When the text has ended no distribution follows: the bars keep the one its end was drawn from.
   * @param {Header} header
   * @param {Distribution|null} distribution
   */
  follow({ finished, ids, memory, inspect }, distribution) {
    const position = ids.length - 1;
    if (finished && this.drawn?.position !== position)
      this.drawn = {
        distribution,
        position,
        pointer: null,
        memory: inspect?.memory ?? memory,
        settings: null,
      };
  }

  /** Puts the light out: something else was pressed. */
  cutShort() {
    clearTimeout(this.timer);
    this.timer = this.duration = 0;
  }

  /**
   * Whether a frame shows it, when the text ends there; the first such frame starts its clock.
   * @param {number} position
   */
  isLitAt(position) {
    if (this.drawn?.position !== position) return false;
    if (this.duration === LIT_MS && this.timer === 0) this.timer = setTimeout(this.goOut, LIT_MS);
    return this.duration > 0;
  }

  goOut = () => {
    this.cutShort();
    this.changed();
  };
}
