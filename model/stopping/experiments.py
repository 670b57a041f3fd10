"""A text as it streams, and the probability of the end token along a text that is written."""

from collections.abc import Sequence

import numpy as np

from model.generation import Generation
from model.job import Progress, Work
from model.loading import LanguageModel
from model.records import Stage
from model.sampling import Settings
from model.stopping import StopStrings, Stream
from model.stopping.records import EndCurve, EndStep, Moment
from model.tokenizing import bytes_at, encode_bare, label, newest_bytes


def moments(lm: LanguageModel, text: str, stop: StopStrings) -> tuple[Moment, ...]:
    """Returns what a client has after each token of a text; an end token follows the last.

    Raises:
        ValueError: the text cannot be taken apart.
    """
    ids = encode_bare(lm, text)
    stream, found = Stream(stop), list[Moment]()
    for position, token_id in enumerate(ids):
        data = bytes_at(lm.tokenizer, ids, position)
        after = stream.after(data)
        found.append(_moment(label(lm.tokenizer, token_id), data, stream, after))
        stream = after
        if stream.match is not None:
            return tuple(found)
    end_id = min(lm.end_ids, default=None)
    name = "end" if end_id is None else label(lm.tokenizer, end_id)
    found.append(_moment(name, b"", stream, stream.ended(), is_end=True))
    return tuple(found)


def _moment(
    name: str, data: bytes, before: Stream, after: Stream, *, is_end: bool = False
) -> Moment:
    held = b"" if after.match or is_end else after.rest
    return Moment(
        label=name,
        data=data,
        new=after.sent.removeprefix(before.sent),
        sent=after.sent,
        n_sent=after.n_sent,
        held=held,
        why="" if not held else "stop" if after.stop.n_begun(after.text) else "character",
        match=after.match.string if after.match else None,
        is_end=is_end,
    )


def stream_of(text: Generation) -> Stream:
    """Returns what a client has of a generated text, and what is held of it."""
    stream, tokenizer = Stream(text.stop), text.lm.tokenizer
    for token in reversed(list(newest_bytes(tokenizer, text.ids, text.n_prompt))):
        stream = stream.after(token)
    return stream if text.finished is None else stream.ended()


def segments_of(stage: Stage, ids: Sequence[int]) -> tuple[tuple[float, float], ...]:
    """Returns where some tokens lie on the draw bar: begin and end of each that is kept."""
    ends = np.cumsum(stage.best_probs)
    places = np.flatnonzero(np.isin(stage.order, ids))
    return tuple((float(ends[i] - stage.best_probs[i]), float(ends[i])) for i in places)


def write_to_the_end(
    lm: LanguageModel, prompt: str, settings: Settings, stop: Sequence[str], limit: int, seed: int
) -> Work[EndCurve]:
    """Writes a text until an end token, a stop string or a limit ends it.

    Raises:
        ValueError: the prompt cannot be read, or a stop string cannot be used.
    """
    text = Generation(lm, prompt, seed, max_new_tokens=limit, stop=stop)
    end_ids, steps = sorted(lm.end_ids), list[EndStep]()
    while text.finished is None:
        yield Progress(len(steps), limit, "tokens")
        stages, pointer = text.stages_for(settings), text.pointer
        raw, masked = (float(stage.of(end_ids)[1].sum()) for stage in (stages[0], stages[-1]))
        segments = segments_of(stages[-1], end_ids)
        step = text.step(settings)
        (drawn,) = segments_of(stages[-1], [step.token_id])
        steps.append(EndStep(step.text, raw, masked, segments, pointer, drawn))
    return EndCurve(
        steps=tuple(steps),
        finished=text.finished,
        stopped_by=text.stopped_by,
        sent=stream_of(text).sent,
        n_prompt_ends=sum(text.prompt_ids.count(end_id) for end_id in end_ids),
    )
