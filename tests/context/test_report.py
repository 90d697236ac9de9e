"""The report: the contract's names, the envelope's numbers."""

from __future__ import annotations

from typing import Any

from tests.fakes.turns import artifact, assistant, build, shelved, user
from workbench.context.report import REPORT_FORMAT, excluded_ids, included_ids, turn_report
from workbench.domain.change import Built, Cause, Divergence, PrefixChange
from workbench.domain.envelope import TrimState
from workbench.domain.settings.context_settings import CompactionSettings, ContextSettings
from workbench.domain.turn import Tuning

LONG = "word " * 100
SETTINGS = ContextSettings(
    model="word-1",
    system_prompt="Be kind.",
    compaction=CompactionSettings(verbatim_chars=100, section_chars=10),
)
CHANGE = PrefixChange("diverged", Divergence("L2_PREVIOUS", "a", 9), (Cause("file_changed", "a"),), 9)


def built(**changes: Any) -> Built:
    return build(SETTINGS, **{"question": user("q"), **changes})


def report(one: Built, **changes: Any) -> dict[str, Any]:
    given: dict[str, Any] = {
        "change": PrefixChange(),
        "forecast": None,
        "findings": (),
        "build_ms": {},
        **changes,
    }
    return turn_report(one, **given)


def test_the_format_is_named():
    assert REPORT_FORMAT == "workbench-report/1"


def test_every_field_of_the_contract_is_there():
    assert set(report(built())) >= {
        "turn", "conversation", "fits", "over_by_tokens", "window_tokens", "threshold_tokens", "total_tokens",
        "count", "layers", "prefix", "cache", "pruned", "compacted", "trim", "included_ids", "excluded_ids",
        "messages", "metrics", "violations",
    }  # fmt: skip


def test_files_that_were_not_read_whole_are_named_with_what_is_missing():
    """A spreadsheet of which a fifth was read looked like all of it."""
    whole, part = artifact("a.csv"), artifact("/home/b.xlsx", name="b.xlsx", unread=("9 rows left out",))
    assert report(built(attached=(whole, part)))["unread"] == [{"id": "b.xlsx", "what": ["9 rows left out"]}]
    assert "unread" not in report(built(attached=(whole,)))


def test_the_numbers_are_the_envelope_s():
    one = built()
    found = report(one)
    # "Be kind." and "question" with 4 a message, and 2 to open the answer.
    assert (found["total_tokens"], found["count"], found["fits"], found["over_by_tokens"]) == (
        13,
        "exact",
        True,
        0,
    )
    assert (found["window_tokens"], found["threshold_tokens"]) == (750, 600)
    assert found["messages"][-1] == {"id": "q", "role": "user", "content": "question"}


def test_a_segment_is_described_with_all_its_fields():
    one = built(attached=(artifact("a", priority=7),))
    segment = one.envelope.layer("L3_TURN").segments[0]
    assert report(one)["layers"][3]["segments"] == [
        {
            "id": "a", "kind": "file", "form": "full", "tokens": one.envelope.layer("L3_TURN").tokens[0],
            "priority": 7, "essential": False, "recoverable": True, "digest": segment.digest,
            "content_digest": artifact("a").content_digest, "position": 1, "superseded": False, "override": False,
        }
    ]  # fmt: skip


def test_positions_count_along_the_wire():
    found = report(built(attached=(artifact("b"),), library=(shelved(artifact("a")),), history=(user("u"),)))
    rows = [(row["id"], row["position"]) for layer in found["layers"] for row in layer["segments"]]
    assert rows == [("system", 0), ("a", 1), ("u", 2), ("b", 3), ("q", 4)]


def test_the_prefix_says_what_changed_and_why():
    one = built()
    assert report(one, change=CHANGE)["prefix"] == {
        "l1_digest": one.envelope.layer("L1_SYSTEM").digest,
        "l2_digest": one.envelope.layer("L2_PREVIOUS").digest,
        "combined_digest": one.envelope.combined_digest,
        "change": "diverged",
        "diverges_at": {"layer": "L2_PREVIOUS", "segment": "a", "token": 9},
        "causes": [{"cause": "file_changed", "subject": "a"}],
        "reused_tokens": 9,
    }


def test_a_first_request_diverges_nowhere():
    found = report(built())["prefix"]
    assert (found["change"], found["diverges_at"], found["causes"]) == ("first", None, [])


def test_where_there_is_no_forecast_there_is_none():
    assert report(built())["cache"] is None


def test_trimming_can_be_resumed_from_what_is_reported():
    one = built(history=(user("u"), assistant("a", LONG)), trim=TrimState(2))
    assert report(one)["trim"] == {"boundary": 2, "boundary_message": "q", "trimmed_messages": ["a"]}


def test_ids_are_included_once_in_wire_order():
    one = built(library=(shelved(artifact("a"), attached=True),), attached=(artifact("a"), artifact("b")))
    assert included_ids(one.envelope) == ["system", "a", "b", "q"]


def test_excluded_ids_are_artifacts_then_messages():
    settings = ContextSettings(model="word-1", attachment_budget_tokens=0)
    one = build(
        settings, question=user("q"), history=(user("u"), assistant("m")), attached=(artifact("new"),),
        library=(shelved(artifact("old")),), tuning=Tuning(excluded=frozenset({"m"})),
    )  # fmt: skip
    assert excluded_ids(one) == ["old", "new", "m"]


def test_the_metrics_are_ratios_and_counts():
    one = built(
        library=(shelved(artifact("a")), shelved(artifact("long", LONG))),
        attached=(artifact("a"), artifact("unparsed:00"), artifact("c")),
    )
    metrics = report(one, build_ms={"library": 0.12345})["metrics"]
    assert metrics == {
        "build_ms": {"library": 0.123},
        "segments_per_layer": {"L1_SYSTEM": 1, "L2_PREVIOUS": 2, "L4_STRIP": 0, "L3_TURN": 3, "L5_USER": 1},
        "dedup_ratio": 0.3333,
        "compacted_ratio": 0.2,
        "parse_failures": 1,
    }


def test_nothing_attached_is_no_ratio():
    metrics = report(built())["metrics"]
    assert (metrics["dedup_ratio"], metrics["compacted_ratio"]) == (0.0, 0.0)


def test_findings_are_passed_on():
    assert report(built(), findings=("something is wrong",))["violations"] == ["something is wrong"]
