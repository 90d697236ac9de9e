"""Relevance of what is attached, and the rule by which it suggests priorities."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.turns import artifact
from workbench.context.recall.index import Passage, PassageIndex
from workbench.context.recall.rank import ranked, shares, suggested, suggestions, wanted_priority
from workbench.domain.shown.attachment_view import Suggestion

AUTH = artifact("auth.py", "", priority=5)
LOG = artifact("big.log", "", priority=10)
SPEC = artifact("spec.md", "", priority=3)


def index_of(**texts: tuple[str, ...]) -> PassageIndex:
    index = PassageIndex()
    for group, passages in texts.items():
        for number, text in enumerate(passages):
            index.add(Passage(f"{group}#{number}", text, group=group))
    return index


def measured(index: PassageIndex, question: str) -> dict[str, float]:
    return shares(index, ranked(index, question, None))


def test_each_counts_by_its_best_section_against_the_best_of_all_and_no_neighbour_is_lifted():
    index = index_of(
        auth=("nothing here", "the token refresh and the clock skew"),
        log=("weather and rain",),
        spec=("the clock on the tower", "birds"),
    )
    found = measured(index, "Which clock skew does the token refresh allow?")
    assert list(found) == ["auth", "log", "spec"]
    assert (found["auth"], found["log"]) == (1.0, 0.0)
    assert 0 < found["spec"] < 0.6
    assert found == measured(index, "Which clock skew does the token refresh allow?")
    assert set(measured(index, "Elephants?").values()) == {0.0}
    assert measured(PassageIndex(), "clock") == {}


@given(st.floats(0, 1), st.floats(0, 1), st.integers(0, 10), st.integers(0, 10))
def test_what_fits_better_never_falls_sooner_and_ranks_are_kept(
    low: float, high: float, one: int, other: int
):
    low, high = sorted((low, high))
    assert wanted_priority(high, one) <= wanted_priority(low, one)
    first, second = sorted((one, other))
    assert wanted_priority(low, first) <= wanted_priority(low, second)
    assert wanted_priority(low, wanted_priority(low, one)) == wanted_priority(low, one)


def test_what_fits_is_kept_longer_what_hardly_fits_falls_sooner_and_the_rest_stays():
    attached = (AUTH, LOG, SPEC, artifact("api.md", "", priority=5))
    wanted = suggested({"auth.py": 0.92, "big.log": 0.71, "spec.md": 0.08, "api.md": 0.31}, attached)
    assert suggestions(wanted, attached, ()) == (
        Suggestion("auth.py", 5, 2),
        Suggestion("big.log", 10, 4),
        Suggestion("spec.md", 3, 7),
    )
    assert suggestions(wanted, attached, {"big.log"}) == (
        Suggestion("auth.py", 5, 2),
        Suggestion("spec.md", 3, 7),
    )


def test_nothing_is_suggested_where_all_fit_alike_or_for_a_step_too_small_or_what_must_stay():
    for alike in ({"auth.py": 0.0, "big.log": 0.0}, {"auth.py": 1.0, "big.log": 0.9}, {"auth.py": 1.0}, {}):
        assert suggested(alike, (AUTH, LOG)) == {}
    pinned, last = artifact("a", essential=True), artifact("b", priority=0)
    near, unread = artifact("c", priority=3), artifact("d")
    attached = (pinned, last, near, unread)
    wanted = suggested({"a": 0.0, "b": 0.0, "c": 1.0}, attached)
    assert suggestions(wanted, attached, ()) == ()
