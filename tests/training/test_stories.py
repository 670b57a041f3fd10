"""How stories go, counted by simple rules, and what the card says of the prompts on offer."""

import json
import re
import shutil
from pathlib import Path

import pytest

from model.weights.locate import SHIPPED
from training.stories import PROMPTS, add_to_card, count, loops, loses_its_hero, swaps_a_name

STORYTELLER = Path(SHIPPED["storyteller"])
ENDED = 0.9  # of the stories from a prompt that is offered


@pytest.mark.parametrize(
    ("story", "swaps"),
    [
        ("The truck asked the truck for help.", True),
        ("He saw that the cat and the cat were happy.", True),
        ("Tim said to Tim that he was sad.", True),
        ("The cat and the dog ran to the cat.", False),
        ("The big cat and the big dog played.", False),
        ("Lily hugged Tim. Tim smiled.", False),
    ],
)
def test_a_name_is_swapped_where_it_meets_itself(story: str, swaps: bool) -> None:
    assert swaps_a_name(story) == swaps


@pytest.mark.parametrize(
    ("story", "loses"),
    [
        ("The little bird sang and the bird flew. It rained long. A fish came and swam.", True),
        ("The little bird sang and the bird flew. It rained long. A fish met the bird.", False),
        ("Here Tim met Tim again. It rained a long while. The dog ran off with Ann.", True),
        ("Here Tim met Tim again. It rained a long while. The dog ran off with Tim.", False),
        ("It rained.", False),
    ],
)
def test_a_hero_is_lost_where_the_end_names_another(story: str, loses: bool) -> None:
    assert loses_its_hero(story) == loses


def test_a_story_loops_where_eight_words_come_back() -> None:
    eight = "the cat sang a happy song for him"
    assert loops(f"Once {eight}. Then {eight}!")
    assert not loops(f"Once {eight}. Then {eight.removesuffix(' him')} her.")


def test_the_card_says_what_was_counted_and_keeps_the_rest(tmp_path: Path) -> None:
    folder = shutil.copytree(STORYTELLER, tmp_path / "storyteller")
    before = (folder / "README.md").read_text("utf-8").split("\n## ")
    counted = count(["The cat and the cat sat."] * 3 + ["The end."], n_ended=2, n_ended_soon=1)
    settings = {"temperature": 0.8, "top_p": 0.9, "max_new_tokens": 600}
    add_to_card(
        folder,
        {"settings": settings, "n_looped": 8, "n_long": 300, "prompts": {"The cat": counted}},
    )
    after = (folder / "README.md").read_text("utf-8").split("\n## ")
    changed = [i for i, (one, other) in enumerate(zip(before, after, strict=True)) if one != other]
    assert [after[i].splitlines()[0] for i in changed] == ["How it writes"]
    assert "| “The cat” | 4 | 50 % | 25 % | 75 % | 0 % | 0 % |" in after[changed[0]]


def test_every_prompt_that_the_home_page_offers_was_measured_and_ends() -> None:
    script = (Path(__file__).parents[2] / "pages/home/live/controls/prompt.js").read_text("utf-8")
    (listed,) = re.findall(r"const EXAMPLES = \[(.*?)\];", script, re.DOTALL)
    offered = re.findall(r'"(.+?)"', listed)
    assert offered
    assert set(offered) <= set(PROMPTS)
    measured = json.loads((STORYTELLER / "measured.json").read_text("utf-8"))["stories"]["prompts"]
    shares = {
        prompt: measured[prompt]["ended"] / measured[prompt]["n_stories"] for prompt in offered
    }
    assert min(shares.values()) >= ENDED, shares
