from __future__ import annotations

from itertools import product

import pytest

from workbench.context.influence.masks import Fit, Mask, leave_one_out, random_masks
from workbench.context.influence.weighing import (
    could_go,
    has_carried,
    leave_one_out_fit,
    masks_fit,
    reliability,
)
from workbench.domain.influence import CarriedWords, PieceInfluence

WEIGHTS = (9.0, 0.0, 2.0, 0.5)


def scored(masks: list[Mask], tokens: int = 4) -> dict[Mask, tuple[float, ...]]:
    """An answer of four tokens whose likelihood is the sum of what is there."""
    return {
        mask: ((-20 + sum(w for w, kept in zip(WEIGHTS * 4, mask, strict=False) if kept)) / tokens,) * tokens
        for mask in masks
    }


def row(name: str, nats: float, tokens: int = 100, **more: object) -> PieceInfluence:
    given = {"layer": "L2_PREVIOUS", "kind": "artifact", "per_answer_token": nats / 10, **more}
    return PieceInfluence(name, name, tokens=tokens, nats=nats, **given)  # type: ignore[arg-type]


def test_what_is_left_out_alone_weighs_what_the_answer_loses():
    plan = leave_one_out(4, "seed")
    fit = leave_one_out_fit(scored(list(plan.fit)), 4)
    assert fit is not None
    assert fit.weights == pytest.approx(WEIGHTS)
    assert fit.predict((False,) * 4) == pytest.approx(-20)


def test_nothing_is_said_before_the_whole_request_was_scored():
    assert leave_one_out_fit({(True, False): (-1.0,)}, 2) is None
    assert masks_fit({(True, True): (-1.0,)}, [(True, True), (True, False)]) is None


def test_masks_find_the_same_but_for_the_penalty():
    plan = random_masks(8, 32, "seed")
    fit = masks_fit(scored([*plan.fit]), plan.fit)
    assert fit is not None
    assert fit.weights == pytest.approx((*WEIGHTS, *WEIGHTS), abs=0.2)


def test_a_fit_that_orders_unseen_masks_is_reliable_and_one_that_turns_them_round_is_not():
    plan = leave_one_out(8, "seed")
    scores = scored([*plan.fit, *plan.held_out])
    fit = leave_one_out_fit(scores, 8)
    assert fit is not None
    good = reliability(fit, scores, plan)
    assert (good.held_out, good.trust) == (16, "reliable")
    assert good.spearman == pytest.approx(1.0)
    bad = reliability(Fit(0.0, tuple(-w for w in fit.weights)), scores, plan)
    assert bad.trust == "not_reliable"


def test_a_few_held_out_masks_say_nothing_yet():
    plan = leave_one_out(8, "seed")
    scores = scored([*plan.fit, *plan.held_out[:5]])
    fit = leave_one_out_fit(scores, 8)
    assert fit is not None
    found = reliability(fit, scores, plan)
    assert (found.held_out, found.trust) == (5, "too_few")


@pytest.mark.parametrize("count", [3, 5, 6])
def test_of_all_subsets_each_is_predicted_by_a_fit_that_has_not_seen_it(count: int):
    plan = random_masks(count, 32, "seed")
    scores = scored(list(product((True, False), repeat=count)))
    fit = masks_fit(scores, plan.fit)
    assert fit is not None
    found = reliability(fit, scores, plan)
    assert (found.held_out, found.complete) == (2**count, True)
    assert found.spearman is not None
    assert found.spearman > 0.8


def test_a_drop_within_the_noise_carried_nothing():
    assert has_carried([row("a", 9.0), row("b", 0.1)], 20, 0.0)
    assert not has_carried([row("a", 1.9), row("b", 0.1)], 20, 0.0)
    assert not has_carried([row("a", 9.0)], 20, 4.0)
    assert not has_carried([row("a", 9.0)], 1_000, 0.0)
    assert has_carried(
        [row("a", 9.0, carried=(CarriedWords(0, 4, 6.0),))], 1_000, 0.0
    )  # one word of a long answer
    assert not has_carried([], 20, 0.0)


def test_the_longest_idle_file_could_go():
    rows = [row("used", 9.0, 5_000), row("idle", 0.1, 300), row("small", 0.0, 200), row("tiny", 0.0, 3)]
    found = could_go(rows)
    assert found is not None
    assert found.id == "idle"
    assert could_go([row("used", 9.0)]) is None
    assert could_go([row("persona", 0.0, kind="instruction")]) is None
