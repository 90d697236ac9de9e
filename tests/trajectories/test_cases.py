"""Committed trajectories against their snapshots, byte for byte; every step between two requests judged from outside.

After a deliberate change: `python -m tests.trajectories.rewrite`, and read the difference before keeping it.
"""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.trajectories.cases import FOLDER, case_names, load_case, snapshot_of, snapshot_path
from tests.trajectories.support import Json, run
from tests.trajectories.wire_reading import classify, common_prefix, request_tokens

ENCODINGS = {"gpt-4o": "o200k_base", "gpt-4": "cl100k_base"}
every_case = pytest.mark.parametrize("name", case_names())


def requests(name: str) -> list[tuple[Json, Json]]:
    """The settings in effect beside the report, turn by turn."""
    document = load_case(name)
    in_effect = {"model": "gpt-4o", "tools": [], "counter": "exact", **document.get("settings", {})}
    rows = []
    for turn, report in zip(document["turns"], run(document), strict=True):
        in_effect = {**in_effect, **turn.get("settings", {})}
        rows.append((in_effect, report))
    return rows


def change_seen(before: tuple[Json, Json], after: tuple[Json, Json]) -> str:
    """The change as an outsider sees it: other tools or another model are another request from the start."""
    if any(before[0][name] != after[0][name] for name in ("model", "tools")):
        return "diverged"
    return classify(before[1]["messages"], after[1]["messages"])


def test_every_snapshot_belongs_to_a_case():
    assert sorted(path.stem for path in FOLDER.glob("*.report")) == case_names()
    assert len(case_names()) >= 13


@every_case
def test_the_report_is_the_snapshot(name: str):
    assert snapshot_of(name).encode() == snapshot_path(name).read_bytes()


@every_case
def test_every_step_is_classified_as_it_is_on_the_wire(name: str):
    for before, after in pairwise(requests(name)):
        prefix = after[1]["prefix"]
        assert prefix["change"] == change_seen(before, after)
        assert bool(prefix["causes"]) == (prefix["change"] in ("shrunk", "diverged"))
        assert (prefix["diverges_at"] is not None) == (prefix["change"] == "diverged")


@every_case
def test_the_prefix_moves_only_where_the_case_says_why(name: str):
    """A move that nobody meant loses the provider's cache, and nothing else would tell."""
    steps = [(after[1]["turn"], change_seen(before, after)) for before, after in pairwise(requests(name))]
    moved = [str(turn) for turn, change in steps if change not in ("identical", "extended")]
    assert moved == list(load_case(name)["_moves"])
    assert all(load_case(name)["_moves"].values())


@every_case
def test_reused_tokens_are_the_longest_common_prefix(name: str):
    for (earlier, before), (later, after) in pairwise(requests(name)):
        if before["count"] == after["count"] == "exact" and earlier["model"] == later["model"]:
            tokens = [request_tokens(one["messages"], ENCODINGS[later["model"]]) for one in (before, after)]
            assert after["prefix"]["reused_tokens"] == common_prefix(*tokens)


@every_case
def test_totals_are_exact_and_nothing_is_violated(name: str):
    for settings, report in requests(name):
        assert report["violations"] == []
        assert report["total_tokens"] == sum(one["tokens"] for one in report["layers"])
        if report["count"] == "exact":
            assert report["total_tokens"] == len(
                request_tokens(report["messages"], ENCODINGS[settings["model"]])
            )
