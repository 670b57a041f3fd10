// What the person can do, one small verb each. Every verb changes what the page holds, tells Python,
// and leaves the drawing to the next frame.

import { beginTiming } from "./timings.js";

/** Makes the verbs of one Live: its parts call nothing else. @param {import("./live.js").Live} live */
export function createActions(live) {
  const { player, queue } = live;
  /** @param {string} kind */
  const tell = (kind, fields = {}) => {
    if (!["guess", "next"].includes(kind)) live.beats.end();
    live.finished.cutShort();
    queue.push({ kind, ...fields });
    live.schedule();
  };
  /** @param {string} kind @param {number} pressed */
  const press = (kind, pressed, fields = {}) => tell(kind, { ...fields, timing: beginTiming(kind, pressed) });
  const refusesNext = () => !live.isOpen || live.reasonAgainstNext !== null;
  /** Whether a finished step is shown until the next press: a token of its bars takes the place of its own. */
  const isHeld = () => live.finished.isHeld && live.isLit;
  const takeTypedPrompt = () => {
    if (live.layout.prompt.isChanged) tell("prompt", { text: live.layout.prompt.text });
  };
  /** @param {string} kind @param {EventFields} [fields] */
  const fromThePast = (kind, fields) => {
    player.pause();
    live.inspecting = null;
    tell(kind, fields);
  };
  /** @param {string} kind @param {EventFields} [fields] */
  const anew = (kind, fields) => {
    live.stop();
    fromThePast(kind, fields);
  };
  /** @param {Partial<Controls>} changes @param {boolean} isFinal */
  const changeControls = (changes, isFinal) => {
    const isHeldStep = isHeld() && live.beats.beat === 0;
    live.beats.end();
    if (isFinal || !isHeldStep) live.finished.cutShort(); // under the hand the pointer stays where it fell
    live.controls = { ...live.controls, ...changes };
    live.isDragging = !isFinal;
    live.isWhatIf = live.inspecting !== null || (isHeldStep && !isFinal);
    const timing = beginTiming(isFinal ? "setting" : "drag", performance.now());
    live.marks.push([timing, "painted_distribution"]);
    if (isFinal) tell("settings");
    else live.schedule();
  };

  const actions = {
    /** @param {number} pressed */
    next(pressed) {
      // before the first answer a press waits behind it
      if ((live.isOpen && refusesNext()) || live.beats.endsGuessed()) return;
      takeTypedPrompt();
      press("next", pressed);
    },
    /** Presses Next and plays that step slowly. @param {number} pressed */
    nextSlowly(pressed) {
      live.beats.want();
      actions.next(pressed);
    },
    /** Goes on from a newcomer's guess to the step itself. @param {number} pressed */
    playGuessed(pressed) {
      actions.next(pressed);
      live.beats.isGuessed = live.beats.beat > 0;
    },
    /** Plays every step slowly, or no longer. @param {boolean} isSlow */
    slow: (isSlow) => live.beats.slow(isSlow),
    /**
     * While a step is played slowly: goes to its next beat, or ends it; else tells that none is.
     * @param {boolean} isEnd
     */
    beat(isEnd) {
      if (live.beats.beat === 0) return false;
      if (isEnd) live.beats.end();
      else live.beats.advance();
      return true;
    },
    /** @param {number} id */
    force(id) {
      if (live.inspecting !== null) actions.branch(live.inspecting);
      else if (live.header.finished || isHeld()) actions.rewind(live.header.ids.length - 1);
      player.pause();
      press("force", performance.now(), { token_id: id });
    },
    back() {
      player.pause();
      press("back", performance.now());
    },
    /** Takes the last press back. */
    undo() {
      player.pause();
      live.inspecting = null;
      press("undo", performance.now());
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
      live.schedule();
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
      if (position === null && live.inspecting === null) return;
      live.isWhatIf = false;
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
      const others = live.controls.use.filter((used) => used !== name);
      if (!isUsed) return changeControls({ use: others }, true);
      // a mask that is ticked ends greedy, beside which it would do nothing
      return changeControls({ use: [...others, name], greedy: false }, true);
    },
    /** Shows the pointer of the next position before it falls, or no longer. @param {boolean} isPeeking */
    peek(isPeeking) {
      live.isPeeking = isPeeking;
      live.schedule();
    },
    /** Keeps a finished step on the screen until the next press, or no longer. @param {boolean} isHolding */
    hold(isHolding) {
      live.finished.hold(isHolding);
      live.schedule();
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
      live.schedule();
    },
    reveal() {
      live.isRevealed = live.isAnswered = true;
      live.schedule();
    },
    /** The prompt box has changed, and with it what can be pressed. */
    typed: () => live.schedule(),
    isBusy: () => live.isBusy(),
    /** Tries again at once, or waits no longer for what was pressed. */
    retry: () => live.session.retry?.(),
    cancel: () => live.cancel(),
  };
  return actions;
}
