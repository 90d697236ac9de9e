"""What is attached, as it is listed: its cost, its form, its text on the wire, and what refreshing would break."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.fakes.steps_taken import lines_run
from tests.fakes.turns import artifact, assistant, build, shelved, user
from tests.fakes.views import PRICE, around, layers_of
from workbench.context.explain.attachment_rows import attachment_rows
from workbench.context.explain.row_facts import Disk
from workbench.domain.change import Built
from workbench.domain.settings.context_settings import CompactionSettings, ContextSettings
from workbench.domain.shown.attachment_view import AttachmentRow
from workbench.domain.turn import Tuning

SETTINGS = ContextSettings(model="word-1", system_prompt="Be kind.")
CHANGED: Disk = {"a": ("changed", "2026-01-01T14:02:00Z")}
TALK = (user("u"), assistant("m"))


def request(settings: ContextSettings = SETTINGS, **changes: Any) -> Built:
    return build(settings, **{"question": user("q"), "history": TALK, **changes})


def rows(built: Built, read: int | None = None, disk: Disk | None = None) -> dict[str, AttachmentRow]:
    seen = around(built, disk=disk or {})
    return {row.key: row for row in attachment_rows(layers_of(seen, read), seen, read, PRICE)}


def test_an_attached_file_is_listed_with_its_text_as_the_model_gets_it():
    built = request(attached=(artifact("a", "Alpha.", title="Notes", priority=3, essential=True),))
    row = rows(built)["a"]
    assert (row.kind, row.name, row.priority, row.pinned) == ("file", "Notes", 3, True)
    assert (row.state, row.content) == ("sent", "Alpha.")
    assert row.text == built.envelope.layer("L3_TURN").segments[0].text
    assert row.tokens == built.envelope.layer("L3_TURN").total_tokens
    assert (row.disk, row.changed_utc, row.refresh_tokens, row.refresh_usd) == ("unknown", "", None, None)


def test_they_are_listed_in_the_order_they_were_attached():
    assert list(rows(request(attached=(artifact("b"), artifact("a"))))) == ["b", "a"]
    assert rows(request(library=(shelved(artifact("a")),))) == {}


def test_a_file_in_the_library_costs_what_it_costs_there_and_its_reference():
    known = artifact("a", "one two three")
    built = request(library=(shelved(known, attached=True),), attached=(known,))
    row = rows(built)["a"]
    layers = {layer.name: layer for layer in built.envelope.layers}
    assert row.tokens == layers["L2_PREVIOUS"].total_tokens + layers["L3_TURN"].total_tokens
    assert (row.state, row.text) == ("sent", layers["L2_PREVIOUS"].segments[0].text)


def test_one_that_fell_has_no_text_and_one_that_was_left_out_neither():
    tight = replace(SETTINGS, attachment_budget_tokens=3)
    fallen = rows(request(tight, attached=(artifact("a", "many words in here"),)))["a"]
    assert (fallen.state, fallen.text, fallen.content) == ("dropped", "", "many words in here")
    assert fallen.tokens > 3
    out = rows(request(attached=(artifact("a", "two words"),), tuning=Tuning(excluded=frozenset({"a"}))))["a"]
    assert (out.state, out.text, out.tokens) == ("excluded", "", 2)


def test_a_compacted_one_shows_what_is_left_of_it():
    compact = replace(
        SETTINGS, context_window=90, reserved_output_tokens=0, compaction=CompactionSettings(50, 10, 2)
    )
    built = request(compact, attached=(artifact("a", "word " * 60),))
    row = rows(built)["a"]
    assert (row.state, row.text) == ("compacted", built.envelope.layer("L3_TURN").segments[0].text)
    assert "compacted from" in row.text


def test_reading_a_changed_file_anew_re_reads_what_is_cached_from_its_place_on():
    known = artifact("a")
    built = request(library=(shelved(known, attached=True),), attached=(known,))
    system = built.envelope.layer("L1_SYSTEM").total_tokens
    row = rows(built, read=system + 9, disk=CHANGED)["a"]
    assert (row.state, row.disk, row.changed_utc) == ("stale", "changed", "2026-01-01T14:02:00Z")
    assert (row.refresh_tokens, row.refresh_usd) == (9, 9 * 0.75)
    before = rows(built, read=system - 1, disk=CHANGED)["a"]
    assert (before.refresh_tokens, before.refresh_usd) == (0, 0.0)


def test_a_frozen_library_is_not_broken_by_a_new_copy():
    known = artifact("a")
    frozen = replace(SETTINGS, freshness="freeze")
    built = request(frozen, library=(shelved(known, attached=True),), attached=(known,))
    before_turn = sum(layer.total_tokens for layer in built.envelope.layers[:3])
    assert rows(built, read=before_turn, disk=CHANGED)["a"].refresh_tokens == 0
    assert rows(built, read=before_turn + 2, disk=CHANGED)["a"].refresh_tokens == 2


def test_what_fell_before_a_file_does_not_move_its_place():
    tight = replace(SETTINGS, context_window=70, reserved_output_tokens=0)
    library = (shelved(artifact("old", "word " * 90, priority=10)),)
    built = request(tight, library=library, attached=(artifact("a"),))
    assert [one.id for one in built.envelope.cuts.pruned] == ["old"]
    before_turn = sum(layer.total_tokens for layer in built.envelope.layers[:3])
    assert rows(built, read=before_turn + 2, disk=CHANGED)["a"].refresh_tokens == 2


def test_where_nobody_can_say_what_is_cached_nobody_says_what_it_costs():
    row = rows(request(attached=(artifact("a"),)), None, CHANGED)["a"]
    assert (row.disk, row.refresh_tokens, row.refresh_usd) == ("changed", None, None)


def test_a_changed_file_that_is_not_sent_breaks_nothing():
    tight = replace(SETTINGS, attachment_budget_tokens=3)
    row = rows(request(tight, attached=(artifact("a", "many words in here"),)), 4, CHANGED)["a"]
    assert row.refresh_tokens == 0


def test_many_attachments_are_listed_with_work_that_grows_as_they_do():
    """Changing one priority lists them all again; a search for each would be four times the work for twice as many."""

    def work(number: int) -> int:
        built = request(
            replace(SETTINGS, context_window=10**6), attached=[artifact(str(n)) for n in range(number)]
        )
        seen = around(built)
        layers = layers_of(seen, None)
        listed = attachment_rows(layers, seen, None, PRICE)
        assert len(listed) == number
        assert all(row.text for row in listed)
        return lines_run(lambda: attachment_rows(layers, seen, None, PRICE))

    assert work(600) < 2.5 * work(300)
