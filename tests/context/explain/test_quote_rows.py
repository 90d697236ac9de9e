"""What came back is a group with its room, and the turns it was cut from say so."""

from __future__ import annotations

from tests.fakes.recalled_chat import CHAT, CUT, fact_id, recalled_state
from tests.fakes.turns import RENDERERS, assistant, build, turn_inputs, user, word_counter
from workbench.context.assemble import Assembly, assemble
from workbench.context.assembly.quotes import growing_room
from workbench.context.explain.artifact_rows import artifact_rows, quote_groups
from workbench.context.explain.row_facts import CachedRun, RowFacts
from workbench.domain.change import Built
from workbench.domain.recall import Found
from workbench.domain.settings.context_settings import ContextSettings, HistorySettings
from workbench.domain.shown.envelope_view import EnvelopeView


def shown() -> EnvelopeView:
    view = recalled_state().open[CHAT].view
    assert view is not None
    return view


def test_the_group_has_the_rows_their_tokens_and_the_room():
    view, rows = shown(), shown().quotes
    group = view.group("recalled")
    assert group is not None
    assert (group.count, group.tokens) == (len(rows), sum(row.tokens for row in rows))
    assert group.room == CUT.recall_tokens
    assert group.left == group.room - group.tokens
    assert not group.used_up
    assert view.group("retrieved") is None


def test_in_a_log_under_a_cap_the_room_is_what_the_builder_gives():
    """It said all that is left of the cap, and a log gets a part of that."""
    rules = HistorySettings(max_tokens=300, recall=True)
    settings = ContextSettings(layout="append_only", history=rules)
    before = build(settings, question=user("q1", "?"))
    said = (user("q1", "?"), assistant("a1", "word " * 30))
    inputs = turn_inputs(
        settings,
        turn=2,
        history=said,
        question=user("q2", "?"),
        found=(Found("c/m", 1.0, text="x", chat="c"),),
    )
    built = Built(inputs, assemble(inputs, Assembly(word_counter(), RENDERERS), before))
    facts = RowFacts(built, word_counter())
    rows = [
        row for layer in built.envelope.layers[3:4] for row in artifact_rows(layer, facts, CachedRun(None, 0))
    ]
    (group,) = quote_groups(rows, facts)
    assert group.room == growing_room(300, built.envelope.layer("L4_STRIP").total_tokens)


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
