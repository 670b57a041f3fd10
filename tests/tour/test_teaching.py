"""What the teachers' guide says of the shipped model holds on it."""

import re
from collections.abc import Iterator

import pytest

from model.generation import Generation
from model.loading import LanguageModel
from model.sampling import Settings
from model.tokenizing import encode, labels_of
from tests.architecture.sources import read

PROMPT = "The bird sat on the"


@pytest.fixture
def answers() -> dict[str, str]:
    """The answer to each question of the worksheet, by its number."""
    rows = read("docs/teaching.md").partition("## Answers to the worksheet")[2]
    return dict(re.findall(r"^\| (\d+) \| (.+) \|$", rows, re.MULTILINE))


def likeliest(lm: LanguageModel) -> Iterator[tuple[str, float]]:
    stage = Generation(lm, PROMPT).stages_for(Settings())[-1]
    labels = labels_of(lm, stage.order[:10].tolist())
    return zip((label.strip("␣") for label in labels), stage.best_probs.tolist(), strict=False)


def test_every_question_has_its_answer(answers: dict[str, str]) -> None:
    n_questions = read("docs/worksheet.html").count("<li>")
    assert list(answers) == [str(number) for number in range(1, n_questions + 1)]


def test_the_shares_are_the_model_s(answers: dict[str, str], storyteller: LanguageModel) -> None:
    said = re.findall(r"\*(\w+)\* (\d+) %, number (\d+)", answers["2"])
    own = [
        (word, f"{100 * p:.0f}", str(n)) for n, (word, p) in enumerate(likeliest(storyteller), 1)
    ]
    assert len(said) == 4
    assert said == own[:4]


def test_the_nucleus_is_the_model_s(answers: dict[str, str], storyteller: LanguageModel) -> None:
    kept = Generation(storyteller, PROMPT).stages_for(Settings(top_p=0.5))[-1]
    assert answers["7"].startswith("Five")
    assert len(kept.order) == 5
    numbers = [float(number) for number in re.findall(r"\d+\.\d", answers["7"])]
    shares = [100 * prob for _, prob in likeliest(storyteller)]
    assert numbers[:4] == [round(share, 1) for share in shares[:4]]
    assert numbers[4:] == [round(sum(shares[:4]), 1), round(shares[4], 1)]


def test_the_columns_and_the_names(answers: dict[str, str], storyteller: LanguageModel) -> None:
    n_prompt = Generation(storyteller, PROMPT).n_prompt
    assert f"= {n_prompt + 3}," in answers["8"]
    assert f"= {sum(range(n_prompt, n_prompt + 4))}." in answers["8"]
    words = {"one": 1, "two": 2, "three": 3, "four": 4}
    named = re.search(r"\*(\w+)\* is (\w+) tokens?, \*(\w+)\* (\w+)", answers["4"])
    assert named
    for name, count in (named.group(1, 2), named.group(3, 4)):
        assert len(encode(storyteller, name)) - 1 == words[count], name
