"""The small pictures: each is small, and every page that a lesson opens has one."""

from pages.frame.small_pictures import OF_PAGES, PICTURES, small_picture
from pages.lessons.tour.scene_fields import PAGES
from pages.lessons.tour.scenes import lesson_names, read_lesson


def test_every_page_of_a_shipped_lesson_has_a_picture_of_a_few_cells() -> None:
    used = {scene.page for name in lesson_names() for scene in read_lesson(name).scenes}
    assert used <= OF_PAGES.keys() <= PAGES.keys()
    assert set(OF_PAGES.values()) <= PICTURES.keys()
    for name, cells in PICTURES.items():
        assert cells.count("/") < 5, name
        n_drawn = sum(letter not in " ./" for letter in cells)
        assert small_picture(name).count("<i ") == n_drawn > 0, name
