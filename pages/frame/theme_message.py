"""The theme in the first message of a run: Streamlit 1.67 puts it together anew for every press.

For each of six sections it goes through all its options: over half of what the event loop does to
begin a run. Here a section is put together once, and again where Streamlit reads its config anew.
"""

from __future__ import annotations

from functools import cache

from streamlit import config
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.runtime import app_session


def keep_theme() -> None:
    """Let each run send the theme as it was put together for the first."""
    populate = app_session._populate_theme_msg

    @cache
    def packed(section: str) -> bytes:
        theme = CustomThemeConfig()
        populate(theme, section)
        message: bytes = theme.SerializeToString()
        return message

    def copy_theme(msg: CustomThemeConfig, section: str = "theme") -> None:
        if theme := packed(section):
            msg.MergeFromString(theme)

    app_session._populate_theme_msg = copy_theme
    config.on_config_parsed(packed.cache_clear, force_connect=True)
