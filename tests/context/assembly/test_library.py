"""L2: first-seen order, last write wins, nothing removed, nothing non-recoverable promoted."""

from __future__ import annotations

from tests.fakes.turns import artifact, selection, shelved, turn_inputs
from workbench.context.assembly.references import (
    find_library_copy,
    promote,
    without_old_secrets,
    without_purged,
)
from workbench.domain.turn import LibraryEntry, Tuning

OLD, NEW = artifact("a", "old"), artifact("a", "new")


def keys(library: tuple[LibraryEntry, ...]) -> list[str]:
    return [entry.key for entry in library]


def test_what_was_sent_is_added_in_order():
    assert keys(promote((), [artifact("b"), artifact("a")], ["a", "b"], "refresh")) == ["b", "a"]


def test_what_is_known_keeps_its_place_and_gets_the_newest_content():
    library = (shelved(OLD), shelved(artifact("b")))
    found = promote(library, [artifact("c"), NEW], ["a", "c"], "refresh")
    assert keys(found) == ["a", "b", "c"]
    assert (found[0].latest, found[0].shelved) == (NEW, NEW)


def test_what_is_no_longer_attached_stays_and_says_so():
    found = promote((shelved(OLD, attached=True),), [], [], "refresh")
    assert found == (shelved(OLD, attached=False),)


def test_a_frozen_shelf_keeps_the_copy_it_showed():
    (found,) = promote((shelved(OLD),), [NEW], ["a"], "freeze")
    assert (found.shelved, found.latest) == (OLD, NEW)


def test_leaving_freeze_shelves_the_newest():
    (found,) = promote((shelved(OLD, NEW),), [], [], "refresh")
    assert (found.shelved, found.latest) == (NEW, NEW)


def test_what_cannot_be_recovered_is_never_promoted():
    assert promote((), [selection()], ["selection"], "refresh") == ()


def test_a_selection_does_not_overwrite_a_file_of_the_same_key():
    (found,) = promote((shelved(OLD),), [selection("a", "selected")], ["a"], "refresh")
    assert found.latest == OLD


def test_the_shelf_shows_what_is_attached_now():
    assert find_library_copy(shelved(OLD), NEW, "refresh") == NEW


def test_the_shelf_shows_the_newest_known_when_nothing_is_attached():
    assert find_library_copy(shelved(OLD, NEW), None, "refresh") == NEW


def test_a_frozen_shelf_shows_what_was_already_sent():
    assert find_library_copy(shelved(OLD, NEW), artifact("a", "newest"), "freeze") == OLD


def test_a_library_without_what_was_purged():
    library = (shelved(OLD), shelved(artifact("b")))
    assert without_purged(library, (), frozenset({"c"}), None) is library
    assert keys(without_purged(library, (), frozenset({"a"}), None)) == ["b"]
    assert keys(without_purged(library, (OLD,), frozenset({"a"}), None)) == ["a", "b"]
    assert keys(without_purged(library, (NEW,), frozenset({"a"}), None)) == ["b"], "an older copy"


def test_what_was_attached_anew_by_the_request_before_has_no_older_copy_from_before_its_purge():
    before = turn_inputs(attached=(OLD,), tuning=Tuning(purged=frozenset({"a"})))
    assert keys(without_purged((shelved(OLD),), (NEW,), frozenset({"a"}), before)) == ["a"]
    assert keys(without_purged((shelved(OLD),), (), frozenset({"a"}), before)) == []


def test_an_older_copy_with_a_secret_gives_its_place_to_the_newest():
    library = (shelved(OLD), shelved(artifact("b")))

    def found_in(text: str) -> list[str]:
        return ["old"] if "old" in text else []

    assert without_old_secrets(library, (OLD,), found_in) is library
    assert without_old_secrets(library, (artifact("a", "still old"),), found_in) is library
    assert without_old_secrets(library, (NEW,), found_in) == (shelved(NEW), library[1])
    assert keys(without_old_secrets(library, (selection("a", "new"),), found_in)) == ["b"]
    assert without_old_secrets(library, (), found_in) is library, "detached, it is marked where it stands"
