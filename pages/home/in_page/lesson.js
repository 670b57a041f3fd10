// The guided lesson of the file: its scenes around the page's own text, and at its end four questions once more.

import { drawCells } from "../../frame/live/cells.js";
import { createButton, el, setShown } from "../../frame/live/dom.js";
import { markNodes, RULES } from "../../frame/live/scene_marks.js";
import { readJson, tabStore } from "../../frame/live/storage.js";
import { _ } from "../../frame/live/words.js";

const STORED_AS = "ott-file-lesson";
const MAX_CHARACTERS = 40; // of a reply
const TOLERANCE = 1e-9;

/**
 * Offers the lesson, and shows it once it is asked for.
 * @param {{ lesson: any, place: HTMLElement, offer: HTMLElement, live: HTMLElement, open: (query: string) => void }} page
 */
export function connectLesson({ lesson, place, offer, live, open }) {
  const { scenes, checked } = lesson;
  let { at, said, checks } = kept(scenes.length);
  const root = /** @type {ShadowRoot} */ (live.shadowRoot);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(RULES);
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  const watching = new MutationObserver(() => mark());

  const go = (to) => {
    at = to;
    checks = at === scenes.length ? {} : checks;
    if (scenes[at]?.query) open(scenes[at].query);
    show();
    place.querySelector("h2")?.focus();
  };
  const start = createButton("", _("Lesson: {title}", { title: lesson.title }), () => go(0));
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
        "p",
        { class: "note" },
        _("{title}, scene {number} of {n_scenes}", {
          title: lesson.title,
          number: at + 1,
          n_scenes: scenes.length,
        }),
      ),
      el("h2", { tabIndex: -1 }, scene.title),
      el("p", {}, ...inline(scene.words)),
      scene.task ? el("p", { class: "note" }, ...inline(scene.task)) : null,
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
      : _("Four questions once more.");
    const questions = checked.flatMap((i) =>
      questionOf(scenes[i], checks[i], (reply) => {
        checks = { ...checks, [i]: reply };
        show();
      })
    );
    const sentences = scenes.filter(({ remember }) => remember).map(({ remember }) =>
      el("li", {}, ...inline(remember))
    );
    return [
      el("h2", { tabIndex: -1 }, _("To remember")),
      el("ol", {}, ...sentences),
      el("h2", { class: "lesson-verdict", role: "status" }, verdict),
      ...questions,
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
  const asked = el("p", { class: "lesson-question" }, ...inline(scene.question));
  if (reply === undefined) return [asked, askingOf(scene, say), el("div", { class: "lesson-answer" })];
  const right = isRight(scene, reply);
  const verdict = right === null
    ? ""
    : right
    ? _("✓ Right.")
    : _("Right is {right}.", { right: scene.right });
  const [before, after] = _("You said {reply}.").split("{reply}");
  const told = [
    el("p", {}, before, el("b", {}, reply), [after, verdict, ""].join(" "), ...inline(scene.answer)),
    el("p", {}, el("b", {}, ...inline(scene.remember))),
  ];
  return [asked, el("div", { class: "lesson-answer", role: "status" }, ...told)];
}

function askingOf(scene, say) {
  if (scene.choices.length > 0)
    return el(
      "div",
      { class: "row" },
      ...scene.choices.map((choice) => createButton("", choice, () => say(choice))),
    );
  const isWord = !scene.reply || scene.reply === "a word";
  const field = el("input", {
    type: isWord ? "text" : "number",
    ariaLabel: scene.question,
    maxLength: MAX_CHARACTERS,
    step: "any",
    required: true,
  });
  const send = (event) => {
    event.preventDefault();
    if (field.value.trim() !== "") say(field.value.trim());
  };
  return el("form", { class: "row", onsubmit: send }, field, el("button", {}, _("Say it")));
}

/** Whether a reply is right; null if nothing is, or nothing was said. */
function isRight(scene, reply) {
  if (!scene.right || reply === undefined) return null;
  if (scene.choices.length > 0 || scene.reply === "a word")
    return reply.toLowerCase() === scene.right.toLowerCase();
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
