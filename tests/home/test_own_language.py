"""A prompt in another language than the model’s: when it is said, and what of its tokens."""

from typing import Any
from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import Page

from model.held_out import held_out
from model.loading import LanguageModel, load_model
from model.tokenizing import encode, encode_bare, pieces
from pages.frame import offers
from pages.home.facts import MULTILINGUAL, trained_on
from pages.home.payload import describe_piece
from tests.home.test_prompts import EXAMPLES
from tests.tiny_models import tiny

# with 0.6 of the stories' bytes a token as the limit, of 34 sentences in six languages one was not
# told, and of 1,143 pieces of three to eight words of held-out stories four were
STRANGE = (
    *("Der Vogel saß auf der Straße", "L’oiseau était assis sur la", "El pájaro se sentó en la"),
    *("从前有一只小鸟", "جلس الطائر على", "Жил-был король", "Bir zamanlar küçük bir kuş"),
    *("Il était une fois une petite fille", "Le chat dort sur le canapé", "Bonjour tout le monde"),
    *("Ein kleiner Junge hatte einen roten Ball", "El rey estaba muy contento"),
)
PLAIN = (
    *("Once upon a time", "The temperature of the sea in summer", "Straße"),  # or too short
    *("My name is Aleksandra and I live in Gdynia", "Shakespeare wrote Hamlet"),
)
# what is shown of prompts, one after the other
SHOWN = """async ([prompts, trainedOn]) => {
  const { createOwnLanguage } = await import("/pages/home/live/figures/own_language.js");
  const { createPieces } = await import("/pages/home/live/figures/pieces.js");
  const [part, whole] = [createOwnLanguage(), createPieces()];
  document.body.replaceChildren(part.element, whole.element);
  const wordsOf = (selector) =>
    [...part.element.querySelectorAll(selector)].map((node) => node.textContent);
  return prompts.map(([prompt, pieces]) => {
    const header = { pieces, pieces_of: prompt, trained_on: trainedOn, model: { name: "m" } };
    part.update({ header });
    whole.update({ header });
    const isShown = part.element.checkVisibility();
    return { isShown, labels: wordsOf(".piece-label"), said: wordsOf("p"),
      counts: whole.element.querySelector("p").textContent,
      hrefs: [...part.element.querySelectorAll("a")].map((a) => a.getAttribute("href")) };
  });
}"""


def described(lm: LanguageModel, prompt: str) -> list[Any]:
    return [prompt, [describe_piece(one) for one in pieces(lm.tokenizer, encode(lm, prompt))]]


@pytest.mark.browser
def test_it_is_said_of_other_languages_alone_and_takes_the_hardest_word_apart(
    scripts: Page, storyteller: LanguageModel
) -> None:
    usual = trained_on(storyteller, "./")
    prompts = [*STRANGE, *PLAIN, *EXAMPLES]
    told = scripts.evaluate(SHOWN, [[described(storyteller, one) for one in prompts], usual])
    assert [one["isShown"] for one in told] == [one in STRANGE for one in prompts]
    german, chinese = told[0], told[STRANGE.index("从前有一只小鸟")]
    n_tokens = len(encode_bare(storyteller, " Straße"))
    assert len(german["labels"]) == n_tokens > 4
    assert f"“Straße” is 6 characters and 7 bytes, and takes {n_tokens} tokens." in german["said"]
    assert len(chinese["labels"]) == len("从前有一只小鸟".encode()), "each byte is a token"
    assert "6 words" in german["counts"]
    assert "word" not in chinese["counts"], "nothing parts them"
    (href,) = german["hrefs"]
    asked = parse_qs(urlparse(href).query)
    assert asked == {"model": [MULTILINGUAL], "prompt": [STRANGE[0]]}


def test_the_measure_is_that_of_stories_and_another_model_is_named_where_it_may_be_opened(
    storyteller: LanguageModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = trained_on(storyteller, "./")
    assert usual is not None
    other = held_out("stories")[-1]
    n_bytes = len(other.encode()) / len(encode_bare(storyteller, other))
    assert usual["bytes_per_token"] == pytest.approx(n_bytes, rel=0.15)
    assert usual["other"]["licence"]
    assert usual["other"]["n_parameters"] > 10 * storyteller.n_parameters
    assert trained_on(tiny("gpt2"), "./") is None, "nobody knows what it has read"
    monkeypatch.setenv("ONE_TOKEN_MODELS", "storyteller")
    assert offers.is_restricted()
    restricted = trained_on(load_model("storyteller"), "./")
    assert restricted is not None
    assert restricted["other"] is None
