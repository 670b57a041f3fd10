"""A prompt in a model's chat template, which is a program of the model's author.

It may never end and may write without end, so that it runs in another process.
"""

from collections.abc import Mapping
from typing import Any

from transformers.utils.chat_template_utils import render_jinja_template

from model.machine.child import Child, answer

_MAX_WRITTEN = 1_000_000  # characters
_TEMPLATES = Child("model.chat_template", seconds=1)


def write_in_template(tokenizer: Any, text: str) -> str:
    """Returns one user message in the template of a tokenizer, ready for the answer.

    Raises:
        ValueError: what went wrong, in a few words.
    """
    written: str = _TEMPLATES.ask(
        template=tokenizer.get_chat_template(),
        text=text,
        special_tokens=tokenizer.special_tokens_map,
    )
    return written


def writes_date(tokenizer: Any) -> bool:
    """Tells whether a template asks for the date, so that it writes another text tomorrow."""
    return "strftime_now" in tokenizer.get_chat_template()


def render(template: str, text: str, special_tokens: Mapping[str, Any]) -> str:
    """Writes the message as transformers does."""
    messages = [{"role": "user", "content": text}]
    rendered: Any = render_jinja_template(
        [messages], chat_template=template, add_generation_prompt=True, **special_tokens
    )
    written: str = rendered[0][0]
    if len(written) > _MAX_WRITTEN:
        raise ValueError(f"it wrote {len(written):,} characters")
    return written


if __name__ == "__main__":
    answer(render)
