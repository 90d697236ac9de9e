"""Placements: what is attached now is in the request in full exactly once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.turns import artifact, selection, shelved
from workbench.context.assembly.memory import BuildMemory, Shortener
from workbench.context.assembly.references import Placement, Places, freshness_of
from workbench.context.shorten.compact import Shortening
from workbench.domain.files.attachment import Artifact
from workbench.domain.settings.context_settings import CompactionSettings, ContextSettings, Freshness
from workbench.domain.turn import LibraryEntry

LONG = "word " * 100
SMALL = Shortening(CompactionSettings(verbatim_chars=100, section_chars=10, max_sections=3))


def place(
    library: Sequence[LibraryEntry] = (), attached: Sequence[Artifact] = (), freshness: Freshness = "refresh"
) -> list[Placement]:
    return list(
        Places(Shortener(BuildMemory(), SMALL), freshness, lambda one: one.key != "secret").place(
            library, attached
        )
    )


def forms(
    *given: LibraryEntry | Artifact, freshness: Freshness = "refresh"
) -> list[tuple[str | None, str | None]]:
    library = [one for one in given if isinstance(one, LibraryEntry)]
    attached = [one for one in given if isinstance(one, Artifact)]
    return [(p.library_form, p.in_turn) for p in place(library, attached, freshness)]


def test_something_new_is_in_the_turn_in_full():
    assert forms(artifact("a"), artifact("b", LONG)) == [(None, "full"), (None, "full")]


def test_something_known_and_equal_is_a_reference():
    assert forms(shelved(artifact("a")), artifact("a")) == [("full", "reference")]


def test_something_no_longer_attached_is_in_the_library_only():
    assert forms(shelved(artifact("a"))) == [("full", None)]


def test_something_long_that_is_no_longer_attached_is_compacted():
    assert forms(shelved(artifact("a", LONG), attached=True)) == [("compacted", None)]


def test_something_long_stays_in_full_while_it_is_attached():
    assert forms(shelved(artifact("a", LONG), attached=True), artifact("a", LONG)) == [("full", "reference")]


def test_something_long_that_is_attached_again_is_in_the_turn_in_full():
    """The original sends previews of the very note the user attached."""
    assert forms(shelved(artifact("a", LONG), attached=False), artifact("a", LONG)) == [("compacted", "full")]


def test_a_changed_artifact_is_replaced_on_the_shelf_in_this_very_turn():
    (found,) = place([shelved(artifact("a", "old"))], [artifact("a", "new")])
    assert (found.library_form, found.in_turn, found.superseded) == ("full", "reference", False)
    assert found.library_copy == artifact("a", "new")


def test_a_frozen_shelf_keeps_the_old_copy_and_the_turn_carries_the_new():
    (found,) = place([shelved(artifact("a", "old"))], [artifact("a", "new")], "freeze")
    assert (found.library_form, found.in_turn, found.superseded) == ("full", "full", True)
    assert found.library_copy == artifact("a", "old")


def test_a_frozen_older_copy_is_superseded_even_when_detached():
    (found,) = place([shelved(artifact("a", "old"), artifact("a", "new"))], [], "freeze")
    assert (found.library_form, found.in_turn, found.superseded) == ("full", None, True)


@pytest.mark.parametrize("freshness", ["refresh", "freeze"])
def test_a_selection_under_a_known_key_is_sent_itself_and_never_shelved(freshness: Freshness):
    file, picked = artifact("a", "file"), selection("a", "file")
    (found,) = place([shelved(file)], [picked], freshness)
    assert (found.artifact, found.library_copy, found.library_form, found.in_turn) == (
        picked,
        file,
        "full",
        "full",
    )


def test_a_long_selection_has_no_short_form():
    (found,) = place([], [selection(text=LONG)])
    assert found.short is None


def test_library_first_then_what_is_new_each_by_first_sight():
    library = [shelved(artifact("b")), shelved(artifact("a"))]
    found = place(library, [artifact("d"), artifact("a"), artifact("c")])
    assert [(p.artifact.key, p.seen) for p in found] == [("b", 0), ("a", 1), ("d", 2), ("c", 3)]


def test_what_is_not_admitted_is_not_placed():
    assert forms(shelved(artifact("secret")), artifact("secret")) == []


def test_the_same_key_twice_is_one_placement_with_the_newest_content():
    (found,) = place([], [artifact("a", "1"), artifact("a", "2")])
    assert found.artifact.text == "2"


def test_a_placement_without_a_place_is_not_shown():
    assert not Placement(artifact("a"), attached=True, seen=0).shown


@pytest.mark.parametrize(
    ("chosen", "rules", "expected"),
    [
        ("auto", None, "refresh"),
        ("auto", "openai", "freeze"),
        ("refresh", "openai", "refresh"),
        ("freeze", None, "freeze"),
    ],
)
def test_which_copy_the_library_shows_is_the_cheaper_one(chosen: Any, rules: str | None, expected: str):
    card = replace(WORD_MODEL, cache_rules=rules)
    assert freshness_of(ContextSettings(freshness=chosen), card) == expected
