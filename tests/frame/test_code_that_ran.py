"""The code beside the numbers comes when it is asked for, and goes when it is folded away."""

from streamlit.testing.v1 import AppTest

from model.generation import Generation
from model.source_code import source_of


def page() -> None:
    from model.generation import Generation
    from pages.frame.code_that_ran import show_code

    show_code(Generation.step, Generation.rewind, key="code")


def test_code_is_in_the_page_while_its_drawer_is_open() -> None:
    app = AppTest.from_function(page).run()
    shown = []
    for is_open in (False, True, False):
        app.session_state["code"] = is_open
        app.run()
        assert not app.exception
        shown.append([code.value for code in app.code])
    written = ["\n".join(source_of(f).lines) for f in (Generation.step, Generation.rewind)]
    assert shown == [[], written, []]
