"""Where engines part: the same masks at the same values on the same distribution and pointer."""

import streamlit as st
from markupsafe import Markup

from model.draw import draw
from model.records import Stage
from model.sampling import Settings, process
from model.settings import ENGINES
from pages.frame.course import show_summary
from pages.frame.fields import write_fields
from pages.frame.question import answered, opening
from pages.frame.terms import explain
from pages.lessons.sampling.settings import CASES, SETTINGS, title
from pages.lessons.sampling.source import SHAPES
from pages.lessons.sampling.state import POINTER, LabControls
from viz.chart import Table
from viz.sampling.charts import table_html
from viz.sampling.pipelines_picture import Pipeline, Shares, pipelines_picture
from viz.strip import element

SAID = "engines_said"
QUESTION = "Four engines get the same bar and the same two settings. Which order keeps more tokens?"
SHOWN = CASES[0]
CUTS = "top_p"  # of those shown
FIRST, LAST = (f"{title(name).lower()} first" for name in SHOWN)
NEITHER = "neither"
TITLES = {"vllm": "vLLM", "ollama": "Ollama"}
_GIVEN = SHAPES["textbook"]


def show_pipelines() -> None:
    """Asks which order keeps more of one bar, then shows what each leaves of it."""
    flatter, share = (f"{title(name)} {value:g}" for name, value in SHOWN.items())
    words, notes = explain(
        f"{flatter} flattens the bar. {share} keeps the widest tokens that fill half of it.",
        "settings",
    )
    st.html(element("p", words, style="margin:0") + notes)
    found = pipelines(SHOWN)
    is_said = answered(QUESTION, (FIRST, LAST, NEITHER), _keeps_more(found), SAID)
    given = _shares(process(_GIVEN.logits, [], Settings())[-1])
    st.html(pipelines_picture(given, found, POINTER, is_covered=not is_said))
    show_summary("pages/engines.py", asked=SAID)
    st.caption(f"{_GIVEN.caption} The pointer is at {POINTER}.")


def _keeps_more(found: list[Pipeline]) -> str:
    """Says which of the two masks stands first where more tokens are left."""
    first = title(next(iter(SHOWN)))
    left = {one.masks[0].startswith(first): len(one.left) for one in found}
    return NEITHER if left[True] == left[False] else FIRST if left[True] > left[False] else LAST


def show_engines() -> None:
    """Shows what each engine draws by masks of which one, or their order, makes a difference."""
    st.header("Do four engines draw the same token?", anchor=False)
    opening(
        "The textbook’s distribution, the same masks at the same values, the pointer at "
        f"{POINTER}: which token each draws, and of how many that it kept. A mask that comes "
        "before the temperature, or before another mask, sees other probabilities."
    )
    st.html(table_html(rows()))
    st.caption("Derived, by the engines’ orders and their versions.")


def rows() -> Table:
    """Returns a row for each case: what each engine draws, and from how many tokens."""
    table: Table = []
    for masks in CASES:
        found = pipelines(masks)
        said = {one.engine: f"{one.token} of {len(one.left)}{one.lacking}" for one in found}
        table.append({"masks": _named(masks), **said, "on the bars": _link(masks)})
    return table


def pipelines(masks: dict[str, float]) -> list[Pipeline]:
    """Returns what each engine leaves of the textbook's distribution, and what it draws."""
    found = []
    controls = LabControls(**masks, use=tuple(masks))  # type: ignore[arg-type]  # by name
    for engine in ENGINES:
        settings = controls.settings(engine)
        stages = process(_GIVEN.logits, [], settings)
        stage = stages[-1]
        drawn = stage.order.tolist().index(draw(stage, POINTER))
        order = tuple(f"{title(name)} {masks[name]:g}" for name in settings.order if name in masks)
        lacks = tuple(title(name) for name in masks if name not in settings.order)
        name = TITLES.get(engine, engine)
        at = next((i for i, one in enumerate(stages) if one.name == CUTS), 0)
        given = _shares(stages[at - 1]) if at else ()
        found.append(Pipeline(name, order, lacks, _shares(stage), drawn, given, masks.get(CUTS, 0)))
    return found


def _shares(stage: Stage) -> Shares:
    labels = _GIVEN.labels or ()
    return tuple((labels[i], float(p)) for i, p in zip(stage.order, stage.best_probs, strict=True))


def n_drawn(masks: dict[str, float]) -> int:
    """Returns how many different tokens the engines draw."""
    return len({one.token for one in pipelines(masks)})


def _named(values: dict[str, float]) -> str:
    return ", ".join(f"{title(name)} {value:g}" for name, value in values.items())


def _link(values: dict[str, float]) -> Markup:
    shown = {"source": "textbook", "use": tuple(values), **values}
    address = f"/engines{write_fields(shown, SETTINGS.fields)}"
    return element("a", "see it", href=address, style="color:inherit")
