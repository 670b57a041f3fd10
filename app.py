"""The table of contents: pages by section, then run; beside it what the phones of a class open."""

import streamlit as st
from streamlit.starlette import App

from pages.frame.contents import APP, sections

if __name__ == "__main__":  # a reader's visit
    from pages.frame.words import _
    from pages.lessons.tour.bar import show_bar

    page = st.navigation(
        {
            section: [
                st.Page(lesson.path, title=_(lesson.title), default=lesson.is_home)
                for lesson in lessons
            ]
            for section, lessons in sections().items()
        },
        position="top",
    )
    is_home = page.url_path == ""
    st.set_page_config(page_title=APP if is_home else f"{page.title} · {APP}", layout="wide")
    # one place, empty or not: what is below it never moves, nor mounts anew
    with st.container(key="above"):
        show_bar(page.url_path)
    page.run()
else:  # the server, which `streamlit run app.py` starts
    from pages.frame import (
        assets,
        connections,
        first_paint,
        gc_tuning,
        guard,
        labels,
        patches,
        readers,
        uploads,
    )
    from pages.home import page_model, route
    from pages.lessons.classroom import check, desk, phone, projector

    patches.watch_no_sources()
    patches.keep_theme()
    patches.send_fragments_whole()
    patches.forget_who_left()
    patches.switch_threads_often()
    readers.believe_named_proxies()
    connections.raise_file_limit()
    connections.bound_connections()
    patches.send_at_once()
    gc_tuning.share_heap()
    gc_tuning.collect_once_a_minute()
    base = first_paint.base_path()
    routes = (
        *first_paint.routes(base),
        *labels.routes(base),
        *route.routes(base),
        *page_model.routes(base),
        *(route for page in (phone, projector, desk, check) for route in page.routes(base)),
    )
    before = guard.middleware() + uploads.middleware() + assets.middleware(base)
    app = App(__file__, routes=routes, middleware=before)
