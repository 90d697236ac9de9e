"""What may enter a request at all."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.turns import artifact, assistant, result, system, user
from workbench.context.assembly.select import Admission, entry_kinds
from workbench.domain.chunk import EnvironmentChunk, OutputChunk, SystemChunk
from workbench.domain.message import Entry
from workbench.domain.settings.context_settings import FilterSettings

ENTRIES: tuple[Entry, ...] = (
    system("system"),
    user("user"),
    assistant("assistant"),
    result("tool", "c"),
    SystemChunk("system_chunk", ""),
    EnvironmentChunk("environment_chunk", "", "tool_result"),
    OutputChunk("output_chunk", "", "task_completed"),
)


def admitted(excluded: frozenset[str] = frozenset(), **changes: Any) -> set[str]:
    admission = Admission(FilterSettings(**changes), excluded)
    return {entry.id for entry in ENTRIES if admission.admits(entry)}


EVERYTHING = {entry.id for entry in ENTRIES}


def test_by_default_everything_is_admitted():
    assert admitted() == EVERYTHING


def test_what_the_user_excluded_is_not():
    assert admitted(frozenset({"user"})) == EVERYTHING - {"user"}


def test_without_system_neither_messages_nor_chunks_of_the_system_s():
    assert admitted(include_system=False) == EVERYTHING - {"system", "system_chunk"}


def test_without_environment_no_tool_results():
    assert admitted(include_environment=False) == EVERYTHING - {"tool", "environment_chunk"}


@pytest.mark.parametrize(
    ("kind", "ids"),
    [
        ("user", {"user"}),
        ("agent", {"user", "assistant"}),
        ("tool", {"tool"}),
        ("environment", {"tool", "environment_chunk"}),
        ("system", {"system", "system_chunk"}),
        ("output", {"output_chunk"}),
        ("file", set()),
    ],
)
def test_kinds_are_included_and_excluded_by_role_and_by_chunk_type(kind: str, ids: set[str]):
    assert admitted(include_kinds=frozenset({kind})) == ids
    assert admitted(exclude_kinds=frozenset({kind})) == EVERYTHING - ids


def test_include_only_names_ids():
    assert admitted(include_only=frozenset({"user", "tool"})) == {"user", "tool"}


def test_excluding_wins_over_including():
    assert admitted(include_only=frozenset({"user"}), exclude_kinds=frozenset({"user"})) == set()


def test_artifacts_go_by_their_kind_and_key():
    one = artifact("a", kind="note")
    assert Admission(FilterSettings(include_kinds=frozenset({"note"}))).admits_artifact(one)
    assert not Admission(FilterSettings(exclude_kinds=frozenset({"note"}))).admits_artifact(one)
    assert not Admission(FilterSettings(include_only=frozenset({"b"}))).admits_artifact(one)
    assert not Admission(FilterSettings(), frozenset({"a"})).admits_artifact(one)


def test_l1_goes_with_the_system_kind():
    assert Admission(FilterSettings()).admits_system()
    assert not Admission(FilterSettings(include_system=False)).admits_system()
    assert not Admission(FilterSettings(exclude_kinds=frozenset({"system"}))).admits_system()


def test_a_chunk_is_of_one_kind_only():
    assert entry_kinds(SystemChunk("s", "")) == {"system"}
