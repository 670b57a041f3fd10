"""The app's settings: quick, quiet, offline, and legible in both themes."""

import asyncio
import re
import tomllib
import weakref
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
from starlette.applications import Starlette
from streamlit import config
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.NewSession_pb2 import CustomThemeConfig, NewSession
from streamlit.runtime import app_session
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.script_data import ScriptData
from streamlit.runtime.scriptrunner_utils import script_run_context
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager
from streamlit.web.server.starlette.starlette_agent_routes import create_agent_routes

from pages.frame.patches import (
    forget_who_left,
    keep_theme,
    send_fragments_whole,
    watch_no_sources,
)
from tests.architecture.sources import OUR_OWN, python_files, read
from tests.charts.test_palette import contrast, linear
from tests.frame.asgi import ask, run_apart
from viz.palette import FONT, MONO, THEMES, Theme, code

SETTINGS: dict[str, Any] = tomllib.loads(read(".streamlit/config.toml"))
READABLE, VISIBLE = 4.5, 3.0  # WCAG AA for text; for marks and icons


@pytest.mark.parametrize(
    ("section", "name", "value"),
    [
        ("runner", "postScriptGC", False),  # no press waits for a walk over all that torch made
        ("runner", "fastReruns", False),  # one reader is never on two threads
        ("browser", "gatherUsageStats", False),
        ("client", "showErrorDetails", "none"),  # no traceback reaches a person
    ],
)
def test_the_app_is_quick_and_quiet(section: str, name: str, value: object) -> None:
    assert SETTINGS[section][name] == value


def test_no_program_drives_a_page_without_a_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit's agent interface, over HTTP and as MCP; where it is on, it says so itself."""
    assert SETTINGS["server"]["enableAgentApi"] is False

    def says(*, is_on: bool) -> str:
        with monkeypatch.context() as patch:
            own = config.get_option
            said = {"server.enableAgentApi": is_on}
            patch.setattr(config, "get_option", lambda name: said.get(name, own(name)))
            app = Starlette(routes=create_agent_routes(Mock(), None))
        if not is_on:
            json = {"content-type": "application/json"}
            for path in ("interact", "mcp"):
                assert "not_available" in ask(app, f"/_stcore/agent/{path}", json, "POST").text
        return ask(app, "/_stcore/agent/openapi.json").text

    assert "switched off" in says(is_on=SETTINGS["server"]["enableAgentApi"])
    assert "switched off" not in says(is_on=True)


def names_of(options: dict[str, Any], above: str = "") -> Iterator[str]:
    for name, value in options.items():
        yield from names_of(value, f"{above}{name}.") if isinstance(value, dict) else [above + name]


def test_streamlit_knows_every_setting() -> None:
    """An option that a new version drops would be ignored with a line in the log."""
    config.get_option("server.port")  # reads the defaults
    assert set(names_of(SETTINGS)) <= set(config._config_options_template)


def test_no_source_is_watched_after_a_lost_connection_either(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(AppSession, "register_file_watchers", AppSession.register_file_watchers)
    watch_no_sources()

    async def come_back() -> AppSession:
        sessions = WebsocketSessionManager(MemorySessionStorage(), Mock(), Mock(), None)
        script = ScriptData("app.py", is_hello=False)
        name = sessions.connect_session(Mock(), script, {})
        sessions.disconnect_session(name)
        sessions.connect_session(Mock(), script, {}, existing_session_id=name)
        (resumed,) = sessions.list_active_sessions()
        return resumed.session

    assert run_apart(come_back())._local_sources_watcher is None


def test_a_run_sends_the_theme_that_streamlit_would_put_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def themes() -> CustomThemeConfig:
        theme = NewSession().custom_theme
        app_session._populate_theme_msg(theme)
        app_session._populate_theme_msg(theme.light, "theme.light")
        app_session._populate_theme_msg(theme.sidebar, "theme.sidebar")
        return theme

    read, own = config.get_options_for_section, themes()
    monkeypatch.setattr(app_session, "_populate_theme_msg", app_session._populate_theme_msg)
    keep_theme()
    assert themes() == own
    assert own.light.primary_color == SETTINGS["theme"]["light"]["primaryColor"]
    assert not themes().HasField("sidebar")
    monkeypatch.setattr(config, "get_options_for_section", lambda name: read(name) | {"font": "A"})
    assert themes() == own, "nothing is read again"
    config._on_config_parsed.send()
    assert themes().body_font == "A"


def test_nothing_unsent_of_a_fragment_is_left_when_it_runs_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    refer = script_run_context.create_reference_msg
    monkeypatch.setattr(script_run_context, "create_reference_msg", refer)
    send_fragments_whole()
    for fragment_id, n_kept in (("", 2), ("other", 2), ("again", 0)):
        queue = ForwardMsgQueue()
        block, chart = (ForwardMsg() for _ in range(2))
        block.delta.add_block.allow_empty = True
        chart.delta.new_element.markdown.body = "a chart that the page has"
        chart.hash = "known"
        for message, path in ((block, [0, 2]), (chart, [0, 2, 0])):
            message.delta.fragment_id = fragment_id
            message.metadata.delta_path.extend(path)
        queue.enqueue(block)
        queue.enqueue(script_run_context.create_reference_msg(chart))
        queue.clear(retain_lifecycle_msgs=True, fragment_ids_this_run=["again"])
        assert len(queue) == n_kept


def test_who_left_is_forgotten_though_nobody_else_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MemorySessionStorage, "save", MemorySessionStorage.save)
    forget_who_left()

    async def leave() -> list[object]:
        storage = MemorySessionStorage(ttl_seconds=0.2)
        session = Mock(id="a")
        storage.save(SimpleNamespace(session=session))
        gone = weakref.ref(session)
        del session
        kept = [gone() is not None, storage.get("a") is not None]
        await asyncio.sleep(0.5)
        return [*kept, gone()]

    assert run_apart(leave()) == [True, True, None]


def test_fonts_need_no_network() -> None:
    assert "://" not in str(SETTINGS["theme"])
    assert (SETTINGS["theme"]["font"], SETTINGS["theme"]["codeFont"]) == (FONT, MONO)


@pytest.mark.parametrize("kind", THEMES)
def test_the_theme_s_colours_are_the_palette_s(kind: Theme) -> None:
    roles = {
        "backgroundColor": "paper",
        "secondaryBackgroundColor": "raised",
        "textColor": "ink",
        "linkColor": "ink",
        "borderColor": "line",
    }
    theme = SETTINGS["theme"][kind]
    assert {name: theme[name] for name in roles} == {
        name: code(role, kind) for name, role in roles.items()
    }


@pytest.mark.parametrize("kind", THEMES)
def test_what_is_pressed_is_legible_on_both_grounds(kind: Theme) -> None:
    theme = SETTINGS["theme"][kind]
    pressed = linear(theme["primaryColor"])
    for ground in ("backgroundColor", "secondaryBackgroundColor"):
        assert contrast(pressed, linear(theme[ground])) >= READABLE
    # a ticked box, and the light theme's white words on its buttons
    assert contrast(linear("#ffffff"), pressed) >= (READABLE if kind == "light" else VISIBLE)


def test_every_variable_of_ours_stands_in_the_table() -> None:
    name = re.compile(r"\bONE_TOKEN_[A-Z_]*[A-Z]\b")
    used = {found for path in python_files(*OUR_OWN) for found in name.findall(read(path))}
    table = read("docs/deployment.md").partition("## Every variable")[2]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    assert {found for row in rows for found in name.findall(row)} == used
    assert len(rows) == len(used)
