"""The settings of the class's page."""

from __future__ import annotations

from pages.frame.fields import Switch, Text, Whole
from pages.frame.models import DEFAULT_PROMPT
from pages.frame.settings_table import SettingsTable

SETTINGS = SettingsTable(
    "classroom",
    Text("prompt", "Text to start from", DEFAULT_PROMPT),
    Text(
        "script",
        "How it really goes on, if that is known; students do not see it",
        "",
        help="With it, the true token has a button, and everyone is scored on it.",
    ),
    Switch("may_write", "Students may write a word of their own", False),
    Whole("seconds", "Seconds to answer; 0 for no limit", 0, low=0, high=300),
    Text("question", "Question", "Which temperature suits a poem?", max_characters=300),
    Text("options", "Answers, one a line; without any, everyone writes a number", "0\n0.7\n1.5"),
    Text(
        "truth",
        "The true number, if it is known; you show it when you like",
        "",
        max_characters=20,
    ),
)
