// The guided lesson of the file: its scenes around the page's own text, and at its end four questions once more.

import { drawCells } from "../../frame/live/cells.js";
import { createButton, el, setShown } from "../../frame/live/dom.js";
import { markNodes, RULES } from "../../frame/live/scene_marks.js";
import { readJson, tabStore } from "../../frame/live/storage.js";
import { numberTyped } from "../../frame/live/typed.js";
import { _, languageTag, numeral } from "../../frame/live/words.js";

const STORED_AS = "ott-file-lesson";
const MAX_CHARACTERS = 40; // of a reply
const TOLERANCE = 1e-9;
const ENDS = /[?!？！؟]$/; // a title that needs no full stop before the words

/**
 * Offers the lesson, and shows it once it is asked for.
 * @param {{ lesson: FileLesson, place: HTMLElement, offer: HTMLElement, live: HTMLElement,
 *   open: (query: string) => Promise<void> }} page
 */
export function connectLesson({ lesson, place, offer, live, open }) {
  const { checked } = lesson;
  const { title, scenes, own } = inLanguage(lesson);
  let { at, said, checks } = kept(scenes.length);
  const root = /** @type {ShadowRoot} */ (live.shadowRoot);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(RULES);
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  const watching = new MutationObserver(() => mark());

  /** @param {number} to */
  const go = (to) => {
    at = to;
    checks = to === scenes.length ? {} : checks;
    const { query } = scenes[to] ?? {};
    const opened = query ? open(query) : null;
    place.toggleAttribute("data-opening", opened !== null); // no answer before there is something to answer on
    opened?.finally(() => at === to && place.removeAttribute("data-opening"));
    show();
    place.querySelector("h2")?.focus({ preventScroll: true });
    scrollTo({ top: 0 });
  };
  const start = createButton("", _("Lesson: {title}", { title }), () => go(0));
  offer.replaceChildren(start);

  /** Lights and covers the parts of the text's page. */
  function mark() {
    /** @type {Partial<FileScene>} */
    const scene = at === null ? {} : scenes[at] ?? {};
    /** @param {string[]} [names] */
    const nodes = (names = []) => names.flatMap((name) => [...root.querySelectorAll(lesson.parts[name])]);
    const isSaid = at !== null && at in said;
    markNodes(nodes(Object.keys(lesson.parts)), {
      lit: nodes(scene.light),
      covered: isSaid ? [] : nodes(scene.cover),
      pressed: isSaid && scene.task ? nodes(scene.cover) : [],
      lines: ".bars-top",
      names: scene.light,
    });
  }

  function show() {
    const isOn = at !== null;
    const isScene = at !== null && at < scenes.length;
    document.documentElement.toggleAttribute("data-lesson", isOn);
    live.toggleAttribute("data-lesson", isOn);
    setShown(place, isOn);
    setShown(start, !isOn);
    watching.disconnect();
    if (isOn) watching.observe(root, { childList: true, subtree: true });
    setShown(live, at === null || scenes[at]?.query !== undefined);
    tabStore.write(STORED_AS, isOn ? JSON.stringify({ at, said, checks }) : null);
    place.toggleAttribute("data-scene", isScene);
    if (at !== null) place.replaceChildren(...(isScene ? sceneOf(at) : endOf()), way(at));
    holdHeight();
    mark();
  }

  let measuredAt = ""; // of the page: its width, and its type's size

  /** Makes the panel as high as the highest of the scenes with a text: what stands below it, and what is pressed, stays. */
  function holdHeight() {
    if (at === null || at === scenes.length) return;
    const look = `${innerWidth} ${getComputedStyle(place).fontSize}`;
    if (look === measuredAt) return;
    measuredAt = look;
    place.style.minHeight = "";
    const shown = [...place.childNodes];
    const heights = scenes.flatMap((scene, i) => {
      if (scene.query === undefined) return [];
      place.replaceChildren(...sceneOf(i), way(i));
      return [place.offsetHeight];
    });
    place.replaceChildren(...shown);
    place.style.minHeight = `${Math.max(...heights)}px`;
  }
  addEventListener("resize", holdHeight);

  /** @param {number} i */
  function sceneOf(i) {
    const scene = scenes[i];
    const picture = scene.rows === undefined
      ? null
      : el("div", { class: "lesson-picture" }, drawCells(scene.rows));
    const title = el("h2", { tabIndex: -1, class: ENDS.test(scene.title) ? "" : "is-open" }, scene.title);
    return [
      ...wordsToUnfold(el("div", { class: "lesson-words", ...own }, title, " ", ...inline(scene.words))),
      picture,
      ...questionOf(scene, said[i], (reply) => {
        said = { ...said, [i]: reply };
        show();
      }),
    ].filter((part) => part !== null);
  }

  /** What is to be remembered, and the questions that are asked once more. */
  function endOf() {
    const n = checked.filter((i) => isRight(scenes[i], checks[i])).length;
    const isChecked = checked.every((i) => i in checks);
    const verdict = isChecked
      ? _("Done: {n_right} of {n_asked} are right.", { n_right: n, n_asked: checked.length })
      : "";
    const questions = checked.flatMap((i) =>
      questionOf(scenes[i], checks[i], (reply) => {
        checks = { ...checks, [i]: reply };
        show();
      })
    );
    const sentences = scenes.filter(({ remember }) => remember).map(({ remember }) =>
      el("li", own, ...inline(remember))
    );
    return [
      el("h2", { tabIndex: -1 }, _("To remember")),
      el("ol", {}, ...sentences),
      el("h2", {}, _("Four questions once more")),
      ...questions,
      el("p", { class: "lesson-verdict", role: "status" }, verdict), // below the answer that was given last
    ];
  }

  /** @param {number} i of the scene; behind the last one of the end */
  function way(i) {
    const isOpen = i < scenes.length && scenes[i].question && !(i in said);
    const leave = () => {
      at = null;
      show();
      start.focus();
    };
    return el(
      "nav",
      { ariaLabel: _("Scenes") },
      i > 0 ? createButton("lesson-back", _("‹ Back"), () => go(i - 1)) : null,
      i < scenes.length
        ? createButton(
          `lesson-on ${isOpen ? "" : "is-next"}`,
          isOpen ? _("Skip ›") : _("Continue ›"),
          () => go(i + 1),
        )
        : null,
      i < scenes.length
        ? el(
          "span",
          { class: "note" },
          _("Scene {number} of {n_scenes}", { number: i + 1, n_scenes: scenes.length }),
        )
        : null,
      createButton("lesson-leave", _("Leave"), leave),
    );
  }

  if (at !== null || new URLSearchParams(location.search).has("lesson")) go(at ?? 0);
}

/** A scene's words, of which a phone shows the first lines, and what unfolds them. @param {HTMLElement} words */
function wordsToUnfold(words) {
  const more = createButton("lesson-more", _("More"), () => {
    more.ariaExpanded = String(words.toggleAttribute("data-open"));
  });
  more.ariaExpanded = "false";
  new ResizeObserver(() => { // where nothing is folded there is nothing to unfold
    if (!words.hasAttribute("data-open"))
      words.toggleAttribute("data-short", words.scrollHeight <= words.clientHeight + 1);
  }).observe(words);
  return [words, more];
}

/**
 * The lesson in the reader's language, or else in English, which its texts say then: `own`.
 * @param {FileLesson} lesson
 * @returns {{title: string, own: Record<string, string>, scenes: FileScene[]}}
 */
function inLanguage({ texts, scenes: structure }) {
  const { tag, direction, title, scenes } = texts.find(({ tag }) => tag === languageTag()) ?? texts[0];
  /** @type {Record<string, string>} */
  const own = tag === languageTag() ? {} : { lang: tag, dir: direction };
  return { title, own, scenes: scenes.map((scene, i) => ({ ...structure[i], ...scene, own })) };
}

/**
 * What this tab kept: the scene, what was said to it, and to the questions at the end.
 * @param {number} nScenes
 * @returns {{at: number|null, said: Replies, checks: Replies}}
 */
function kept(nScenes) {
  const { at, said, checks } = readJson(tabStore, STORED_AS) ?? {};
  const isPlace = Number.isInteger(at) && at >= 0 && at <= nScenes;
  return { at: isPlace ? at : null, said: repliesOf(said), checks: repliesOf(checks) };
}

/** @param {Record<string, unknown>|undefined} said */
const repliesOf = (said) =>
  Object.fromEntries(
    Object.entries(said ?? {}).flatMap(([i, reply]) => typeof reply === "string" ? [[i, reply]] : []),
  );

/**
 * A question with its answers; once something was said, what is right beside it, in the room that was kept for it.
 * @param {FileScene} scene
 * @param {string|undefined} reply
 * @param {(reply: string) => void} say
 */
function questionOf(scene, reply, say) {
  const longest = scene.choices.reduce((one, other) => other.length > one.length ? other : one, scene.right);
  const atMost = toldOf(scene, longest, `✓ ${_("Not quite: {right}.", { right: scene.right })}`, inLetters);
  const room = el("div", { class: "lesson-told lesson-room", ariaHidden: "true" }, ...atMost);
  const said = () =>
    el(
      "div",
      { class: "lesson-told", role: "status" },
      ...toldOf(scene, wordsOf(scene, reply ?? ""), verdictOf(scene, reply)),
    );
  return [
    el("p", { class: "lesson-question", ...scene.own }, ...inline(scene.question)),
    el("div", { class: "lesson-reply" }, reply === undefined ? askingOf(scene, say) : said(), room),
  ];
}

/** As many letters, for the room that they take: neither read nor heard. @param {string} text */
const inLetters = (text) => text.replace(/\p{Script=Han}/gu, "口").replace(/[\p{L}\p{N}]/gu, latin);
const latin = (/** @type {string} */ letter) => letter === "口" ? letter : "e";

/** @param {FileScene} scene @param {string|undefined} reply */
function verdictOf(scene, reply) {
  const right = isRight(scene, reply);
  if (right === null) return "";
  return right ? _("✓ Right.") : _("Not quite: {right}.", { right: scene.right });
}

/**
 * What was said, what is tried, what is right, and what is to be remembered.
 * @param {FileScene} scene
 * @param {string} reply
 * @param {string} verdict
 */
function toldOf(scene, reply, verdict, written = (/** @type {string} */ text) => text) {
  /** @param {string} text */
  const told = (text) => inline(written(text));
  const [before, after] = _("You said {reply}.").split("{reply}");
  const rest = [after, verdict].filter(Boolean).join(" ");
  return [
    el(
      "div",
      { class: "lesson-now" },
      el("p", {}, ...told(before), el("b", {}, ...told(reply)), ...told(rest)),
      scene.task ? el("p", { class: "lesson-task", ...scene.own }, ...told(`→ ${scene.task}`)) : null,
    ),
    el("p", { class: "lesson-why", ...scene.own }, ...told(scene.answer)),
    el("p", { class: "lesson-remember", ...scene.own }, ...told(scene.remember)),
  ];
}

/** @param {FileScene} scene @param {(reply: string) => void} say */
function askingOf(scene, say) {
  if (scene.choices.length > 0)
    return el(
      "div",
      { class: "row", ...scene.own },
      ...scene.choices.map((choice, i) => createButton("", choice, () => say(String(i)))),
    );
  const isWord = !scene.reply || scene.reply === "a word";
  const field = el("input", {
    inputMode: isWord ? "text" : "decimal",
    ariaLabel: scene.question,
    maxLength: MAX_CHARACTERS,
    required: true,
    oninput: () => field.setCustomValidity(""),
  });
  /** @param {Event} event */
  const send = (event) => {
    event.preventDefault();
    const reply = isWord ? field.value.trim() : numberTyped(field.value);
    if (reply !== null && reply !== "") return say(String(reply));
    field.setCustomValidity(
      isWord ? "" : _("Write a number, such as 12 or {half}.", { half: numeral("0.5") }),
    );
    field.reportValidity();
  };
  return el("form", { class: "row", onsubmit: send }, field, el("button", {}, _("Say it")));
}

/** What was said: a choice is kept by its place, which is the same in every language. @param {FileScene} scene @param {string} reply */
const wordsOf = ({ choices }, reply) => choices.length > 0 ? choices[Number(reply)] ?? "" : reply;

/**
 * Whether a reply is right; null if nothing is, or nothing was said.
 * @param {FileScene} scene
 * @param {string|undefined} reply
 */
function isRight(scene, reply) {
  if (!scene.right || reply === undefined) return null;
  if (scene.choices.length > 0) return wordsOf(scene, reply) === scene.right;
  if (scene.reply === "a word") return reply.toLowerCase() === scene.right.toLowerCase();
  return Math.abs(Number(reply) - Number(scene.right)) <= TOLERANCE;
}

/** The few signs of Markdown that lessons use, as elements: all else is text. @param {string} markdown */
function inline(markdown) {
  const parts = markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").split(/(\*\*.+?\*\*|\*\S.*?\*|`[^`]+`)/);
  return parts.filter(Boolean).map((part) => {
    if (part.startsWith("**")) return el("b", {}, part.slice(2, -2));
    if (part.startsWith("*") && part.length > 2) return el("i", {}, part.slice(1, -1));
    return part.startsWith("`") ? el("code", {}, part.slice(1, -1)) : part;
  });
}
