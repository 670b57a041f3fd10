"""Stop strings: C48."""

from model.claims.context import ExperimentContext
from model.claims.records import Finding
from model.claims.registry import experiment
from model.claims.verdicts import finding, judge_all
from model.generation import Generation
from model.stopping import StopStrings, Stream
from model.tokenizing import newest_bytes

N_TOKENS = 10  # of each text
LENGTH = 4  # characters of a stop string


@experiment("C48")
def stop_strings_are_tests_on_text(context: ExperimentContext) -> Finding:
    """Texts that a string ends which stands over the border of two tokens, token by token."""
    ends, unsent = list[bool](), list[bool]()
    for prompt in context.prompts(20):
        free = context.write(prompt=prompt, n=N_TOKENS)
        tokens = list(newest_bytes(context.lm.tokenizer, free.ids, free.n_prompt))[::-1]
        texts = [b"".join(tokens[:n]).decode(errors="ignore") for n in range(len(tokens) + 1)]
        string = _over_a_border(texts)
        if not string:
            continue
        expected = next(n for n, text in enumerate(texts) if string in text)
        text = Generation(context.lm, prompt, stop=string)
        for token_id in free.ids[free.n_prompt :]:
            if text.finished is None:
                text.step(token_id=token_id)
        ends.append(text.finished == "stop" and len(text.steps) == expected)
        before, stream = texts[expected].partition(string)[0], Stream(StopStrings((string,)))
        for token in tokens[:expected]:
            stream = stream.after(token)
            unsent.append(before.startswith(stream.sent))
    return finding(
        "{n:count} texts were ended by a string that begins in one token and ends in another.",
        judge_all("the text ends with the token that completes the string", ends, "texts"),
        judge_all("of the string nothing was sent before", unsent, "tokens"),
        numbers={"n": len(ends)},
    )


def _over_a_border(texts: list[str]) -> str:
    """Returns some characters around the last border of two tokens that has as many beside it."""
    half = LENGTH // 2
    for text in reversed(texts[:-1]):
        whole = texts[-1]
        if half <= len(text) <= len(whole) - half and whole.startswith(text):
            return whole[len(text) - half : len(text) + half]
    return ""
