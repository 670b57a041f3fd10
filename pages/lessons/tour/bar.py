"""The bar over a page while a guided lesson is followed: where one is, the words, the way on.

The address says which scene it is, so a scene has a link of its own and a reload loses nothing. The
way to another scene is such a link as well, opened anew: every page begins as its link says.
"""

import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from unicodedata import east_asian_width
from urllib.parse import urlencode

import streamlit as st
from markupsafe import Markup

from model.sentences import Sentence
from pages.frame.assets import style_of
from pages.frame.component import component
from pages.frame.fields import echo
from pages.frame.layout import as_written, is_presenting, say_in_address
from pages.frame.question import hold_answer
from pages.frame.typed import as_programs_write
from pages.frame.values import whole_of
from pages.frame.words import NAME, _, chosen, language, numeral, told
from pages.lessons.tour.said import cleaned, is_right, plain, read_said, reply_of, write_said
from pages.lessons.tour.scene_fields import ANSWER, NUMBERS, PAGES, PARTS
from pages.lessons.tour.scenes import (
    OF_CLASS,
    TOLD,
    GuidedLesson,
    LessonError,
    Scene,
    read_lesson,
)
from pages.lessons.tour.sentences import cut_first

CLOCK_SECONDS = 0.5  # between two looks at whether a task is done
LIST = "./tour"
_LAST = "tour_last"  # the scene that was followed last, while the reader looks at other pages
_LEFT = "tour_left"  # the scene that was left, of which Streamlit goes on to tell
_REFUSED = "tour_refused"  # why a reply was not taken
_DONE = "tour_done"  # the scenes whose task was done
_SAID = "tour_said"  # what was said to the questions, by scene, and of which lesson

_MORE = Markup('<button type="button" class="tour-more" aria-expanded="false">{}</button>')
_GRIP = Markup(
    '<button type="button" class="tour-grip" aria-expanded="false"><span>{}</span></button>'
)
_ENDS = ("?", "!", ".", "؟", "。", "？", "！")  # of a title that is a sentence
_SCRIPTS = Path(__file__).parent
_guide = component("tour_guide", _SCRIPTS / "guide.js")


def show_bar(path: str) -> None:
    """Shows the scene that the address names, or the way back to the one that was left.

    Args:
        path: The stem of the page's file; empty is the first page.
    """
    name, place = st.query_params.get("lesson", ""), st.query_params.get("scene", "1")
    if name and st.session_state.get(_LEFT) == (name, place):
        say_in_address("address_tour", ["lesson", "scene", "said"], "")
        return
    if not name:
        _show_way_back()
        return
    try:
        lesson = read_lesson(name)
        number = _number(lesson, place)
    except LessonError as error:
        st.html(style_of("lessons/tour/faulty.css"))
        st.warning(as_written(told(error)))
        return
    scene = lesson.scenes[number - 1]
    names = dict(scene.query).keys()
    if scene.page != path or (names and not names & set(st.query_params)):  # a link by number only
        around = [("said", st.query_params.get("said", "")), *around_links()]
        query = [*scene.query, ("lesson", name), ("scene", str(number)), *around]
        st.switch_page(PAGES[scene.page], query_params=query)
    st.session_state[_LAST] = name, number
    is_of_top = not scene.heading and not scene.task
    waits = _waits(lesson, scene, number)
    is_done = partial(_was_done, lesson, scene, number) if scene.task else None
    hold_answer(waits, is_of_top=is_of_top, by_page=ANSWER in scene.cover, is_done=is_done)
    with st.container(key="tour"):
        if st.query_params.get(OF_CLASS):
            _show_to_class(scene, waits)
        else:
            _show_scene(lesson, scene, number)
    _guide(key="tour_guide", data=_guided(lesson, scene, number), height="content")
    said = write_said(_said(lesson))
    say_in_address("address_said", ["said"], f"?{urlencode({'said': said})}" if said else "")


def _guided(lesson: GuidedLesson, scene: Scene, number: int) -> dict[str, object]:
    """Returns what the browser is told of a scene: what it speaks of, and what is covered."""
    is_open = _waits(lesson, scene, number)
    first = next((i for i, one in enumerate(lesson.scenes, start=1) if not one.page), None)
    is_foreign = lesson.language != language()
    return {
        "title": _(
            "{title}, scene {number}: {scene}",
            title=lesson.title,
            number=number,
            scene=scene.title,
        ),
        # of the lesson's texts, unless it is the page's
        "lang": lesson.language.tag if is_foreign else "",
        "dir": lesson.language.direction if is_foreign else "",
        "heading": scene.heading,
        "page": scene.page,
        "parts": PARTS,
        "light": scene.light,
        "cover": [one for one in scene.cover if one != ANSWER] if is_open else (),
        # what was covered is what the task presses
        "press": () if is_open or _was_done(lesson, scene, number) else scene.press,
        "is_open": is_open,
        "keeps": number == first,
        "lesson": lesson.name,
        "number": number,
        "answer": _answer(lesson, scene, number),
    }


def _answer(lesson: GuidedLesson, scene: Scene, number: int) -> dict[str, object] | None:
    """Returns what was said to a scene's question, for the reader's own record."""
    reply = reply_of(scene, _said(lesson).get(number, ""))
    if not reply:
        return None
    return {
        "place": f"{lesson.name}/{number}",
        "title": lesson.title,
        "question": plain(scene.question),
        "said": plain(reply),
        "right": plain(scene.right),
        "isRight": is_right(scene, reply),
    }


def _waits(lesson: GuidedLesson, scene: Scene, number: int) -> bool:
    """Tells whether a scene waits for what is said to it; before a class, until that was told."""
    if of_class := st.query_params.get(OF_CLASS):
        return scene.asks and of_class != TOLD
    return scene.asks and number not in _said(lesson)


def _said(lesson: GuidedLesson) -> dict[int, str]:
    """Returns what was said to the questions of a lesson, by scene."""
    of_lesson, said = st.session_state.get(_SAID, ("", {}))
    if of_lesson != lesson.name:
        said = read_said(st.query_params.get("said", ""))
        st.session_state[_SAID] = lesson.name, said
    return dict(said)


def _say(lesson: GuidedLesson, number: int, key: str) -> None:
    """Keeps what a widget says as the reply to a scene's question."""
    scene, reply = lesson.scenes[number - 1], st.session_state.get(key)
    if reply is None or not cleaned(reply):
        return
    if scene.reply == "a number":
        try:
            reply = as_programs_write(reply)
        except ValueError as error:
            st.session_state[_REFUSED] = told(error)
            return
    kept = scene.choices.index(reply) + 1 if scene.choices else cleaned(reply)
    st.session_state[_SAID] = lesson.name, {**_said(lesson), number: str(kept)}


def _number(lesson: GuidedLesson, text: str) -> int:
    n_scenes = len(lesson.scenes)
    number = whole_of(text, 1, n_scenes)
    if number is None:
        why = Sentence(
            "“{title}” has the scenes 1 to {n_scenes}, and no {name}.",
            title=lesson.title,
            n_scenes=n_scenes,
            name=echo(text),
        )
        raise LessonError(why)
    return number


def _show_scene(lesson: GuidedLesson, scene: Scene, number: int) -> None:
    """Shows the words, the question, then what is tried, and only then what is right."""
    is_answered = not _waits(lesson, scene, number)
    is_done = _was_done(lesson, scene, number)
    with st.container(key="tour_words"):
        rest = _show_words(scene)
        if rest or (scene.asks and is_answered):  # a phone leaves it out
            st.html(_MORE.format(_("More")))
    _show_question(lesson, scene, number, is_done)
    # while the task is not done, look again every so often
    every = None if is_done or not is_answered else CLOCK_SECONDS
    with st.container(key="tour_task" if is_answered else "tour_task_waits"):
        st.fragment(_show_task, run_every=every)(lesson, scene, number, is_done)
    if scene.asks:
        with st.container(key="tour_answer"):
            if is_done:
                with st.container(key="tour_why"):
                    st.html(_GRIP.format(_("Why?")))  # a phone's: it unfolds the answer
                    st.markdown(scene.answer)
                    _show_sentence(scene)
            _hold_room("answer", scene.answer, scene.remember)
    with st.container(key="tour_way"):
        _show_way_on(lesson, number, is_done)


def _show_words(scene: Scene) -> str:
    """Shows the title and the words; returns those behind the first sentence."""
    title = as_written(scene.title)
    is_sentence = scene.title.endswith(_ENDS)
    head = f"**{title}**" if is_sentence else _("**{title}.**", title=title)
    first, rest = cut_first(scene.words)
    st.markdown("\n\n".join(filter(None, (head, first, rest))))
    return rest


def _show_to_class(scene: Scene, waits: bool) -> None:
    """Shows the words, and what is asked or, once that was told, what to press."""
    with st.container(key="tour_words"):
        _show_words(scene)
    if waits:
        with st.container(key="tour_reply"), st.container(key="tour_asked"):
            st.markdown(scene.question)
    elif scene.task:
        with st.container(key="tour_task"):
            st.markdown(f":material/arrow_forward: {scene.task}")


def _show_question(lesson: GuidedLesson, scene: Scene, number: int, is_done: bool) -> None:
    """Asks, then repeats what was said, and once the task is done says whether it is right."""
    said = _said(lesson).get(number)
    if not scene.asks:
        with st.expander(scene.question, key=f"tour_question_{number}"):
            st.markdown(scene.answer)
            _show_sentence(scene)
        return
    with st.container(key="tour_reply"):
        with st.container():
            if said is None:
                _show_asking(lesson, scene, number)
            else:
                _show_reply(scene, reply_of(scene, said), is_done)
        longest = max(scene.choices, key=len, default="")
        _hold_room("reply", scene.question, _verdict(scene, longest))


def _show_reply(scene: Scene, reply: str, is_done: bool) -> None:
    with st.container(key="tour_asked"):
        st.markdown(scene.question)
    right = "_right" if is_right(scene, reply) else ""
    with st.container(key=f"tour_told{right}" if is_done else "tour_said"):
        st.markdown(_verdict(scene, reply) if is_done else _in_words(scene, reply))


def _verdict(scene: Scene, reply: str) -> str:
    """Returns what was said, and what is right where that is something else."""
    said = _in_words(scene, reply)
    match is_right(scene, reply) if reply else None:
        case True:
            praise = _("Right.")  # among the braces of a text it would be no message
            return f"{said} :material/check_circle:\N{NO-BREAK SPACE}{praise}"
        case False:
            written = numeral if scene.reply in NUMBERS else str
            right = _("Not quite: **{right}**.", right=as_written(written(scene.right)))
            return f"{said} :material/cancel: {right}"
    return said


def _in_words(scene: Scene, reply: str) -> str:
    written = numeral if scene.reply in NUMBERS else str
    return _("You said **{reply}**.", reply=as_written(written(reply)))


def _show_sentence(scene: Scene) -> None:
    if scene.remember:
        with st.container(key="tour_remember"):
            st.markdown(f"**{scene.remember}**")


def _hold_room(name: str, *texts: str) -> None:
    """Keeps the room of what will be shown: as many letters, neither seen nor read aloud."""
    with st.container(key=f"tour_room_{name}"):
        for text in filter(None, texts):
            st.markdown(re.sub(r"\w", _hidden_letter, text))


def _hidden_letter(found: re.Match[str]) -> str:
    """Returns a letter that is as wide, and says nothing."""
    return "口" if east_asian_width(found[0]) in "WF" else "e"


def _show_asking(lesson: GuidedLesson, scene: Scene, number: int) -> None:
    """Asks for a choice, a word, a number or a share; one press says it."""
    key = f"tour_reply_{lesson.name}_{number}"
    args = lesson, number, key
    if scene.choices:
        st.pills(scene.question, scene.choices, key=key, on_change=_say, args=args)
    elif scene.reply == "a word":
        hint = _("A word, then Enter")
        st.text_input(scene.question, key=key, placeholder=hint, on_change=_say, args=args)
    else:
        with (
            st.form(f"{key}_form", border=False),
            st.container(horizontal=True, vertical_alignment="bottom"),
        ):
            if scene.reply == "a share":
                st.slider(scene.question, 0, 100, 50, format="%d %%", key=key)
            else:  # a browser's own field for numbers reads commas and digits in its own way
                st.text_input(scene.question, key=key, autocomplete="off")
            st.form_submit_button(_("Say it"), on_click=_say, args=args)
        if refused := st.session_state.pop(_REFUSED, ""):
            st.caption(refused)


def _show_task(lesson: GuidedLesson, scene: Scene, number: int, was_done: bool) -> None:
    is_done = _was_done(lesson, scene, number)
    if scene.task:
        icon = ":material/check_circle:" if is_done else ":material/arrow_forward:"
        st.markdown(f"{icon} {scene.task}")
    if is_done and not was_done:
        st.rerun()  # the clock stops with the whole page, its answer shows and its way on is lit


def _was_done(lesson: GuidedLesson, scene: Scene, number: int) -> bool:
    """Returns whether a scene's task was done since its question was answered: it stays so."""
    if _waits(lesson, scene, number):
        return False
    known: set[tuple[str, int]] = st.session_state.setdefault(_DONE, set())
    if _is_done(scene):
        known.add((lesson.name, number))
    return (lesson.name, number) in known


def _is_done(scene: Scene) -> bool:
    if scene.is_done is None:
        return True
    # what components tell are mappings that answer to any name
    kept = [one for one in st.session_state.to_dict().values() if not isinstance(one, Mapping)]
    return scene.is_done(kept)


def _show_way_on(lesson: GuidedLesson, number: int, is_done: bool) -> None:
    said = _said(lesson)
    more = dict([*([("said", write_said(said))] if said else []), *around_links()])
    n_scenes = len(lesson.scenes)
    back = lesson.address(number - 1, **more) if number > 1 else f"{LIST}{chosen()}"
    end = f"{LIST}?{urlencode({'done': lesson.name, **more})}"
    following = lesson.address(number + 1, **more) if number < n_scenes else end
    is_open = lesson.scenes[number - 1].asks and number not in said
    links = Markup(
        '<nav class="tour-links" aria-label="{}"><a href="{}">{}</a>'
        '<a class="{}" href="{}">{}</a></nav>'
    ).format(
        _("Scenes"),
        *(back, _("‹ Back") if number > 1 else _("‹ Lessons")),
        *("is-next" if is_done else "", following, _("Skip ›") if is_open else _("Continue ›")),
    )
    st.html(links)
    left = lesson.name, st.query_params.get("scene", "1")
    with st.container(horizontal=True, vertical_alignment="center"):
        place = _("Scene {number} of {n_scenes}", number=number, n_scenes=n_scenes)
        st.caption(place, width="content")
        st.button(_("Leave"), key="tour_leave", type="tertiary", on_click=_leave, args=(left,))


def around_links() -> list[tuple[str, str]]:
    """Returns what keeps the next scene as large as this one, and in the language chosen."""
    said = [(NAME, language().tag)] if chosen() else []
    return [*said, *([("present", "1")] if is_presenting() else [])]


def _leave(scene: tuple[str, str]) -> None:
    """Ends the lesson; the page stays as it is."""
    st.session_state.pop(_LAST, None)
    st.session_state[_LEFT] = scene


def _show_way_back() -> None:
    """Leads back to the scene that was left by a link of the page."""
    if _LAST in st.session_state:
        name, number = st.session_state[_LAST]
        try:
            lesson = read_lesson(name)
            address = lesson.address(number, **dict(around_links()))
        except (LessonError, IndexError):  # another file by now
            return
        back = _("Back to {title}, scene {number}", title=lesson.title, number=number)
        st.html(Markup('<a href="{}">{}</a>').format(address, back))
