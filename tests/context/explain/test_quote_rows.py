"""What came back is a group with its room, and the turns it was cut from say so."""

from __future__ import annotations

from tests.fakes.recalled_chat import CHAT, CUT, fact_id, recalled_state
from workbench.context.explain.quote_rows import quote_groups
from workbench.domain.shown.envelope_view import EnvelopeView


def shown() -> EnvelopeView:
    view = recalled_state().open[CHAT].view
    assert view is not None
    return view


def test_the_group_has_the_rows_their_tokens_and_the_room():
    assert quote_groups is not None
    view, rows = shown(), shown().quotes
    group = view.group("recalled")
    assert group is not None
    assert (group.count, group.tokens) == (len(rows), sum(row.tokens for row in rows))
    assert group.room == CUT.recall_tokens
    assert group.left == group.room - group.tokens
    assert not group.used_up
    assert view.group("retrieved") is None


def test_a_quote_says_who_said_it_when_and_by_which_words_it_fits_the_best_first():
    row = next(row for row in shown().quotes if row.key.id == fact_id(recalled_state().open[CHAT]))
    assert (row.name, row.first_turn, row.state) == ("user", 2, "recalled")
    assert row.found is not None
    best = max(row.found.words, key=lambda word: word.part).word
    assert row.reason.subject.split(", ")[0] == best


def test_the_turns_that_were_cut_say_how_many_of_their_messages_come_back():
    history = next(layer for layer in shown().layers if layer.name == "L4_STRIP")
    cut = [row for row in history.rows if row.state == "dropped"]
    assert [row.back for row in cut] == [len(shown().quotes)]
    assert all(row.back == 0 for row in history.rows if row.state == "sent")
