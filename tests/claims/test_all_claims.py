"""Every claim of the page of claims, by the experiment that its Run button runs, small."""

from __future__ import annotations

import pytest

from model.claims.context import Bench
from model.claims.records import Finding
from model.loading import LanguageModel
from model.prefill_decode import ceilings
from pages.lessons.claims.catalogue import CLAIMS
from pages.lessons.claims.when_to_use import ROWS
from viz.claims.report import sentence

BY_ID = {claim.id: claim for claim in CLAIMS}


@pytest.fixture(scope="module")
def bench(storyteller: LanguageModel) -> Bench:
    return Bench(storyteller, n_tokens=12, n_runs=1, n_draws=500)


def finding(bench: Bench, claim_id: str) -> Finding:
    found = BY_ID[claim_id].run(bench)
    assert "{" not in sentence(found)
    return found


def number(found: Finding, name: str) -> float:
    value = found.quantities[name].value
    assert not isinstance(value, str)
    return value


def test_c01_the_loop_gives_what_one_pass_gives(bench: Bench) -> None:
    found = finding(bench, "C01")
    assert found.verdict == "holds"
    assert number(found, "gap") < 1e-3


def test_c02_what_follows_a_step_back_is_another_text(bench: Bench) -> None:
    found = finding(bench, "C02")
    assert found.verdict == "holds"
    assert number(found, "same") < number(found, "back")


def test_c03_every_token_takes_a_pass(bench: Bench) -> None:
    found = finding(bench, "C03")
    assert number(found, "passes") == number(found, "n") + 1


def test_c04_one_logit_for_every_entry(bench: Bench) -> None:
    found = finding(bench, "C04")
    assert found.verdict == "holds"
    assert number(found, "n") == 4096


def test_c05_it_stops_at_the_limit_and_at_the_end(bench: Bench) -> None:
    found = finding(bench, "C05")
    assert found.verdict == "holds"
    assert number(found, "n") == 3


def test_c06_one_column_for_each_step(bench: Bench) -> None:
    found = finding(bench, "C06")
    assert found.verdict == "holds"
    assert number(found, "prompt") == 6


def test_c07_the_lines_shown_are_those_that_ran(bench: Bench) -> None:
    found = finding(bench, "C07")
    assert found.verdict == "holds"
    assert number(found, "n") > 10


def test_c08_the_first_token_comes_before_the_last(bench: Bench) -> None:
    found = finding(bench, "C08")
    assert 0 < number(found, "first") < number(found, "all")


def test_c09_sum_of_logs_and_log_of_the_product(bench: Bench) -> None:
    found = finding(bench, "C09")
    assert found.verdict == "holds"
    assert number(found, "sum") == pytest.approx(number(found, "log"))


def test_c10_an_early_word_moves_a_late_distribution(bench: Bench) -> None:
    found = finding(bench, "C10")
    assert found.verdict == "holds"
    assert number(found, "moved") > 0.05


def test_c11_one_distribution_and_no_draft(bench: Bench) -> None:
    assert finding(bench, "C11").verdict == "holds"


def test_c12_the_same_text_twice_and_a_circle(bench: Bench) -> None:
    found = finding(Bench(bench.lm, n_tokens=20), "C12")
    assert found.verdict == "holds"
    assert number(found, "times") >= 3


def test_c13_entropy_follows_the_temperature(bench: Bench) -> None:
    found = finding(bench, "C13")
    assert found.verdict == "holds"
    assert number(found, "cold") < number(found, "one") < number(found, "hot")


def test_c14_top_p_follows_the_shape(bench: Bench) -> None:
    found = finding(bench, "C14")
    assert found.verdict == "holds"
    assert number(found, "p") != number(found, "q")
    assert number(found, "k") == 10


def test_c15_different_sets_on_the_same_logits(bench: Bench) -> None:
    assert finding(bench, "C15").verdict == "holds"


def test_c16_a_seed_is_a_text(bench: Bench) -> None:
    found = finding(bench, "C16")
    assert found.verdict == "holds"
    assert number(found, "n") == 3


def test_c17_without_chance_all_answers_are_copies(bench: Bench) -> None:
    found = finding(bench, "C17")
    assert found.verdict == "holds"
    assert number(found, "different") > 1


def test_c19_engines_keep_different_sets(bench: Bench) -> None:
    found = finding(bench, "C19")
    assert found.verdict == "holds"
    assert number(found, "before") > number(found, "after")


def test_c22_both_phases_are_timed(bench: Bench) -> None:
    found = finding(bench, "C22")
    assert number(found, "ratio") == pytest.approx(
        number(found, "one") * number(found, "n") / number(found, "whole")
    )


def test_c23_both_ways_are_timed(bench: Bench) -> None:
    found = finding(bench, "C23")
    assert number(found, "ratio") == pytest.approx(number(found, "slow") / number(found, "fast"))


def test_c24_the_past_never_changes(bench: Bench) -> None:
    found = finding(bench, "C24")
    assert found.verdict == "holds"
    assert number(found, "logits") < 1e-4
    assert number(found, "keys") < 1e-4


def test_c25_the_square_becomes_a_line(bench: Bench) -> None:
    found = finding(bench, "C25")
    assert found.verdict == "holds"
    assert number(found, "without") == pytest.approx(2, abs=0.1)
    assert number(found, "cached") == pytest.approx(1, abs=0.05)


def test_c26_the_formula_and_the_tensors_agree(bench: Bench) -> None:
    found = finding(bench, "C26")
    assert found.verdict == "holds"
    assert number(found, "all") == number(found, "n") * number(found, "each")


def test_c41_tokens_are_pieces(bench: Bench) -> None:
    found = finding(bench, "C41")
    assert found.verdict == "holds"
    assert number(found, "tokens") > number(found, "words")


# Search, phases, and past one token per pass


def test_c18_argmax_walks_into_a_corner(bench: Bench) -> None:
    found = finding(bench, "C18")
    assert found.verdict == "holds"
    assert number(found, "mass") < 1e-3


def test_c20_greedy_is_not_the_best(bench: Bench) -> None:
    found = finding(bench, "C20")
    assert found.verdict == "holds"
    assert number(found, "best") >= number(found, "beam") > number(found, "greedy")


def test_c21_a_beam_gains_a_little(bench: Bench) -> None:
    found = finding(bench, "C21")
    assert number(found, "beam") >= number(found, "greedy") > number(found, "sampled")


def test_c27_decode_computes_little_for_each_byte(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ceilings, "_COPIED", {"cpu": 1 << 22})
    monkeypatch.setattr(ceilings, "_MULTIPLIED", {"cpu": 128})
    found = finding(bench, "C27")
    assert number(found, "step") < 1 < number(found, "read")


def test_c28_a_batch_is_timed_beside_one_text(bench: Bench) -> None:
    found = finding(bench, "C28")
    assert number(found, "gain") == pytest.approx(number(found, "many") / number(found, "one"))


def test_c29_the_price_follows_the_times(bench: Bench) -> None:
    found = finding(bench, "C29")
    assert number(found, "ratio") > 0
    assert 0 < number(found, "saved") < 1


def test_c30_all_answers_are_scored_in_one_pass(bench: Bench) -> None:
    found = finding(bench, "C30")
    assert number(found, "n") == 3
    assert found.quantities["best"].value in ("sad", "happy", "made of stone")


def test_c31_a_draft_changes_no_greedy_text(bench: Bench) -> None:
    found = finding(bench, "C31")
    assert found.verdict == "holds"
    assert number(found, "same") == number(found, "n")


def test_c32_distillation_makes_a_draft_agree(bench: Bench) -> None:
    found = finding(bench, "C32")
    assert number(found, "one") > number(found, "other")
    assert number(found, "tokens") > 1


def test_c33_more_passes_make_a_likelier_text(bench: Bench) -> None:
    found = finding(bench, "C33")
    assert found.verdict == "holds"
    assert number(found, "many") > number(found, "few")


def test_c34_what_is_filled_at_once_clashes(bench: Bench) -> None:
    found = finding(bench, "C34")
    assert found.verdict == "holds"
    assert number(found, "once") > number(found, "slow")


def test_c39_the_encoder_reads_once(bench: Bench) -> None:
    found = finding(bench, "C39")
    assert found.verdict == "holds"
    assert number(found, "passes") == 1


# Errors, training and architecture


def test_c35_a_wrong_token_parts_the_texts(bench: Bench) -> None:
    found = finding(bench, "C35")
    assert found.verdict == "holds"
    assert number(found, "late") > 0


def test_c36_its_own_tokens_cost_the_model_more(bench: Bench) -> None:
    found = finding(bench, "C36")
    assert found.verdict == "holds"
    assert number(found, "more") > number(found, "half") > 0


def test_c37_a_later_token_moves_no_earlier_logit(bench: Bench) -> None:
    found = finding(bench, "C37")
    assert found.verdict == "holds"
    assert number(found, "moved") < 1e-5
    assert number(found, "off") > number(found, "on")


def test_c38_one_pass_gives_every_loss(bench: Bench) -> None:
    found = finding(bench, "C38")
    assert found.verdict == "holds"
    assert number(found, "gap") < 1e-4


def test_c40_what_comes_late_reaches_nothing_before_it(bench: Bench) -> None:
    found = finding(bench, "C40")
    assert found.verdict == "holds"
    assert number(found, "first") > number(found, "late")


def test_c42_more_context_and_more_training_predict_better(bench: Bench) -> None:
    found = finding(bench, "C42")
    assert found.verdict == "holds"
    assert number(found, "one") > number(found, "eight") > number(found, "all")


def test_c43_a_long_greedy_text_repeats_itself(bench: Bench) -> None:
    found = finding(bench, "C43")
    assert found.verdict == "holds"
    assert number(found, "greedy") > number(found, "people")


def test_c44_going_back_early_is_cheap(bench: Bench) -> None:
    found = finding(bench, "C44")
    assert found.verdict == "holds"
    assert number(found, "few") < number(found, "many")


def test_c45_the_table_rests_on_measurements(bench: Bench) -> None:
    found = finding(bench, "C45")
    assert number(found, "passes") == number(found, "n") + 1
    assert len(CLAIMS) == 45
    named = {claim for *_, claims in ROWS for claim in claims.split()}
    assert named <= set(BY_ID)
