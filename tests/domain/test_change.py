"""How requests differ: the names are the contract's, and nothing has changed until something did."""

from __future__ import annotations

from typing import get_args

from workbench.domain.change import Cause, CauseName, Change, PrefixChange


def test_the_names_of_changes_are_the_contract_s():
    assert get_args(Change) == ("first", "identical", "extended", "shrunk", "diverged")


def test_the_names_of_causes_are_the_contract_s():
    assert " ".join(get_args(CauseName)) == (
        "settings model tools memory project attached detached file_changed promoted "
        "pruned priority trimmed excluded history_edited rebuilt turn_context "
        "renamed "  # not in a replay: there ids are what files are called
        "resized "  # only where a trajectory says how long an attachment may be
        "recut"
    )


def test_a_first_request_reuses_nothing():
    first = PrefixChange()
    assert (first.change, first.diverges_at, first.causes, first.reused_tokens) == ("first", None, (), 0)


def test_equal_causes_are_one():
    assert len({Cause("trimmed", "m1"), Cause("trimmed", "m1"), Cause("trimmed")}) == 2
