"""Artifacts: keys without a clock or a dice, digests of their own text, and how to have them again."""

from __future__ import annotations

import pytest

from workbench.domain.files.attachment import (
    ARTIFACT_KINDS,
    EPHEMERAL_KINDS,
    PRIORITY_ESSENTIAL,
    PRIORITY_HIGH,
    PRIORITY_LOW,
    PRIORITY_MEDIUM,
    Artifact,
    ArtifactKind,
    artifact_key,
)
from workbench.domain.text import digest_text


def test_every_kind_of_the_contract_is_known():
    assert " ".join(ARTIFACT_KINDS) == (
        "file note url pdf folder tag web_tab youtube selection web_selection image clipboard"
    )


def test_the_named_priorities_are_those_of_the_contract():
    named = (PRIORITY_ESSENTIAL, PRIORITY_HIGH, PRIORITY_MEDIUM, PRIORITY_LOW)
    assert named == (0, 3, 5, 10)
    assert Artifact("a", "file", "").priority == PRIORITY_MEDIUM


def test_the_content_digest_is_over_the_text_alone():
    named, renamed = Artifact("a", "file", "text", "one"), Artifact("b", "note", "text", "two", priority=0)
    assert named.content_digest == renamed.content_digest == digest_text("text")


@pytest.mark.parametrize(
    ("kind", "hint"),
    [
        ("file", "read x"),
        ("note", "read x"),
        ("pdf", "read x"),
        ("image", "read x"),
        ("url", "fetch x"),
        ("web_tab", "fetch x"),
        ("youtube", "fetch x"),
        ("folder", "ls x"),
        ("tag", "search x"),
    ],
)
def test_the_hint_names_a_way_back_to_the_source(kind: ArtifactKind, hint: str):
    assert Artifact("x", kind, "").recover_with == hint


@pytest.mark.parametrize("kind", sorted(EPHEMERAL_KINDS))
def test_nameless_selections_are_numbered_within_their_turn(kind: ArtifactKind):
    taken: list[str] = []
    for _ in range(3):
        taken.append(artifact_key(kind, "same text", taken))
    assert taken == [kind, f"{kind}:2", f"{kind}:3"]


def test_a_number_that_is_taken_is_passed_over():
    assert artifact_key("selection", "", ["selection", "selection:2", "selection:4"]) == "selection:3"


def test_anything_else_without_a_name_is_named_by_its_content():
    assert artifact_key("file", "text", ["unparsed:x"]) == f"unparsed:{digest_text('text')}"
