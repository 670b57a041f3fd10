"""The picture of a scene on the projector: its text, the draw bar behind it, or an idea in cells.

It gives no answer away: before a class is asked for the next token, the bar's words are covered,
and what the question is not about is seen once the answer is. What was asked is seen then: the
story as greedy decoding writes it, the bar at another temperature, the text after a wrong word.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from model.classroom.records import (
    Bar,
    DrawBar,
    Outcome,
    Picture,
    SceneShown,
    Spoken,
    WordsAndRoles,
)
from model.classroom.rounds import landing
from model.draw import count_draws, uniform_at
from model.generation import Generation
from model.language_model import LanguageModel
from model.sampling import Settings
from model.sentences import Numeral, Sentence
from model.tokenizing import encode, encode_bare, labels_of
from pages.frame.small_pictures import OF_PAGES, PICTURES
from pages.lessons.classroom.script import Item, prompt_of
from pages.lessons.classroom.text import DRAWING, N_OFFERED, N_SEGMENTS, ClassText
from pages.lessons.snowball.settings import MISTAKES
from pages.lessons.tour.said import plain
from pages.lessons.tour.scenes import Scene
from viz.classroom.bars import MODEL, SHARE
from viz.format import THIN, count, percent

_LABEL = "{name}\n{share}"  # has no word to translate
PAGES_OF_A_BAR = ("", "sampling", "engines")  # that show the distribution of the prompt in a link
N_WRITTEN = 64  # tokens of the story that repeats itself
MOST_SEGMENTS = 9  # that have room beside each other
N_AFTER = 13  # tokens after a wrong word
N_NEXT = 4  # tokens after a prompt: what comes next is what is asked
N_DRAWS = 1000  # on the bar of the engines
N_PRESSES = 300  # on the bar that a finger presses
RAW, CUT = Settings(), Settings(top_p=0.5)
COVERED = "?"
SIX_TOKENS = ("pppppp",)  # what a cache is asked about
TWO_CACHES = ("pppppp|pppppp", "ppppppg|vvvvvvg", "ppppppgg|vvvvvvvg", "ppppppggg|vvvvvvvvg")
CACHES = (Sentence("Nothing is kept"), Sentence("With the KV cache"))


def scene_of(lm: LanguageModel, item: Item, spoken: Spoken | None) -> SceneShown:
    """Returns the scene of a question as a class sees it, without what it says of its page."""
    scene = item.scene
    words = plain(scene.title), plain(scene.words_alone)
    picture = picture_of(lm, item)
    told = item.page(is_told=True) if item.kind == "own" else ""
    return SceneShown(*words, item.page(), picture, spoken=spoken, premise=item.premise, told=told)


def picture_of(lm: LanguageModel, item: Item) -> Picture:
    """Draws the scene of a question of the script, as it stands until the answer is known.

    Two things wait for that: the cells of an idea show how it comes out, and a number is read off a
    bar only if the scene sets what shapes the bar.

    Args:
        lm: The room's model.
        item: The question.
    """
    scene = item.scene
    if scene.page == "snowball":
        text, word, _seed = _mistake_of(scene)
        return Picture(lines=(((text, ""), (word, "error"), ("\N{NO-BREAK SPACE}…", "")),))
    if scene.page == "kv_cache" and prompt_of(scene):
        return Picture(rows=SIX_TOKENS)
    if not _has_bar(scene):
        return Picture()
    if "next" in scene.light and item.kind == "own" and not _is_number(item):
        return Picture(lines=_first_draw(lm, prompt_of(scene)))
    if _is_about_text(scene) or _is_about_runs(item):
        return Picture(lines=(((_unfinished(prompt_of(scene)), ""),),))
    if _is_about_bars(scene):
        return _in_rows(lm, item)
    bar = _bar_of(lm, item)
    return Picture(bars=(bar,) if bar else ())


def answered(lm: LanguageModel, item: Item) -> Picture:
    """Draws what a question asked for, once that may be seen."""
    scene = item.scene
    try:
        if (drawn := _answer_in_the_page(lm, item)) is not None:
            return drawn
    except ValueError:  # this model cannot read the lesson's prompt
        return picture_of(lm, item)
    bar = _bar_of(lm, item)
    if bar is None:
        return Picture()
    if scene.at_reveal is None:
        return Picture(bars=(_pressed(bar),))
    name, number = scene.at_reveal
    bar = replace(bar, of="")  # the names say what the two are
    if name == "top-p":
        cut = Sentence("Top-p {n} cuts", n=Numeral(f"{number:g}"))
        kept = _bar_of(lm, item, Settings(top_p=number))
        anew = Sentence("What stays, shared out anew")
        others = [replace(kept, name=anew, of="", setting="")] if kept else ()
        return Picture(bars=(replace(bar, name=cut, cut=number), *others))
    hot, cold = (Sentence("Temperature {n}", n=Numeral(f"{n:g}")) for n in (1, number))
    other = _bar_of(lm, item, Settings(temperature=number))
    others = [replace(other, name=cold, of="", setting="")] if other else ()
    return Picture(bars=(replace(bar, name=hot), *others))


def _pressed(bar: DrawBar) -> DrawBar:
    """Lets pointers fall on a bar; each segment says how many it caught, in place of its share."""
    pointers = tuple(uniform_at(0, position) for position in range(N_PRESSES))
    fell = Counter(landing(bar.shares, pointer) for pointer in pointers)
    names = [
        one.filled(share=count(fell[i]))
        for i, one in enumerate(bar.options)
        if isinstance(one, Sentence)
    ]
    said = Sentence("What {n} presses without looking hit", n=count(N_PRESSES))
    return replace(bar, options=tuple(names), name=said, pointers=pointers)


def _answer_in_the_page(lm: LanguageModel, item: Item) -> Picture | None:
    """Draws an answer by what the page of its scene is about; None where that is a draw bar."""
    scene, prompt = item.scene, prompt_of(item.scene)
    if scene.page == "snowball":
        return _after_a_mistake(lm, scene)
    if scene.page == "kv_cache" and prompt:
        return Picture(rows=TWO_CACHES, names=CACHES)
    if not _has_bar(scene):
        return Picture(rows=idea_of(scene))
    if scene.page == "engines":
        return _many_draws(lm, item)
    if _is_about_bars(scene):
        return _in_rows(lm, item)
    if "next" in scene.light:
        return Picture(lines=(_runs if _is_number(item) else _draws)(lm, prompt))
    if _is_about_text(scene):
        return Picture(lines=(_pieces(lm, prompt) if _is_number(item) else _greedy(lm, prompt),))
    return None


def _has_bar(scene: Scene) -> bool:
    return scene.page in PAGES_OF_A_BAR and prompt_of(scene) != ""


def _is_about_text(scene: Scene) -> bool:
    """Tells whether a scene speaks of the text alone, not of the bar behind it."""
    return bool(scene.light) and not {"bars", "draw bar"} & {*scene.light, *scene.cover}


def _is_about_bars(scene: Scene) -> bool:
    """Tells whether a scene speaks of the rows of its page, not of the draw bar."""
    return "bars" in scene.light and "draw bar" not in scene.light


def _is_about_runs(item: Item) -> bool:
    """Tells whether a scene counts what Next does."""
    return "next" in item.scene.light and _is_number(item)


def _is_number(item: Item) -> bool:
    return item.kind == "own" and not item.scene.choices


def _bar_of(lm: LanguageModel, item: Item, settings: Settings | None = None) -> DrawBar | None:
    """Draws the bar of a scene's prompt; a number that is read off it has its segments."""
    scene = item.scene
    settings = settings or _settings_of(item)
    is_counted = _is_number(item) and scene.right.isdecimal()
    n_segments = max(N_SEGMENTS, int(scene.right) + 2) if is_counted else N_SEGMENTS
    try:
        bar = ClassText(lm, prompt_of(scene)).segments(settings, min(n_segments, MOST_SEGMENTS))
    except ValueError:  # this model cannot read the lesson's prompt
        return None
    bar = bar if item.says_setting else replace(bar, setting="")
    if item.kind == "next":
        return replace(bar, options=("",) * len(bar.options), of=_unfinished(prompt_of(scene)))
    pairs = zip(bar.options, bar.shares, strict=True)
    names: list[str] = [Sentence(_LABEL, name=one, share=Numeral(percent(p))) for one, p in pairs]
    if is_counted:  # the shares are to be added up, and the thin segments have room for those
        n_tokens = len(names) - bar.has_rest
        bare = [Numeral(percent(p).removesuffix(f"{THIN}%")) for p in bar.shares[:n_tokens]]
        names[:n_tokens] = bare
    return replace(bar, options=tuple(names), of=_unfinished(prompt_of(scene)))


def _settings_of(item: Item) -> Settings:
    """Returns what shapes the bar of a scene; a class's pointers fall on the room's own."""
    if item.kind == "sampler":
        return DRAWING
    said = dict(item.scene.query)
    if item.scene.page == "engines":
        temperature, top_p = (float(said.get(name, 1)) for name in ("temperature", "top_p"))
        given = Settings(temperature=temperature, top_p=top_p)
        return CUT if given == RAW else given
    # a link with the control "use" begins with the raw distribution
    return RAW if "use" in said else DRAWING


def _unfinished(text: str) -> str:
    return f"{text}\N{NO-BREAK SPACE}…"


def _in_rows(lm: LanguageModel, item: Item) -> Picture:
    """Draws the bars of a scene's page; their words are covered where they are the question."""
    try:
        text = ClassText(lm, prompt_of(item.scene))
        bar = text.segments(_settings_of(item), N_OFFERED)
    except ValueError:  # this model cannot read the lesson's prompt
        return Picture()
    names = [COVERED if item.kind == "next" else name for name in bar.options]
    rows = [
        Bar(name, (share,), (Numeral(percent(share)),))
        for name, share in zip(names, bar.shares, strict=True)
    ]
    if bar.has_rest:
        rows[-1] = replace(rows[-1], label=Sentence("all other tokens"), is_rest=True)
    outcome = Outcome((MODEL,), tuple(rows), words=bar.setting)
    return Picture(lines=(((_unfinished(text.prompt), ""),),), outcome=outcome)


def _many_draws(lm: LanguageModel, item: Item) -> Picture:
    """Counts on what a thousand pointers fall, beside what the shares lead one to expect."""
    text, settings = ClassText(lm, prompt_of(item.scene)), _settings_of(item)
    bar, stage = text.segments(settings), text.generation.stages_for(settings)[-1]
    n_names = len(bar.options) - bar.has_rest
    drawn = count_draws(stage, N_DRAWS)[stage.order[:n_names]].tolist()
    drawn += [N_DRAWS - sum(drawn)] * bar.has_rest
    rows = [
        Bar(
            name,
            (n / N_DRAWS, share),
            (Sentence("{n} of {all}", n=count(n), all=count(N_DRAWS)), ""),
        )
        for name, share, n in zip(bar.options, bar.shares, drawn, strict=True)
    ]
    if bar.has_rest:
        rows[-1] = replace(rows[-1], is_rest=True)
    series = (Sentence("drawn"), "kept"), SHARE
    outcome = Outcome(series, tuple(rows), words=bar.setting)
    return Picture(lines=(((_unfinished(text.prompt), ""),),), outcome=outcome)


def _runs(lm: LanguageModel, prompt: str) -> tuple[WordsAndRoles, ...]:
    """Returns a line for each run of the model, with the token that it gave."""
    text, lines = Generation(lm, prompt), []
    while len(text.steps) < N_NEXT and not text.finished:
        before, n = text.text, len(text.steps) + 1
        token = _read(text.step(DRAWING).text)
        label = Sentence("pass {number}", number=count(n))
        lines.append(((label, "label"), (before, ""), (token, "generated")))
    return tuple(lines)


def _first_draw(lm: LanguageModel, prompt: str) -> tuple[WordsAndRoles, ...]:
    """Returns what one step appends by a seed: what is asked about doing it once more."""
    token = _read(Generation(lm, prompt, seed=0).step(DRAWING).text)
    label = Sentence("seed {n}", n=count(0))
    return (((label, "label"), (prompt, ""), (token, "generated"), (_unfinished(""), "")),)


def _draws(lm: LanguageModel, prompt: str) -> tuple[WordsAndRoles, ...]:
    """Returns how a text goes on by a seed, by the same once more, and by another one."""

    def line(seed: int, label: str) -> WordsAndRoles:
        text = Generation(lm, prompt, seed=seed)
        while len(text.steps) < N_NEXT and not text.finished:
            text.step(DRAWING)
        first, *rest = (_read(step.text) for step in text.steps)
        after = _unfinished("".join(rest))
        return (label, "label"), (prompt, ""), (first, "generated"), (after, "")

    label = Sentence("seed {n}", n=count(0))
    again, other = Sentence("seed {n} again", n=count(0)), Sentence("seed {n}", n=count(1))
    return line(0, label), line(0, again), line(1, other)


def _pieces(lm: LanguageModel, prompt: str) -> WordsAndRoles:
    """Returns the tokens of a text."""
    ids = encode(lm, prompt)
    labels = labels_of(lm, ids[1:] if ids[0] == lm.bos_id else ids)
    return tuple((_read(one), "piece") for one in labels)


def _greedy(lm: LanguageModel, prompt: str) -> WordsAndRoles:
    """Writes on with the likeliest token each time; what comes again is marked wherever it is."""
    text = Generation(lm, prompt)
    while len(text.steps) < N_WRITTEN and not text.finished:
        text.step(Settings(temperature=0))
    words = text.text.split()
    again, n = repeated(words)
    parts: list[tuple[str, str]] = []
    for i, word in enumerate(words):
        role = "again" if any(start <= i < start + n for start in again) else ""
        if parts and parts[-1][1] == role and i not in again:
            parts[-1] = f"{parts[-1][0]} {word}", role
        else:
            parts += [(" ", ""), (word, role)] if parts else [(word, role)]
    return (*parts, ("\N{NO-BREAK SPACE}…", ""))


def repeated(words: Sequence[str]) -> tuple[list[int], int]:
    """Returns where the longest phrase begins that is there twice or more, and its words."""
    for n in range(len(words) // 2, 1, -1):
        places: dict[tuple[str, ...], list[int]] = {}
        for i in range(len(words) - n + 1):
            starts = places.setdefault(tuple(words[i : i + n]), [])
            if not starts or i >= starts[-1] + n:
                starts.append(i)
        most = max(places.values(), key=len)
        if len(most) > 1:
            return most, n
    return [], 0


def _mistake_of(scene: Scene) -> tuple[str, str, int]:
    first = next(iter(MISTAKES))
    return MISTAKES.get(dict(scene.query).get("mistake", first), MISTAKES[first])


def _after_a_mistake(lm: LanguageModel, scene: Scene) -> Picture:
    """Writes a text on with its wrong word, and below it as the model writes it by itself."""
    prompt, word, seed = _mistake_of(scene)
    own = Generation(lm, encode(lm, prompt), seed=seed)
    (wrong,) = encode_bare(lm, word)  # a model to which it is more has another picture
    forced = own.fork()  # by the same pointers
    forced.step(token_id=wrong)
    return Picture(lines=(_line(forced, prompt, "error"), _line(own, prompt, "generated")))


def _line(text: Generation, prompt: str, role: str) -> WordsAndRoles:
    """Writes a text on, and marks the first token after the prompt."""
    while len(text.steps) <= N_AFTER and not text.finished:
        text.step(Settings(temperature=0.7))
    first, *rest = (_read(step.text) for step in text.steps)
    return (prompt, ""), (first, role), ("".join(rest).rstrip() + "\N{NO-BREAK SPACE}…", "")


def _read(label: str) -> str:
    """Returns a token's label as it stands in a text."""
    return re.sub("[␣⏎]", " ", label)


def idea_of(scene: Scene) -> tuple[str, ...]:
    """Returns the rows of cells that stand for a scene's page."""
    idea = PICTURES.get(OF_PAGES.get(scene.page, ""), "")
    return tuple(idea.rstrip("/").split("/"))
