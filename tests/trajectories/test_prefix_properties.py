"""Whatever happens between two requests: how the second is classified, what it reuses, and why it moved."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings

from tests.fakes.effort import tries
from tests.trajectories.bookkeeping import Kept, keep_books
from tests.trajectories.strategies import trajectories
from tests.trajectories.support import Json, causes, run
from tests.trajectories.wire_reading import classify, common_prefix, request_tokens

examples = settings(max_examples=tries(100))
Step = tuple[tuple[Json, Kept], tuple[Json, Kept]]


def steps(document: Json) -> list[Step]:
    """Every two consecutive turns, each with what is known about it without the report."""
    return list(pairwise(zip(run(document), keep_books(document), strict=True)))


def setting(kept: Kept, name: str) -> object:
    defaults = {"model": "gpt-4o", "tools": [], "user_memory": "", "project_instructions": ""}
    return kept.settings.get(name, defaults[name])


def differs(before: Kept, after: Kept, name: str) -> bool:
    return setting(before, name) != setting(after, name)


@settings(max_examples=tries(300))
@given(trajectories())
def test_a_step_is_classified_by_what_is_on_the_wire_and_every_cause_is_true(document: Json):
    """A wrong reason sends the user looking in the wrong place; a fallback would look like one."""
    for (before, earlier), (after, later) in steps(document):
        moved = differs(earlier, later, "model") or differs(earlier, later, "tools")
        expected = "diverged" if moved else classify(before["messages"], after["messages"])
        prefix = after["prefix"]
        assert prefix["change"] == expected
        assert (prefix["causes"] == []) == (expected in ("identical", "extended"))
        assert (prefix["diverges_at"] is not None) == (expected == "diverged")
        for cause, subject in causes(after):
            assert is_true(cause, subject, (before, earlier), (after, later)), (cause, subject)


@examples
@given(trajectories(counter="exact", tools=[]))
def test_reused_tokens_are_the_longest_common_prefix(document: Json):
    for (before, earlier), (after, later) in steps(document):
        if before["count"] != "exact" or after["count"] != "exact" or differs(earlier, later, "model"):
            continue
        encoding = "cl100k_base" if setting(later, "model") == "gpt-4" else "o200k_base"
        tokens = [request_tokens(report["messages"], encoding) for report in (before, after)]
        assert after["prefix"]["reused_tokens"] == common_prefix(*tokens)


def is_true(cause: str, subject: str | None, before: tuple[Json, Kept], after: tuple[Json, Kept]) -> bool:
    (old, earlier), (new, later) = before, after
    held, holds = earlier.attached.get(subject or ""), later.attached.get(subject or "")
    pruned = {one["id"] for report in (old, new) for one in report["pruned"]}
    repaired = {one["id"] for report in (old, new) for one in report["repaired"]}
    facts = {
        "model": differs(earlier, later, "model"),
        "tools": differs(earlier, later, "tools"),
        "memory": differs(earlier, later, "user_memory"),
        "project": differs(earlier, later, "project_instructions"),
        "settings": earlier.settings != later.settings,
        "attached": holds is not None and (held is None or bool(later.turn.get("detach"))),
        "detached": held is not None and holds is None,
        "file_changed": held is None or holds is None or held["text"] != holds["text"],
        "promoted": held is not None,
        "pruned": subject in pruned
        or subject in {one["id"] for one in (*old["compacted"], *new["compacted"])},
        "priority": held is None or holds is None or held.get("priority") != holds.get("priority"),
        "trimmed": form(old, subject) != form(new, subject),
        "excluded": (form(old, subject) == "excluded") != (form(new, subject) == "excluded"),
        "history_edited": subject in repaired,
        "turn_context": subject in later.said or earlier.turn.get("now") != later.turn.get("now"),
    }
    return facts[cause]


def form(report: Json, key: str | None) -> str | None:
    segments = (segment for layer in report["layers"] for segment in layer["segments"])
    return next((one["form"] for one in segments if one["id"] == key), None)
