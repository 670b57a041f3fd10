"""The cache in fewer bits, or with a window: one slider of each, on what was measured for all."""

import streamlit as st

from model.job import Job
from model.kv_cache.fewer_bits import BITS, SmallCache, compare_small_caches, rounded
from model.kv_cache.records import FewerBits, SmallCacheRun
from pages.frame.experiment import TIMER, Experiment
from pages.frame.figures import show_chart, show_metrics
from pages.frame.job_panel import measured_on
from pages.frame.question import answered
from pages.lessons.kv_cache.settings import SETTINGS
from pages.lessons.kv_cache.state import CacheLesson
from viz.format import digits, plural, size
from viz.kv_cache.fewer_bits_chart import loss_figure, n_common, parting_strip

SAID = "kv_small_said"


class CacheInFewerBits(Experiment[CacheLesson]):
    """The same texts with every cache: held-out ones to score, the reader's to write on."""

    key, title = "kv_small", "In fewer bits, or with a window"
    button, icon = "Measure on my text", TIMER
    recorded = FewerBits
    claim = (
        "In half the bits a cache takes about half the bytes, and it stops growing when only the "
        "newest positions are kept. Keys are rounded per channel, values per token."
    )
    code = (compare_small_caches, SmallCache.read, SmallCache._shrink, rounded)

    def _start(self) -> Job[FewerBits]:
        text = self.lesson.text
        prompt, seed = text.generation.ids, text.generation.seed
        return Job(compare_small_caches(self.lesson.lm, prompt, text.settings, seed))

    def _draw(self, job: Job[FewerBits]) -> None:
        found = job.result
        question = "At how many bits does the model first write another text?"
        if not answered(question, [_at(bits) for bits in BITS[1:]], _first_parted(found), SAID):
            return
        with st.container(horizontal=True):
            bits = SETTINGS.widget("small_bits", width=320)
            window = SETTINGS.widget("small_window", width=320)
        full, chosen = found.runs[0], found.run(bits, window)
        _numbers(found, chosen)
        where = measured_on(job, self.lesson.lm).where
        show_chart(loss_figure(found, chosen, where), "kv_small_loss")
        for column, name, run in zip(
            st.columns(2, gap="medium"), ("Full cache", "This one"), (full, chosen), strict=True
        ):
            column.caption(name)
            column.html(parting_strip(full, run))
        st.markdown(_verdict(full, chosen))


def _numbers(found: FewerBits, chosen: SmallCacheRun) -> None:
    full = found.runs[0]
    lost, length = chosen.nats - full.nats, plural(found.n_longest, "token")
    cells = [
        ("bytes", size(chosen.n_bytes), f"of {size(full.n_bytes)}, packed, scales counted"),
        ("loss", f"{chosen.nats:.3f}", f"nats per token, {lost:+.3f} beside the full cache"),
        ("smaller by", f"{digits(full.n_bytes / chosen.n_bytes, 2)} to 1", f"after {length}"),
    ]
    show_metrics(cells, "kv_small_numbers")


def _first_parted(found: FewerBits) -> str:
    """Says at how many bits, with all positions, the text is first another one."""
    full = found.runs[0].written
    parted = [run.bits for run in found.runs if not run.window and run.written != full]
    return _at(max(parted)) if parted else "at none of these"


def _at(bits: int) -> str:
    return f"at {bits} bits"


def _verdict(full: SmallCacheRun, chosen: SmallCacheRun) -> str:
    """Says where this text parts."""
    n = n_common(full.written, chosen.written)
    is_same = n == len(full.written) == len(chosen.written)
    here = "The same text to its end." if is_same else f"The texts part after {plural(n, 'token')}."
    return (
        f"{here} Outlined is what the full cache did not write. Another text is not yet a worse "
        "one: the loss says how much worse."
    )
