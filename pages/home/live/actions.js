// What the person can do, one small verb each, and what the hand holds meanwhile. A verb changes what the hand
// holds, tells the session, and leaves the drawing to the next frame.

import { isFirstVisit } from "./controls/preferences.js";
import { sameControls } from "./controls.js";
import { required } from "../../frame/live/required.js";
import { beginTiming } from "./timings.js";

/** What the hand holds: ahead of the session while something is moved or looked at. */
export class Hand {
  /** @type {Controls|null} */
  #controls = null;
  isDragging = false;
  /** The past position that is looked at. @type {number|null} */
  inspecting = null;
  isWhatIf = false; // a slider was moved while looking at the past, or at a step that is held
  isRevealed = false; // in predict mode: the bars of this position may show
  isFirstGuess = isFirstVisit(); // the first question of a newcomer, until a token is written
  isAnswered = false; // that question, be it by "Just reveal"
  isPeeking = false; // the pointer of the next position is shown before the draw

  /** Sliders and switches; ahead of the session's while they are moved. @returns {Controls} */
  get controls() {
    return required(this.#controls, "text yet");
  }

  set controls(controls) {
    this.#controls = controls;
  }

  get hasControls() {
    return this.#controls !== null;
  }

  /** A step leaves what was looked at. */
  goOn() {
    this.inspecting = null;
    this.isFirstGuess = this.isWhatIf = false;
  }

  /**
   * Takes over what it is not holding just now.
   * @param {Header} header
   * @param {Header|null} before
   * @param {string} kind of the event that was answered
   * @param {boolean} isIdle whether nothing else was pressed
   */
  adopt(header, before, kind, isIdle) {
    const isHeld = this.isDragging || !isIdle;
    if (this.#controls === null || (!isHeld && !sameControls(this.#controls, header.controls)))
      this.#controls = header.controls;
    if (before === null || kind === "inspect") {
      const isEnd = header.finished && header.inspect?.position === header.ids.length - 1;
      this.inspecting = header.inspect && !isEnd ? header.inspect.position : null;
      this.isWhatIf = false;
    }
    if (header.guess) this.isRevealed = true;
    else if (before?.ids.length !== header.ids.length) this.isRevealed = false;
  }
}

/** Makes the verbs of one Live: its parts call nothing else. @param {import("./live.js").Live} live */
export function createActions(live) {
  const { hand, player, queue } = live;
  /** @param {string} kind @param {EventFields} [fields] @param {number} [pressed] when, if that is timed */
  const tell = (kind, fields = {}, pressed) => {
    if (!["guess", "next"].includes(kind)) live.beats.end();
    if (kind !== "settings" || !hand.isWhatIf) live.finished.cutShort();
    if (kind !== "settings" && hand.inspecting === null) hand.isWhatIf = false;
    const timing = pressed === undefined ? {} : { timing: beginTiming(kind, pressed) };
    queue.push({ kind, ...fields, ...timing });
    live.frames.schedule();
  };
  const refusesNext = () => !live.isOpen || live.reasonAgainstNext !== null;
  /** Whether a finished step is shown until the next press: a token of its bars takes the place of its own. */
  const isHeld = () => live.finished.isHeld && live.isLit;
  const takeTypedPrompt = () => {
    if (live.layout.prompt.isChanged) tell("prompt", { text: live.layout.prompt.text });
  };
  /** @param {string} kind @param {EventFields} [fields] */
  const fromThePast = (kind, fields) => {
    player.pause();
    hand.inspecting = null;
    tell(kind, fields);
  };
  /** @param {string} kind @param {EventFields} [fields] */
  const anew = (kind, fields) => {
    live.stop();
    fromThePast(kind, fields);
  };
  /** @param {Partial<Controls>} changes @param {boolean} isFinal */
  const changeControls = (changes, isFinal) => {
    const isHeldStep = isHeld();
    live.beats.end();
    if (!isHeldStep) live.finished.cutShort(); // else the pointer stays where it fell until the next press
    hand.controls = { ...hand.controls, ...changes };
    hand.isDragging = !isFinal;
    hand.isWhatIf = hand.inspecting !== null || isHeldStep;
    const timing = beginTiming(isFinal ? "setting" : "drag", performance.now());
    live.frames.schedule("all", [timing, "painted_distribution"]);
    if (isFinal) tell("settings");
  };

  const actions = {
    /** @param {number} pressed */
    next(pressed) {
      if (live.beats.takes(pressed)) return; // an impatient press misses no beat
      if (live.isOpen && refusesNext()) return; // before the first answer a press waits behind it
      takeTypedPrompt();
      tell("next", {}, pressed);
    },
    /** Presses Next and plays that step slowly. @param {number} pressed */
    nextSlowly(pressed) {
      if (live.beats.beat === 0) live.beats.want();
      actions.next(pressed);
    },
    /** Plays every step slowly, or no longer. @param {boolean} isSlow */
    slow: (isSlow) => live.beats.slow(isSlow),
    /**
     * While a step is played slowly: goes to its next beat, or ends it; else tells that none is or just was.
     * @param {boolean} isEnd
     */
    beat(isEnd) {
      if (live.beats.beat === 0) return !isEnd && live.beats.hasJustEnded();
      if (isEnd) live.beats.end();
      else live.beats.advance();
      return true;
    },
    /** @param {number} id @param {number|null} at where the draw bar was pressed */
    force(id, at = null) {
      if (hand.inspecting !== null) actions.branch(hand.inspecting);
      else if (live.header.finished || isHeld()) actions.rewind(live.header.ids.length - 1);
      player.pause();
      tell("force", { token_id: id, at }, performance.now());
    },
    /**
     * Takes what a place of the draw bar hits. The bar of a step that is looked at or held is that step's own; else
     * the press is one on the bar of the next token, which may come later than it: then it waits for that bar.
     * @param {number} at from 0 to 1
     * @param {number|undefined} id what the bar that is seen has there
     */
    press(at, id) {
      const isOwn = hand.inspecting !== null || live.header.finished !== null || isHeld();
      if (isOwn && id !== undefined) return actions.force(id, at);
      player.pause();
      if (!isOwn) tell("force", { at }, performance.now());
    },
    back() {
      player.pause();
      tell("back", {}, performance.now());
    },
    /** Takes the last press back. */
    undo() {
      player.pause();
      hand.inspecting = null;
      tell("undo", {}, performance.now());
    },
    play() {
      if (refusesNext()) return;
      player.play();
      if (!live.isBusy()) player.beat();
    },
    /** Stops at once: what was pressed and not sent is dropped, what was sent is finished. */
    pause() {
      player.pause();
      queue.drop("next");
      live.dim();
      live.planSettle();
    },
    togglePlay() {
      if (player.isPlaying) actions.pause();
      else actions.play();
    },
    /** @param {number} speed */
    setSpeed(speed) {
      player.speed = speed;
      if (!live.isBusy()) player.beat();
      live.frames.schedule();
    },
    /** @param {number} count */
    finish(count) {
      if (refusesNext()) return;
      takeTypedPrompt();
      fromThePast("finish", { count });
    },
    reset: () => anew("reset"),
    /** @param {string} text */
    prompt: (text) => anew("prompt", { text }),
    /** @param {string} text */
    tokenise: (text) => tell("tokenise", { text }),
    /** @param {number} position */
    rewind: (position) => fromThePast("rewind", { position }),
    /** @param {number} position */
    branch: (position) => fromThePast("branch", { position }),
    /** @param {number} id */
    switchBranch: (id) => fromThePast("switch", { id }),
    /** Looks at a past position; null leaves the past, at once. @param {number|null} position */
    inspect(position) {
      if (position === null && hand.inspecting === null) return;
      hand.isWhatIf = false;
      if (position === null) fromThePast("inspect", { position });
      else tell("inspect", { position });
    },
    /** @param {string} name @param {number|string} value @param {boolean} isFinal */
    setControl: (name, value, isFinal) => changeControls({ [name]: value }, isFinal),
    /** Sets the strings that end a text, one a line. @param {string} text */
    stopAt: (text) => fromThePast("stop", { text }),
    /** Moves several at once, as the map's point does. */
    setControls: changeControls,
    /** @param {string} name @param {boolean} isUsed */
    setUse(name, isUsed) {
      if (name === "greedy") return changeControls({ greedy: isUsed }, true);
      const others = hand.controls.use.filter((used) => used !== name);
      if (!isUsed) return changeControls({ use: others }, true);
      // a mask that is ticked ends greedy, beside which it would do nothing
      return changeControls({ use: [...others, name], greedy: false }, true);
    },
    /** Shows the pointer of the next position before it falls, or no longer. @param {boolean} isPeeking */
    peek(isPeeking) {
      hand.isPeeking = isPeeking;
      live.frames.schedule();
    },
    /** Keeps a finished step on the screen until the next press, or no longer. @param {boolean} isHolding */
    hold(isHolding) {
      live.finished.hold(isHolding);
      live.frames.schedule();
    },
    /** @param {string} text */
    guess: (text) => tell("guess", { text }),
    /**
     * Follows a word from the position that is shown on, or a token by its id; an empty one no longer.
     * @param {string} text
     * @param {number} position
     * @param {number|null} id
     */
    askWord(text, position, id = null) {
      queue.push({ kind: "word", text, position, token_id: id });
      live.frames.schedule();
    },
    reveal() {
      hand.isRevealed = hand.isAnswered = true;
      live.frames.schedule();
    },
    /** The prompt box has changed, and with it what can be pressed. */
    typed: () => live.frames.schedule(),
    isBusy: () => live.isBusy(),
    /** Tries again at once, or waits no longer for what was pressed. */
    retry: () => live.session.retry?.(),
    cancel: () => live.cancel(),
  };
  return actions;
}
