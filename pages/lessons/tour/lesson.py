"""The list of the guided lessons, and the end of one."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import streamlit as st
from markupsafe import Markup

from pages.frame.assets import style_of
from pages.frame.component import component
from pages.frame.contents import COURSE, LESSONS
from pages.frame.layout import as_written
from pages.frame.models import shared_model
from pages.frame.offers import DEFAULT_MODEL
from pages.frame.words import (
    Language,
    _,
    chosen,
    language,
    ngettext,
    numeral,
    pgettext,
    speaking,
    told,
)
from pages.lessons.tour.bar import LIST, around_links
from pages.lessons.tour.cards import card_picture
from pages.lessons.tour.paper import (
    FIRST,
    chapters,
    lesson_solutions,
    lesson_worksheet,
    marked,
    solutions,
    worksheet,
)
from pages.lessons.tour.said import is_right, read_said, reply_of
from pages.lessons.tour.scenes import (
    GuidedLesson,
    LessonError,
    Scene,
    lesson_names,
    misnamed,
    read_lesson,
)
from pages.lessons.tour.sentences import cut_first

PAPER = "paper"  # in a link: the worksheets are open
NBSP = "\N{NO-BREAK SPACE}"
BESIDE = 3  # cards beside each other
_progress = component("tour_progress", Path(__file__).with_name("progress.js"))
_story = component(
    "tour_story", Path(__file__).with_name("story.js"), Path(__file__).with_name("story.css")
)
_record = component("tour_record", Path(__file__).with_name("record.js"))


def show_lessons() -> None:
    """Lists the lessons of the folder; a faulty one says what is wrong with it."""
    if name := st.query_params.get("done"):
        try:
            _show_end(read_lesson(name))
        except LessonError as error:
            st.warning(as_written(told(error)))
        return
    st.html(style_of("lessons/tour/list.css"))
    st.markdown(_("Each scene asks a question, and shows the answer once you have said yours."))
    names = sorted(lesson_names(), key=in_course)
    foreign = dict[str, Language]()
    # where to begin stands alone; a school's own lessons stand among the others
    places = [st.container(), *st.columns(BESIDE, gap="small")]
    for number, name in enumerate(names):
        place, key = places[1 + (number - 1) % BESIDE if number else 0], f"tour_card_{number}"
        with place, st.container(border=True, key=key, height="stretch"):
            try:
                lesson = read_lesson(name)
            except LessonError as error:
                st.warning(as_written(told(error)))
                continue
            _show_lesson(lesson, number + 1)
            if lesson.language != language():
                foreign[name] = lesson.language
    for fault in misnamed():
        st.warning(as_written(_(fault)))
    spoken = {name: {"lang": own.tag, "dir": own.direction} for name, own in foreign.items()}
    _progress(key="tour_progress", data={"foreign": spoken}, height="content")
    _show_record()
    _show_paper()


def in_course(name: str) -> tuple[bool, int, str]:
    """Returns what the lessons are sorted by: the first one, then as their first pages stand."""
    stems = ["" if page.is_home else page.stem for page in LESSONS]
    try:
        place = stems.index(read_lesson(name).scenes[0].page)
    except LessonError:  # the list says why
        place = len(stems)
    return name != FIRST, place, name


def _show_paper() -> None:
    """Offers each part of the course as a worksheet, and as its solutions."""
    parts = chapters()
    if not parts:  # a school's own lessons are all about other pages, or faulty
        return
    is_open = PAPER in st.query_params  # the desk of a class sends its teacher here
    title = _("For teachers: worksheets and solutions to print")
    with st.expander(title, expanded=is_open, key="tour_paper"):
        part = st.selectbox(_("Part of the course"), parts, key="paper_part", format_func=_)
        with st.container(horizontal=True):
            _offer(_("Worksheet"), part, "worksheet", worksheet)
            _offer(_("Solutions"), part, "solutions", _solutions)


def _show_paper_of(lesson: GuidedLesson) -> None:
    """Offers a lesson as a worksheet, and as its solutions."""
    title = _("For teachers: worksheets and solutions to print")
    with st.expander(title, key="tour_paper"), st.container(horizontal=True):
        name = lesson.name
        _offer(_("Worksheet"), name, "worksheet", lesson_worksheet)
        _offer(_("Solutions"), name, "solutions", _solutions_of_lesson)


def _offer(label: str, part: str, kind: str, make: Callable[[str], str]) -> None:
    """Offers a paper of a part of the course or of a lesson, made when it is asked for."""
    spoken = language()

    def made() -> str:
        with speaking(spoken):  # it is asked for outside of the page's run
            return make(part)

    st.download_button(
        label,
        made,
        file_name=f"{part.lower().replace(' ', '-')}-{kind}.html",
        mime="text/html",
        key=f"paper_{kind}",
        on_click="ignore",
    )


def _solutions(part: str) -> str:
    return solutions(part, shared_model(DEFAULT_MODEL))


def _solutions_of_lesson(name: str) -> str:
    return lesson_solutions(name, shared_model(DEFAULT_MODEL))


def _show_lesson(lesson: GuidedLesson, place: int) -> None:
    """Shows the card of a lesson, with its place on the way through all of them."""
    if picture := card_picture(lesson.scenes[0].page):
        st.html(picture)
    st.header(f"{numeral(str(place))}. {as_written(lesson.title)}", anchor=False)
    first, rest = cut_first(lesson.about)
    if first:
        with st.container(key=f"tour_hook_{lesson.name}"):
            st.markdown(first)
    if rest:
        st.markdown(rest)
    if lesson.fault:
        shown = _("{fault} Until then it is shown in English.", fault=_(lesson.fault))
        st.warning(as_written(shown))
    more = dict(around_links())
    items = Markup("").join(
        Markup('<li><a href="{}">{}</a></li>').format(lesson.address(number, **more), scene.title)
        for number, scene in enumerate(lesson.scenes, start=1)
    )
    n_scenes = ngettext("{n} scene", "{n} scenes", len(lesson.scenes))
    st.html(
        Markup(
            '<div class="tour-card" id="tour-{}"><p class="tour-links">'
            '<a class="is-next" href="{}">{}</a></p>'
            '<div class="tour-way" hidden><i></i></div>'
            '<details class="tour-scenes"><summary>{}</summary><ol>{}</ol></details></div>'
        ).format(
            lesson.name,
            lesson.address(1, **more),
            _("Begin here") if place == 1 else pgettext("a lesson", "Start"),
            n_scenes,
            items,
        )
    )


def _show_end(lesson: GuidedLesson) -> None:
    """Gives back the story that was written, and says what to remember, beside what was said."""
    st.html(style_of("lessons/tour/end.css"))
    st.header(_("Done: {title}", title=as_written(lesson.title)), anchor=False)
    _story(key="tour_story", data=_record_page(), height="content")
    with st.container(key="tour_end"):
        _show_links(lesson)
        st.html(_sentences(lesson))
        _show_paper_of(lesson)
    own = lesson.language
    spoken = {} if own == language() else {"": {"lang": own.tag, "dir": own.direction}}
    data = {"ended": lesson.name, "foreign": spoken}
    _progress(key="tour_progress", data=data, height="content")


def _sentences(lesson: GuidedLesson) -> Markup:
    """Writes what to remember, each sentence with the way to its scene, and what was said there."""
    said, more = read_said(st.query_params.get("said", "")), dict(around_links())
    items = Markup("")
    for number, scene in enumerate(lesson.scenes, start=1):
        if not scene.remember:
            continue
        reply = reply_of(scene, said.get(number, ""))
        told = Markup(" <small>{}</small>").format(_said_in_words(scene, reply)) if reply else ""
        items += Markup('<li value="{}"><p><a href="{}">{}</a>{}</p></li>').format(
            number, lesson.address(number, **more), marked(scene.remember), told
        )
    return Markup('<ol class="tour-kept" aria-label="{}">{}</ol>').format(_("To remember"), items)


def _show_links(lesson: GuidedLesson) -> None:
    """Leads on from the end of a lesson: to the next one, to what was seen on paper, to all."""
    names = sorted(lesson_names(), key=in_course)
    links = [(f"{LIST}{chosen()}", _("All lessons"))]
    with suppress(LessonError):  # the list says why
        for name in names[names.index(lesson.name) + 1 :][:1]:
            following = read_lesson(name)
            address = following.address(1, **dict(around_links()))
            links.insert(0, (address, _("Next: {title}", title=following.title)))
    looks = ("is-next", *[""] * len(links))
    first, *others = [
        Markup('<a class="{}" href="{}">{}</a>').format(look, *link)
        for look, link in zip(looks, links, strict=False)
    ]
    paper = Markup('<button type="button" class="tour-print">{}</button>').format(
        _("Print what I saw")
    )
    items = Markup("").join([first, paper, *others])
    st.html(Markup('<p class="tour-links">{}</p>').format(items))


def _said_in_words(scene: Scene, reply: str) -> str:
    said = _("You said “{answer}”.", answer=reply)
    match is_right(scene, reply):
        case True:
            return f"{said} {_('✓ Right.').replace(' ', NBSP)}"
        case False:
            return f"{said} {_('Right is “{answer}”.', answer=scene.right)}"
    return said


def _show_record() -> None:
    """Shows what this browser has kept of the reader's way: the server is told nothing of it."""
    _record(key="tour_record", data=_record_page(), height="content")


def _record_page() -> dict[str, object]:
    """Returns what the reader's own page says besides what the browser has kept."""
    pages = [
        (Path(page.path).stem, _(page.title))
        for page in LESSONS
        if page.part in COURSE and not page.is_home
    ]
    title = _("What I saw, with my own numbers")
    return {"title": title, "pages": pages, "chosen": chosen()}
