"""A setting that is a text given by its tokens' ids, so that a link names it exactly."""

from collections.abc import Sequence
from dataclasses import dataclass

from model.sentences import Sentence
from pages.frame.fields import Field
from pages.frame.values import whole_of


@dataclass(frozen=True)
class TokenIds(Field):
    """The tokens of a continuation, by their ids."""

    default: tuple[int, ...] = ()
    most: int = 24  # tokens

    def read(self, text: str) -> tuple[int, ...]:
        """Returns the ids between the commas."""
        written = text.split(",", self.most) if text else []
        ids = [number for one in written if (number := whole_of(one)) is not None]
        if len(ids) < len(written) or len(ids) > self.most:
            raise ValueError(
                Sentence(
                    "“{setting}” must be up to {most} token ids with commas between them, "
                    "not “{given}”",
                    **self.named(text),
                    most=self.most,
                )
            )
        return tuple(ids)

    def write(self, value: Sequence[int]) -> str:
        """Returns the ids with commas between them."""
        return ",".join(map(str, value))
