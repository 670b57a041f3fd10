"""The small pictures: each is small, and every page that a lesson opens has one."""

import re

from pages.frame.small_pictures import OF_PAGES, PICTURES
from pages.lessons.tour.scene_fields import PAGES
from pages.lessons.tour.scenes import lesson_names, read_lesson
from tests.driving.harness import ROOT

UNSEEN = " ./o"  # the last: kept in the cache, and so not computed


def test_every_page_of_a_shipped_lesson_has_a_picture_of_a_few_cells() -> None:
    used = {scene.page for name in lesson_names() for scene in read_lesson(name).scenes}
    assert used <= OF_PAGES.keys() <= PAGES.keys()
    assert set(OF_PAGES.values()) == PICTURES.keys()
    source = (ROOT / "pages" / "frame" / "live" / "cells.js").read_text("utf-8")
    known = set(re.findall(r"^  (\w): ", source, re.MULTILINE))
    for name, cells in PICTURES.items():
        assert cells.count("/") < 5, name
        assert set() < set(cells) - set(UNSEEN) <= known, name
