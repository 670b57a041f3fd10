"""Two prompts that begin alike: what is kept, what is read anew, and what a class saves by it."""

import streamlit as st

from model.job import Job
from model.kv_cache import length_in_common
from model.kv_cache.prefix import change_word, n_reusable, reuse_prefix, share_prefix
from model.kv_cache.records import PrefixReuse
from model.tokenizing import encode_within, labels_of_text
from pages.frame.attempts import made_or_said
from pages.frame.experiment import TIMER, Experiment
from pages.frame.figures import show_chart, show_metrics
from pages.frame.job_panel import measured_on
from pages.frame.question import answered, lesson_asks, lesson_waits, opening
from pages.lessons.kv_cache.settings import SETTINGS
from pages.lessons.kv_cache.state import CacheLesson
from viz.kv_cache.prefix_charts import (
    changed_strip,
    changes_figure,
    kept_words,
    prefix_strip,
    reuse_figure,
    shared_cells,
)

MAX_TOKENS = 512  # of one prompt
N_RUNS = 7  # rounds, in each of which every text is read both ways
SAID = "kv_prefix_said"
QUESTION = "One word of a prompt that was read is changed. Which change keeps most of the cache?"
CHANGES = {"the first word": 0.0, "a middle word": 0.5, "the last word": 1.0}


class PrefixCaching(Experiment[CacheLesson]):
    """Two prompts, the second read from where they part."""

    key, title = "kv_prefix", "Prefix caching: a common start is read once"
    button, icon = "Read both", TIMER
    recorded = PrefixReuse
    claim = (
        "A prompt is edited and sent again, or sent by another reader with another question. "
        "What two prompts begin with in common is read once, and kept."
    )
    labels: tuple[str, ...] | None = None  # of the second prompt, as it stands in its field
    code = (reuse_prefix, n_reusable, length_in_common, share_prefix)

    def _begin(self) -> None:
        """Asks which change keeps most."""
        self.is_said = answered(QUESTION, list(CHANGES), list(CHANGES)[-1], SAID)
        if self.is_said:
            opening(
                "Keys and values depend on the tokens before them, and on none after. From the "
                "first token that differs, all is read anew: a change at the start costs "
                "everything, one at the end nearly nothing."
            )

    def _fields(self, is_running: bool) -> None:
        """Offers to change a word of the first prompt, which then is the second one."""
        if not self.is_said or lesson_asks():
            return
        for i, (name, share) in enumerate(CHANGES.items()):
            key = f"kv_change_{i}"
            pressed = st.button(
                f"Change {name}", key=key, on_click=_change, args=(share,), disabled=is_running
            )
            if pressed:
                st.rerun()  # the second prompt's field stands outside this part

    def _ids(self, name: str) -> list[int]:
        return encode_within(self.lesson.lm, SETTINGS[name], MAX_TOKENS)

    def _show_both(self) -> None:
        """Shows both prompts as their tokens, or says why one cannot be read."""
        with st.container(key="kv_prefix_tokens"):
            made_or_said(lambda: self._show_tokens(SETTINGS["unit"]))

    def _show_tokens(self, block: int) -> None:
        """Shows what of both prompts is kept; raise ValueError where one cannot be read."""
        first, second = self._ids("first"), self._ids("second")
        n_common, n_kept = length_in_common(first, second), n_reusable(first, second, block)
        roles = "rejected", "generated"
        for column, ids, role in zip(
            st.columns(2, gap="medium"), (first, second), roles, strict=True
        ):
            self.labels = labels_of_text(self.lesson.lm, ids)
            column.html(prefix_strip(self.labels, n_common, n_kept, block, role))
        st.caption(kept_words(len(second), n_common, n_kept, block))

    def _start(self) -> Job[PrefixReuse]:
        return Job(
            reuse_prefix(self.lesson.lm, self._ids("first"), self._ids("second"), N_RUNS),
            is_timed=True,
        )

    def _draw(self, job: Job[PrefixReuse]) -> None:
        if lesson_asks():
            self._show_changes()
            return
        if not self.is_said:
            return
        self._show_both()
        reuse, where = job.result, measured_on(job, self.lesson.lm).where
        is_in_blocks = SETTINGS["unit"] > 1
        found = reuse.by_block if is_in_blocks else reuse.by_token
        if self.labels not in (None, reuse.labels):
            st.caption(f"These passes read other prompts: press “{self.button}” for those above.")
        show_chart(reuse_figure(reuse, found, where), "kv_reuse")
        show_chart(changes_figure(reuse, where), "kv_changes")
        st.subheader("A class on one system prompt", anchor=False)
        n_readers = SETTINGS.widget("readers", width=190)
        shared = share_prefix(reuse, n_readers, is_in_blocks=is_in_blocks)
        show_metrics(shared_cells(shared), "kv_shared")
        st.caption(
            "Each reader sends a prompt as long as the second, which begins like the first. One "
            "is read after another, the first of them whole."
        )

    def _idle(self) -> None:
        if self.is_said:
            self._show_both()

    def _show_changes(self) -> None:
        """Shows the first prompt with each change, and once it was asked what of it is kept."""
        lm, text = self.lesson.lm, SETTINGS["first"]
        first = self._ids("first")
        for name, share in CHANGES.items():
            second = encode_within(lm, change_word(text, share), MAX_TOKENS)
            n_common, n_after = (length_in_common(first[::way], second[::way]) for way in (1, -1))
            changed = range(n_common, len(second) - n_after)
            n_kept = 0 if lesson_waits() else n_reusable(first, second)
            st.html(changed_strip(f"Change {name}", labels_of_text(lm, second), changed, n_kept))

    def _end(self) -> None:
        """Takes other prompts."""
        if not self.is_said or lesson_asks():
            return
        with st.expander("Other prompts, or blocks of tokens", key="kv_prefix_setup"):
            for column, name in zip(st.columns(2, gap="medium"), ("first", "second"), strict=True):
                with column:
                    SETTINGS.widget(name, height=140)
            SETTINGS.widget("unit")


def _change(share: float) -> None:
    SETTINGS.put(second=change_word(SETTINGS["first"], share))
