"""Finds the seed that the page on masked diffusion opens with: the first with a clash of two words.

    python -m benchmarks.clash [--to 300]

Each seed fills the page as it opens. The first is taken whose text has two clashes and no other,
neighbours that one pass filled, both whole words, to each of which the model gave a tenth or more
when it wrote them: each fits, and both do not.
"""

import argparse

from model.diffusion.denoising import fill_page
from model.diffusion.page_view import check_page
from model.diffusion.records import Sheet
from model.job import finish
from model.language_model import LanguageModel
from model.loading import load_model
from pages.lessons.diffusion.fill import lay_out
from pages.lessons.diffusion.settings import SETTINGS
from viz.strip import SPACE

LIKELY = 0.1  # that each of the two had at least, when it was written


def is_clash_of_two_words(sheet: Sheet) -> bool:
    """Tells whether a full sheet has one clash alone, of two words that fit when they came."""
    pair = sheet.clashing_pair
    if pair is None or sheet.n_clashes != 2:
        return False
    both = pair, pair + 1
    are_words = all(
        sheet.labels[i].startswith(SPACE) and sheet.labels[i].removeprefix(SPACE).isalpha()
        for i in both
    )
    return are_words and all(sheet.confidence[i] >= LIKELY for i in both)


def sheet_of_seed(lm: LanguageModel, seed: int) -> Sheet:
    """Fills the page as it opens, but for its seed, and checks it."""
    wants = {field.name: field.default for field in SETTINGS.fields} | {"seed": seed}
    return finish(check_page(fill_page(lay_out(lm, wants))))


def main() -> None:
    """Looks at one seed after another."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--to", type=int, default=300)
    lm = load_model(SETTINGS.default_model)
    for seed in range(parser.parse_args().to):
        if is_clash_of_two_words(sheet_of_seed(lm, seed)):
            return print(seed)
    return print("none")


if __name__ == "__main__":
    main()
