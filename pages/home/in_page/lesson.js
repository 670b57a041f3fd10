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

/**
 * Offers the lesson, and shows it once it is asked for.
 * @param {{ lesson: any, place: HTMLElement, offer: HTMLElement, live: HTMLElement,
 *   open: (query: string) => Promise<any> }} page
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

  const go = (to) => {
    at = to;
    checks = at === scenes.length ? {} : checks;
    const opened = scenes[at]?.query ? open(scenes[at].query) : null;
    place.toggleAttribute("data-opening", opened !== null); // no answer before there is something to answer on
    opened?.finally(() => at === to && place.removeAttribute("data-opening"));
    show();
    place.querySelector("h2")?.focus();
  };
  const start = createButton("", _("Lesson: {title}", { title }), () => go(0));
  offer.replaceChildren(start);

  /** Lights and covers the parts of the text's page. */
  function mark() {
    const scene = scenes[at] ?? {};
    const nodes = (names = []) => names.flatMap((name) => [...root.querySelectorAll(lesson.parts[name])]);
    const covered = at in said ? [] : nodes(scene.cover);
    markNodes(nodes(Object.keys(lesson.parts)), { lit: nodes(scene.light), covered, lines: ".bars-top" });
  }

  function show() {
    const isOn = at !== null;
    setShown(place, isOn);
    setShown(start, !isOn);
    watching.disconnect();
    if (isOn) watching.observe(root, { childList: true, subtree: true });
    setShown(live, !isOn || scenes[at]?.query !== undefined);
    tabStore.write(STORED_AS, isOn ? JSON.stringify({ at, said, checks }) : null);
    if (isOn) place.replaceChildren(...(at < scenes.length ? sceneOf(scenes[at]) : endOf()), way());
    mark();
  }

  function sceneOf(scene) {
    const picture = scene.rows === undefined
      ? null
      : el("div", { class: "lesson-picture" }, drawCells(scene.rows));
    return [
      el(
        "header",
        {},
        el("h2", { tabIndex: -1, ...own }, scene.title),
        el(
          "span",
          { class: "note" },
          _("{title}, scene {number} of {n_scenes}", {
            title,
            number: at + 1,
            n_scenes: scenes.length,
          }),
        ),
      ),
      el("p", own, ...inline(scene.words)),
      scene.task ? el("p", { class: "note", ...own }, ...inline(scene.task)) : null,
      picture,
      ...questionOf(scene, said[at], (reply) => {
        said = { ...said, [at]: reply };
        show();
      }),
    ].filter(Boolean);
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

  function way() {
    const isOpen = at < scenes.length && scenes[at].question && !(at in said);
    const leave = () => {
      at = null;
      show();
      start.focus();
    };
    return el(
      "nav",
      { class: "row", ariaLabel: _("Scenes") },
      at > 0 ? createButton("", _("‹ Back"), () => go(at - 1)) : null,
      at < scenes.length
        ? createButton(isOpen ? "" : "is-next", isOpen ? _("Skip ›") : _("Continue ›"), () => go(at + 1))
        : null,
      createButton("", _("Leave"), leave),
    );
  }

  if (at !== null || new URLSearchParams(location.search).has("lesson")) go(at ?? 0);
}

/** The lesson in the reader's language, or else in English, which its texts say then: `own`. */
function inLanguage({ texts, scenes: structure }) {
  const { tag, direction, title, scenes } = texts.find(({ tag }) => tag === languageTag()) ?? texts[0];
  const own = tag === languageTag() ? {} : { lang: tag, dir: direction };
  return { title, own, scenes: scenes.map((scene, i) => ({ ...structure[i], ...scene, own })) };
}

/** What this tab kept: the scene, what was said to it, and to the questions at the end. */
function kept(nScenes) {
  const { at, said, checks } = readJson(tabStore, STORED_AS) ?? {};
  const isPlace = Number.isInteger(at) && at >= 0 && at <= nScenes;
  return { at: isPlace ? at : null, said: repliesOf(said), checks: repliesOf(checks) };
}

const repliesOf = (said) =>
  Object.fromEntries(Object.entries(said ?? {}).filter(([, reply]) => typeof reply === "string"));

/** A question with its answers; once something was said, what is right beside it, in the room that was kept for it. */
function questionOf(scene, reply, say) {
  const longest = scene.choices.reduce((one, other) => other.length > one.length ? other : one, scene.right);
  const atMost = toldOf(scene, longest, `✓ ${_("Right is {right}.", { right: scene.right })}`, inLetters);
  const room = el("div", { class: "lesson-room", ariaHidden: "true" }, ...atMost);
  const said = () =>
    el("div", { role: "status" }, ...toldOf(scene, wordsOf(scene, reply), verdictOf(scene, reply)));
  return [
    el("p", { class: "lesson-question", ...scene.own }, ...inline(scene.question)),
    el("div", { class: "lesson-reply" }, reply === undefined ? askingOf(scene, say) : said(), room),
  ];
}

/** As many letters, for the room that they take: neither read nor heard. */
const inLetters = (text) => text.replace(/\p{Script=Han}/gu, "口").replace(/[\p{L}\p{N}]/gu, latin);
const latin = (letter) => letter === "口" ? letter : "e";

function verdictOf(scene, reply) {
  const right = isRight(scene, reply);
  if (right === null) return "";
  return right ? _("✓ Right.") : _("Right is {right}.", { right: scene.right });
}

/** What was said, what is right, and what is to be remembered. */
function toldOf(scene, reply, verdict, written = (text) => text) {
  const told = (text) => inline(written(text));
  const [before, after] = _("You said {reply}.").split("{reply}");
  const rest = [after, verdict].filter(Boolean).join(" ");
  return [
    el(
      "p",
      {},
      ...told(before),
      el("b", {}, ...told(reply)),
      ...told(`${rest} `),
      el("span", scene.own, ...told(scene.answer)),
    ),
    el("p", scene.own, el("b", {}, ...told(scene.remember))),
  ];
}

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

/** What was said: a choice is kept by its place, which is the same in every language. */
const wordsOf = ({ choices }, reply) => choices.length > 0 ? choices[Number(reply)] ?? "" : reply;

/** Whether a reply is right; null if nothing is, or nothing was said. */
function isRight(scene, reply) {
  if (!scene.right || reply === undefined) return null;
  if (scene.choices.length > 0) return wordsOf(scene, reply) === scene.right;
  if (scene.reply === "a word") return reply.toLowerCase() === scene.right.toLowerCase();
  return Math.abs(Number(reply) - Number(scene.right)) <= TOLERANCE;
}

/** The few signs of Markdown that lessons use, as elements: all else is text. */
function inline(markdown) {
  const parts = markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").split(/(\*\*.+?\*\*|\*\S.*?\*|`[^`]+`)/);
  return parts.filter(Boolean).map((part) => {
    if (part.startsWith("**")) return el("b", {}, part.slice(2, -2));
    if (part.startsWith("*") && part.length > 2) return el("i", {}, part.slice(1, -1));
    return part.startsWith("`") ? el("code", {}, part.slice(1, -1)) : part;
  });
}
