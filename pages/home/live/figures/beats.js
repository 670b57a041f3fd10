// One step of the loop in five beats: read, score, cut, draw, append. The first Next is played beat by beat, and
// later ones on wish; whatever else is pressed ends it. It holds no state of the text: the step is answered as
// ever, and only what is shown of it waits.

import { isStill } from "../../../frame/live/motion.js";
import { keepPreference, prefers } from "../controls/preferences.js";
import { pgettext } from "../../../frame/live/words.js";

/** The five words, as keys. @type {BeatName[]} */
export const BEATS = ["read", "score", "cut", "draw", "append"];
/** @type {Record<BeatName, string>} */
export const BEAT_NAMES = {
  read: pgettext("beat", "Read"),
  score: pgettext("beat", "Score"),
  cut: pgettext("beat", "Cut"),
  draw: pgettext("beat", "Draw"),
  append: pgettext("beat", "Append"),
};
export const READ = 1;
export const SCORE = 2;
export const CUT = 3;
export const DRAW = 4;
export const APPEND = 5;
const BEAT_MS = [0, 2000, 2700, 2800, 3000, 1800];
const FAST = 150; // milliseconds between presses that want tokens and no beats, such as a held key's
const LATE = 1000; // milliseconds in which a press for one more beat comes too late, and begins nothing

/** Whether the draw is on the screen: it comes before its last two beats. @param {Pick<View, "beat">} view */
export const isDrawShown = ({ beat }) => beat === 0 || beat >= DRAW;

/** Which beat of a step is shown. */
export class Beats {
  /** 1 to 5 while a step is played slowly, else 0. */
  beat = 0;
  /** Whether every step is played slowly. */
  isSlow = prefers("slow", false);
  /** What the reader guessed, and for which position: it stays marked while that is shown. @type {View["guess"]} */
  guess = null;
  /** Whether a step was played to its end, and nothing was pressed since: its last sentence stays. */
  isTold = false;
  wanted = false;
  timer = 0;
  endedAt = -Infinity;
  pressedAt = -Infinity;

  /** @param {() => void} changed */
  constructor(changed) {
    this.changed = changed;
  }

  /** The stage of the loop that is lit; null while nothing is played. */
  get stage() {
    return this.beat > 0 ? BEATS[this.beat - 1] : null;
  }

  /** Plays every step slowly from now on, or no longer. @param {boolean} isSlow */
  slow(isSlow) {
    this.isSlow = isSlow;
    keepPreference("slow", isSlow);
    this.changed();
  }

  /** The next step is played slowly, whatever else holds. */
  want() {
    this.wanted = true;
  }

  /**
   * A step was pressed: begins to play it, if it is to be; returns whether it is.
   * @param {boolean} isFirst
   * @param {boolean} isPlaying
   */
  begin(isFirst, isPlaying) {
    const isWanted = this.wanted || ((this.isSlow || isFirst) && !isPlaying);
    this.end();
    if (isWanted) this.show(READ);
    return isWanted;
  }

  /** Shows the next beat, or ends. */
  advance = () => {
    if (this.beat > 0 && this.beat < APPEND) return this.show(this.beat + 1);
    const isWhole = this.beat === APPEND;
    this.end();
    this.isTold = isWhole;
    this.endedAt = performance.now();
  };

  /**
   * Next was pressed: goes to the next beat while one is shown; tells whether it did.
   * @param {number} pressed
   */
  takes(pressed) {
    const isFast = pressed - this.pressedAt < FAST;
    this.pressedAt = pressed;
    if (this.beat === 0 || isFast) return false;
    this.advance();
    return true;
  }

  /** Whether the last beat ended a moment ago. */
  hasJustEnded() {
    return performance.now() - this.endedAt < LATE;
  }

  /** Ends what is played: the step stands whole. */
  end() {
    clearTimeout(this.timer);
    this.wanted = this.isTold = false;
    if (this.beat === 0) return;
    this.beat = 0;
    this.changed();
  }

  /** @param {number} beat */
  show(beat) {
    clearTimeout(this.timer);
    this.beat = beat;
    this.timer = setTimeout(this.advance, BEAT_MS[beat] + (isStill() ? 1000 : 0));
    this.changed();
  }

  /** Keeps a guess for as long as its position is shown. @param {Header} header */
  note({ guess, ids }) {
    if (guess) this.guess = { ...guess, position: ids.length };
  }

  /** The guess at a position, if there is one. @param {number} position */
  guessAt(position) {
    return this.guess?.position === position ? this.guess : null;
  }
}
