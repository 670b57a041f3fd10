"""The dialog in which a reader chooses the model: by a name, or out of lists.

What it costs is said before it is fetched: on disk, in memory, in seconds for each token. Then one
job fetches and loads it, and the page goes on with it.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import streamlit as st

from model.job import Job
from model.loading import LanguageModel, LoadError
from model.weights.check import check_causal
from model.weights.device import choose_devices, choose_dtype
from model.weights.facts import ModelFacts, facts_of_folder, facts_of_hub, small_models
from model.weights.hub import ask, host, is_offline
from pages.frame.attempts import made_or_said
from pages.frame.job_panel import JobPanel, Jobs, is_running, stop
from pages.frame.layout import as_written
from pages.frame.models import opening
from pages.frame.offers import (
    folder_of,
    is_restricted,
    models_here,
    name_of,
    offered_models,
    server_model,
    takes_names,
)
from pages.frame.words import N_, _, island, numeral
from pages.home.model_in_words import (
    DEVICES,
    FORMATS,
    brief,
    costs,
    id_behind,
    in_bits,
    in_words,
    summary,
)
from viz.format import size

IS_OPEN, NAME = "choosing_model", "model_name"
WANTED = "wanted_model"  # with the model itself, for the page to go on with
OPENED = "opened_model"  # what the job opens, or opened last
JOB = "open_model"
ON_SERVER = N_("Its weights are on the server that this page asks")


@dataclass(frozen=True)
class Wanted:
    """The model that a reader asks for."""

    name: str
    device: str = "auto"
    dtype: str = "auto"

    @property
    def place(self) -> str:
        """The device to load it on: "auto" for the usual one, which small models may stay off."""
        return "auto" if self.device == choose_devices("auto")[0].type else self.device

    def is_in_use(self, lm: LanguageModel) -> bool:
        """Tells whether it is this one."""
        if lm.local is None:
            return self.name == lm.name
        place = choose_devices(self.place, lm.n_parameters * lm.dtype.itemsize)[0]
        same_place = place.type == lm.device.type
        return self.name == lm.name and same_place and choose_dtype(self.dtype, place) == lm.dtype


def model_button(lm: LanguageModel) -> None:
    """Draws the button that names the model in use and opens the dialog."""
    st.button(
        _("Model: {model}", model=as_written(lm.name.rpartition("/")[2])),
        key="choose_model",
        icon=":material/unfold_more:",
        icon_position="right",
        help=_("Choose another model: GPT-2, SmolLM2, Qwen3, or any by its name"),
        on_click=open_dialog,
    )


def open_dialog() -> None:
    """Opens the dialog: on the lists, or on the model that is being opened."""
    is_busy = is_running(_jobs(), JOB)
    st.session_state[IS_OPEN] = True
    st.session_state[NAME] = st.session_state[OPENED].name if is_busy else ""


def _jobs() -> Jobs:
    jobs: Jobs = st.session_state.setdefault("model_jobs", {})
    return jobs


def show_dialog(lm: LanguageModel) -> None:
    """Shows the dialog while it is open."""
    if st.session_state.get(IS_OPEN):
        # the title is said when the dialog is made, and so in each reader's language
        st.dialog(_("Choose a model"), width="medium", on_dismiss=close_dialog)(_dialog)(lm)


def close_dialog() -> None:
    """Closes the dialog; a download goes on."""
    st.session_state[IS_OPEN] = False


def _dialog(lm: LanguageModel) -> None:
    is_busy = is_running(_jobs(), JOB)
    if takes_names():
        st.text_input(
            _("Name of a model"),
            key=NAME,
            placeholder="openai-community/gpt2",
            disabled=is_busy,
        )
        any_model = _(
            "Any causal language model of {host} by its id, or id@revision; or a folder. Type it "
            "and press Enter, or choose one below.",
            host=host(),
        )
        folder = _(
            "A folder that this server offers. Type it and press Enter, or choose one below."
        )
        st.caption(folder if is_restricted() else any_model)
    # each format is one more copy in memory: those who share a server take what it chooses
    device, dtype = _defaults() if is_restricted() else _formats(is_busy)
    if name := (st.session_state.get(NAME) or "").strip():
        _offer(Wanted(name, device, dtype), lm)
        st.button(_("Other models"), type="tertiary", on_click=_forget, key="other_models")
    else:
        _lists(lm, device, dtype)


def _formats(is_busy: bool) -> tuple[str, str]:
    """Lets the reader choose the device, where there are several, and the format of numbers."""
    kinds = [kind for kind in FORMATS if _has(kind)]
    with st.container(horizontal=True):
        device = _defaults()[0]
        if len(kinds) > 1:
            device = st.segmented_control(
                _("Device"),
                kinds,
                default=device,
                required=True,
                key="model_device",
                format_func=lambda kind: _(DEVICES[kind]),
                disabled=is_busy,
            )
        st.session_state.setdefault(f"model_dtype_{device}", _default_dtype(device))
        dtype = st.segmented_control(
            _("Number format"),
            FORMATS[device],
            required=True,
            key=f"model_dtype_{device}",
            format_func=in_bits,
            disabled=is_busy,
            help=_("16 bits take half the memory of 32; rounding may change a token."),
        )
    return device, dtype or _default_dtype(device)


def _defaults() -> tuple[str, str]:
    """Returns the device that models run on unless another is chosen, and the format there."""
    device = choose_devices("auto")[0].type
    return device, _default_dtype(device)


def _default_dtype(device: str) -> str:
    """Returns the format of numbers there."""
    return str(choose_dtype("auto", choose_devices(device)[0])).removeprefix("torch.")


def _has(kind: str) -> bool:
    try:
        return bool(choose_devices(kind))
    except LoadError:
        return False


# The model that is named


def _offer(wanted: Wanted, lm: LanguageModel) -> None:
    """Says what a model costs, and offers to fetch and use it."""
    facts = made_or_said(lambda: _facts(wanted.name))
    if facts is not None:
        wanted = replace(wanted, name=facts.name)
    if wanted != st.session_state.get(OPENED) and not is_running(_jobs(), JOB):
        _drop_job()  # of another
    if facts is None:
        return
    with st.container(border=True):
        st.markdown(f"**{island(in_words(facts.name))}** {summary(facts)}")
        is_there = facts.name == server_model()
        st.caption(_(ON_SERVER) if is_there else costs(facts, wanted.device, wanted.dtype))
        if wanted.is_in_use(lm):
            st.caption(_("It is in use."))
            return
        JobPanel(
            _jobs(),
            JOB,
            _press(facts),
            partial(_start, wanted),
            partial(_use, wanted),
            icon=None if facts.is_here else ":material/download:",
        ).show()


def _press(facts: ModelFacts) -> str:
    """Says what the button does."""
    if facts.is_here:
        return _("Use this model")
    if n_held := facts.n_bytes_held:
        return _(
            "Go on with the download: {held} of {size} are here",
            held=numeral(size(n_held)),
            size=numeral(size(facts.n_bytes)),
        )
    return _("Download {size} and use it", size=numeral(size(facts.n_bytes)))


def _start(wanted: Wanted) -> Job[LanguageModel]:
    st.session_state[OPENED] = wanted
    return Job(opening(wanted.name, wanted.place, wanted.dtype), is_idle=True)


def _drop_job() -> None:
    stop(_jobs(), JOB)
    _jobs().pop(JOB, None)
    st.session_state.pop(f"{JOB}_tried", None)


def _use(wanted: Wanted, job: Job[Any]) -> None:
    """Hands a model that is loaded to the page; the job held the only copy until then."""
    st.session_state[WANTED] = wanted, job.found
    _drop_job()
    close_dialog()
    st.rerun()


def offer_opening(name: str, dtype: str) -> None:
    """Opens the dialog on a model that a link asks for; a link alone fetches nothing."""
    device, usual = _defaults()
    st.session_state[f"model_dtype_{device}"] = usual if dtype == "auto" else dtype
    st.session_state[IS_OPEN] = True
    st.session_state[NAME] = name


def _facts(name: str) -> ModelFacts:
    """Returns what is known of a model; the hub is asked once for what nobody here knows.

    Raises:
        LoadError: Where it does not write, or cannot be had; one sentence.
    """
    facts = _known_facts(name) or _asked_facts(name)
    if facts.kind is not None:
        check_causal(facts.kind, facts.name)
    return facts


def _known_facts(name: str) -> ModelFacts | None:
    """Returns what is known here."""
    name = name_of(name)
    if name == server_model():
        return ModelFacts(name, 0, is_here=True)
    folder = folder_of(name)
    if folder is not None:
        return facts_of_folder(name, folder)
    return next((model for model in small_models() if model.name == name), None)


def _asked_facts(name: str) -> ModelFacts:
    """Returns what the hub knows; what it has by another name may be here by that."""
    asked: dict[str, ModelFacts] = st.session_state.setdefault("model_asked", {})
    if name not in asked:
        with st.spinner(_("Asking {host}…", host=host())):
            asked[name] = facts_of_hub(ask(name))
    return _known_facts(asked[name].name) or asked[name]


# The lists


def _lists(lm: LanguageModel, device: str, dtype: str) -> None:
    """Lists what is on this machine, and small models to fetch, as far as readers may have them."""
    here = list(dict.fromkeys([*offered_models(), *models_here(), lm.name]))
    _list(_("On this machine"), "model_here", {name: _here(name, lm) for name in here})
    if is_restricted():
        return
    if is_offline():
        st.caption(_("HF_HUB_OFFLINE is set, so nothing can be downloaded."))
        return
    small = {model.name: brief(model, device, dtype) for model in small_models()}
    others = {name: brief for name, brief in small.items() if name not in here}
    _list(_("Small models to download from {host}", host=host()), "model_small", others)


def _here(name: str, lm: LanguageModel) -> str:
    """Says of a model on this disk how large it is; of one that is offered, that it is not here."""
    try:
        where = _where(name)
    except LoadError:  # in memory alone
        where = ""
    in_use = _("in use") if name == lm.name else ""
    return " · ".join(filter(None, [id_behind(name), where, in_use])) or "\u00a0"


def _where(name: str) -> str:
    if name == server_model():
        return _(ON_SERVER)
    folder = folder_of(name)
    if folder is None:
        return _("to download")
    return numeral(size(facts_of_folder(name, folder).n_bytes))


def _list(title: str, key: str, described: dict[str, str]) -> None:
    st.radio(
        title,
        list(described),
        index=None,
        key=key,
        format_func=in_words,
        captions=list(described.values()),
        on_change=_take,
        args=(key,),
    )


def _take(key: str) -> None:
    """Puts the name that was chosen in a list where a typed one would stand."""
    st.session_state[NAME], st.session_state[key] = st.session_state[key], None


def _forget() -> None:
    """Shows the lists again."""
    _drop_job()
    st.session_state[NAME] = ""
