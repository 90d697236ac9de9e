"""The facts of answers in the transcript: the quiet line, marks, the card, keys, and what was cut."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPainter, QTextCharFormat
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.fakes.sample_state import sample_state
from tests.fakes.widgets import all_of
from tests.ui.chat.chat_samples import answered, asked, chat_of, turn
from workbench.domain.answer_facts import AnswerFact, AnswerFacts, FactPlace
from workbench.domain.segment import LayerName
from workbench.domain.shown.envelope_view import PriceTag, RowKey, SegmentRow, StepPrice
from workbench.domain.turn import Tuning
from workbench.engine.intents import CheckFacts, OpenTurn, PriceStep
from workbench.engine.state import ChatState
from workbench.engine.tuning_intents import TuneMessages
from workbench.ui.chat.messages.answer_view import AnswerView
from workbench.ui.chat.messages.fact_panel import LOW_PX, FactPanel, fact_marks, paint_line, quiet_words
from workbench.ui.chat.text.blocks import Line, Span
from workbench.ui.chat.text.ink import Ink
from workbench.ui.chat.text.prose import SIGN_PX, ProseView
from workbench.ui.chat.text.selection import Mark
from workbench.ui.chat.transcript.fact_marks import LAID_OUT_MS, bring_back
from workbench.ui.chat.transcript.transcript import Transcript
from workbench.ui.look.theme import LIGHT

STATE = sample_state()
ANSWER = "A token lives 900 seconds, on port 8443 of staging-2, so 870 seconds; I said 512."


def place(key: str, layer: LayerName = "L3_TURN", number: int = 29, **more: int) -> FactPlace:
    return FactPlace(key, key, layer, number, "A token lives 900 seconds.", 14, 25, "before", "after", **more)


def fact(text: str, state: str, *where: FactPlace, **more: object) -> AnswerFact:
    at = ANSWER.index(text)
    made = AnswerFact(text, "number", ((at, at + len(text)),), where=where)
    return replace(made, state=state, **more)  # type: ignore[arg-type]


FOUND = AnswerFacts(
    (
        fact("900 seconds", "found", place("docs/api.md"), place("spec.md", "L2_PREVIOUS", 28)),
        fact("8443", "absent", cut=place("a0", "L4_STRIP", 1, turn=3)),
        fact("staging-2", "question", place("q", "L5_USER", 1)),
        fact("870 seconds", "computed", how="900 − 30"),
        fact("512", "earlier_answer", place("a0", "L4_STRIP", 1, turn=3)),
    ),
    "a",
    "q",
    answer=ANSWER,
)


@pytest.fixture
def transcript(qtbot: QtBot) -> Transcript:
    made = Transcript()
    qtbot.addWidget(made)
    made.resize(640, 700)
    made.show()
    return made


def chat(facts: AnswerFacts | None = FOUND) -> ChatState:
    known = {} if facts is None else {"a": facts}
    return chat_of(asked("q"), answered("a", ANSWER), turns=(turn(1, "q", "a"),), facts=known)


def view(transcript: Transcript) -> AnswerView:
    found = transcript.column.view("a")
    assert isinstance(found, AnswerView)
    return found


def panel_of(transcript: Transcript, key: str) -> FactPanel:
    found = transcript.column.view(key)
    assert isinstance(found, AnswerView)
    assert found.facts is not None
    return found.facts


def sent(transcript: Transcript) -> list[object]:
    intents: list[object] = []
    transcript.wishes.intent.connect(intents.append)
    return intents


def test_an_answer_in_sight_is_checked_once_and_not_while_that_is_off(transcript: Transcript):
    intents = sent(transcript)
    off = replace(STATE, preferences=replace(STATE.preferences, check_facts=False))
    transcript.show_state(off, chat(None))
    assert [one for one in intents if isinstance(one, CheckFacts)] == []
    transcript.show_state(STATE, chat(None))
    transcript.show_state(STATE, chat(None))
    assert [one for one in intents if isinstance(one, CheckFacts)] == [CheckFacts(chat().chat.id, "q", "a")]
    assert view(transcript).facts is None


def test_the_quiet_line_says_how_many_and_names_what_is_missing(transcript: Transcript):
    transcript.show_state(STATE, chat())
    panel = view(transcript).facts
    assert panel is not None
    assert panel.line.accessibleName() == (
        "5 facts: 2 in the request, 1 only in earlier answers, 1 computed, 1 not: 8443"
    )
    assert not panel.card.isVisible()
    assert quiet_words(AnswerFacts(FOUND.facts[:1])) == ("1 fact,", "all in the request or computed", "")


def test_answers_without_facts_have_no_line_and_deleted_requests_say_so(transcript: Transcript):
    transcript.show_state(STATE, chat(AnswerFacts((), "a", "q", answer=ANSWER)))
    assert view(transcript).facts is None
    transcript.show_state(STATE, chat(AnswerFacts((), "a", "q", problem="Can’t check: it was deleted.")))
    panel = view(transcript).facts
    assert panel is not None
    assert panel.line.accessibleName() == "Can’t check: it was deleted."
    assert not panel.line.isEnabled()


def test_opening_shows_marks_by_state_and_the_first_absent_fact(transcript: Transcript):
    transcript.show_state(STATE, chat())
    transcript.facts.toggle()
    panel = view(transcript).facts
    assert panel is not None
    assert panel.card.title.text() == "8443"
    assert panel.card.badge.word() == "not in the request"
    assert panel.card.place.text() == "Was cut: turn 3 line 1"
    assert panel.card.lines[1].accessibleName() == "1 A token lives 900 seconds."
    assert panel.card.layers.isHidden(), "it stands nowhere in the request that was sent"
    assert [one.words.text() for one in panel.absent] == ["Was cut: turn 3 line 1"]
    found: list[ProseView] = list(view(transcript).findChildren(ProseView))
    prose = found[0]
    styles = {one.cursor.selectedText(): one.format.underlineStyle() for one in prose.extraSelections()}  # type: ignore[attr-defined]
    line = QTextCharFormat.UnderlineStyle
    assert styles["900 seconds"] == line.SingleUnderline
    assert styles["8443"] == line.DotLine
    assert styles["staging-2"] == line.DashUnderline
    assert styles["512"] == line.WaveUnderline
    assert len(set(styles.values())) == 5
    transcript.facts.toggle()
    assert not prose.extraSelections()


def test_behind_computed_and_absent_facts_is_a_sign_with_room_of_its_own(transcript: Transcript):
    """The sign is no letter: what is copied is the answer, and the words after it move aside while it is shown."""
    transcript.show_state(STATE, chat())
    shown: list[ProseView] = list(view(transcript).body.findChildren(ProseView))
    prose = shown[0]

    def reach() -> float:
        """Where the letter behind the first sign stands."""
        place: Any = prose.document().findBlock(0).layout().lineAt(0).cursorToX(ANSWER.index("8443") + 4)
        return float(place[0])

    before = reach()
    transcript.facts.open("a")
    assert [(one.line, one.chosen) for one in prose._signs] == [("dotted", True), ("double", False)]
    assert reach() > before + SIGN_PX
    assert prose.toPlainText() == ANSWER
    prose._write_anew()  # as in another theme
    assert reach() > before + SIGN_PX
    assert prose.grab().width()
    transcript.facts.toggle()
    assert (prose._signs, reach()) == ((), before)


def test_a_text_that_takes_a_line_more_for_its_signs_is_shown_whole_and_without_them_as_before(
    transcript: Transcript, qtbot: QtBot
):
    """The last line was cut; and where the facts were folded, an empty one stayed."""
    transcript.show_state(STATE, chat())
    prose = all_of(ProseView, view(transcript).body)[0]
    line, more = prose.height(), 0
    # The narrowest column in which the answer without signs takes two lines.
    for width in range(640, 360, -1):
        transcript.resize(width, 700)
        if prose.height() > line:
            break
        more = width
    transcript.resize(more, 700)
    assert prose.height() == line
    transcript.facts.open("a")
    qtbot.waitUntil(lambda: prose.height() > line)
    assert prose.height() >= prose.document().size().height()
    transcript.facts.toggle()
    qtbot.waitUntil(lambda: prose.height() == line)


def test_in_a_narrow_column_what_is_missing_comes_first(transcript: Transcript, qtbot: QtBot):
    transcript.show_state(STATE, chat())
    transcript.facts.open("a")
    panel = view(transcript).facts
    assert panel is not None
    qtbot.waitUntil(lambda: panel.line.width() > 500)
    panel.line.update_look()
    assert "2 in the request" in panel.line.runs[2].text
    transcript.resize(400, 700)
    qtbot.waitUntil(lambda: panel.width() < 430)
    assert not panel.card.note.isHidden(), "nothing else says so here"
    panel.line.update_look()
    assert [run.text for run in panel.line.runs[1:]] == ["5 facts:", "1 not:", "8443"]
    qtbot.waitUntil(panel.absent[0].tokens.isHidden)


def test_signs_of_a_text_that_became_shorter_do_no_harm(qtbot: QtBot):
    prose = ProseView(Ink())
    qtbot.addWidget(prose)
    prose.show_lines((Line((Span("It listens on port 8443."),)), Line((Span("And on 9443."),))))
    text = prose.toPlainText()
    prose.mark_carried([Mark(text.index("9443"), text.index("9443") + 4, look=("dotted", "errline"))])
    prose.show_lines((Line((Span("It is gone."),)),))
    prose.mark_carried([])
    assert prose.grab().width()


def test_the_keys_of_the_card(transcript: Transcript):
    intents = sent(transcript)
    steps: list[object] = []
    transcript.wishes.step.connect(steps.append)
    transcript.show_state(STATE, chat())
    transcript.facts.toggle()
    panel = view(transcript).facts
    assert panel is not None
    card = panel.card
    QTest.keyClick(card, Qt.Key.Key_Left)
    assert card.title.text() == "900 seconds"
    assert card.place.text() == "docs/api.md line 29"
    assert card.also.text() == "also spec.md, line 28"
    QTest.keyClick(card, Qt.Key.Key_Return)
    assert OpenTurn(chat().chat.id, 1) in intents
    QTest.keyClick(card, Qt.Key.Key_A)
    assert card.title.text() == "8443"
    QTest.keyClick(card, Qt.Key.Key_B)
    assert len(steps) == 1
    QTest.keyClick(card, Qt.Key.Key_Right)
    QTest.keyClick(card, Qt.Key.Key_Right)
    assert card.place.text() == "Computed: 900 − 30"
    QTest.keyClick(card, Qt.Key.Key_Escape)
    assert not card.isVisible()


def test_an_answer_that_grew_is_checked_again(transcript: Transcript):
    intents = sent(transcript)
    transcript.show_state(STATE, chat(replace(FOUND, answer="Shorter.")))
    assert len([one for one in intents if isinstance(one, CheckFacts)]) == 1
    # Asked once for each, however often the state comes; and again when it turns out to be yet another version.
    transcript.show_state(STATE, chat(replace(FOUND, answer="Shorter.")))
    transcript.show_state(STATE, chat(replace(FOUND, answer="Another.")))
    assert len([one for one in intents if isinstance(one, CheckFacts)]) == 2


def test_what_was_cut_is_put_back_or_pinned_in_one_step():
    absent = FOUND.facts[1]
    step = bring_back(absent, chat())
    assert step is not None
    assert [type(one) for one in step.do] == [TuneMessages]
    out = replace(
        chat(), conversation=replace(chat().conversation, tuning=Tuning(excluded=frozenset({"a0"})))
    )
    step = bring_back(absent, out)
    assert step is not None
    assert bring_back(FOUND.facts[0], chat()) is None


def test_every_line_of_the_legend_looks_like_the_one_under_the_words():
    """Those of earlier answers and of what was computed were dashes and dots, as Qt has them."""

    def rows(line: str) -> dict[int, int]:
        """How many points of each row of a sample are drawn."""
        sample = QImage(16, 18, QImage.Format.Format_ARGB32)
        sample.fill(0)
        painter = QPainter(sample)
        paint_line(painter, QRectF(0, 0, 16, 18), line, "t1", LIGHT)
        painter.end()
        counts = {y: sum(sample.pixelColor(x, y).alpha() > 60 for x in range(16)) for y in range(18)}
        return {y: count for y, count in counts.items() if count}

    assert list(rows("double").values()) == [16, 16]
    assert max(rows("double")) - min(rows("double")) > 1, "with room between the two"
    assert len(rows("wavy")) >= 4
    assert max(rows("solid").values()) == 16
    assert max(rows("dotted").values()) < 14
    assert max(rows("dashed").values()) < 14


def test_that_absent_is_not_wrong_is_said_of_absent_facts_only(transcript: Transcript, qtbot: QtBot):
    transcript.resize(900, 700)
    transcript.show_state(STATE, chat())
    transcript.facts.open("a")
    card = panel_of(transcript, "a").card
    qtbot.waitUntil(card.note.isVisible)
    transcript.facts.open("a", 0)
    assert card.note.isHidden()


def test_in_a_low_window_the_words_and_their_card_are_seen_together(transcript: Transcript, qtbot: QtBot):
    """Boxes of absent facts, each with the same sentence, filled the transcript: the words were far above."""
    absent = tuple(replace(fact(text, "absent")) for text in ("900 seconds", "8443", "870 seconds", "512"))
    said = f"{ANSWER}\n\n{'More of it. ' * 60}"
    found = AnswerFacts(absent, "a", "q", answer=said)
    transcript.resize(440, 470)
    records = (asked("q"), answered("a", said))
    transcript.show_state(STATE, chat_of(*records, turns=(turn(1, "q", "a"),), facts={"a": found}))
    transcript.facts.open("a", 2)
    qtbot.wait(3 * LAID_OUT_MS)
    panel = panel_of(transcript, "a")
    assert {one.height() for one in panel.absent} == {LOW_PX}
    assert {one.words.text() for one in panel.absent} == {""}
    word = transcript.viewport().mapFromGlobal(view(transcript).body.chosen_box().topLeft())
    card = transcript.viewport().mapFromGlobal(panel.card.mapToGlobal(panel.card.rect().bottomLeft()))
    assert word.y() >= 0
    assert card.y() <= transcript.viewport().height()
    transcript.resize(440, 900)
    qtbot.waitUntil(lambda: panel.absent[0].words.text() != "")


def test_the_key_unfolds_the_newest_answer_in_sight_rather_than_folding_one_that_is_not(
    transcript: Transcript, qtbot: QtBot
):
    """The card stood far above: the key folded it there, and nothing was seen to happen."""
    long = "\n\n".join([ANSWER] * 60)
    answers = (answered("a", ANSWER), answered("b", long), answered("c", ANSWER))
    records = [record for one in answers for record in (asked(f"q{one.id}"), one)]
    turns = tuple(turn(at, f"q{key}", key) for at, key in enumerate("abc", 1))
    known = {
        key: replace(FOUND, message=key, question=f"q{key}", answer=text)
        for key, text in (("a", ANSWER), ("b", long), ("c", ANSWER))
    }
    transcript.show_state(STATE, chat_of(*records, turns=turns, facts=known))
    transcript.finish_drawing()
    older, newest = (panel_of(transcript, key) for key in "ac")
    transcript.facts.open("a")
    qtbot.waitUntil(lambda: not older.card.visibleRegion().isEmpty())
    qtbot.wait(2 * LAID_OUT_MS)
    transcript.to_end()
    transcript.facts.toggle()
    assert newest.card.isVisible()
    assert older.card.isHidden()
    qtbot.waitUntil(lambda: not newest.card.visibleRegion().isEmpty())
    transcript.facts.toggle()
    assert newest.card.isHidden()


def test_the_fact_that_was_chosen_is_the_one_that_is_unfolded_next(transcript: Transcript):
    transcript.show_state(STATE, chat())
    transcript.facts.open("a", 2)
    transcript.facts._do("a", "layers", 2)
    transcript.facts._do("a", "close", 0)
    transcript.facts.toggle()
    panel = view(transcript).facts
    assert panel is not None
    assert panel.card.title.text() == "staging-2"


def test_what_bringing_back_costs_is_the_price_of_that_step_and_nobody_guesses(transcript: Transcript):
    """The guess was the text alone, without its frame and what the step changes around it."""
    intents = sent(transcript)
    transcript.show_state(STATE, chat())
    transcript.facts.open("a")
    panel = view(transcript).facts
    assert panel is not None
    (asked_for,) = [one for one in intents if isinstance(one, PriceStep)]
    step = bring_back(FOUND.facts[1], chat())
    assert step is not None
    assert asked_for.step == step.do
    assert panel.absent[0].tokens.text() == "", "nothing is promised that is not known"
    shown = transcript.facts._chat
    assert shown is not None
    price = StepPrice(asked_for.key, PriceTag(tokens_delta=179))
    transcript.show_state(STATE, replace(shown, price=price))
    assert panel.absent[0].tokens.text() == "≈ +179 tokens"
    assert intents[-1] == PriceStep(chat().chat.id), "and it is not worked out at every key from here on"


def test_what_was_brought_back_says_so_and_is_not_offered_again(transcript: Transcript):
    key = RowKey("L4_STRIP", "a0")
    row = SegmentRow(key, ("a0",), "turn", "", 179, "sent")
    view_of = STATE.open[next(iter(STATE.open))].view
    assert view_of is not None
    layers = tuple(
        replace(layer, rows=(*layer.rows, row)) if layer.name == "L4_STRIP" else layer
        for layer in view_of.layers
    )
    steps: list[object] = []
    transcript.wishes.step.connect(steps.append)
    transcript.show_state(STATE, replace(chat(), view=replace(view_of, layers=layers, trimmed=())))
    transcript.facts.open("a")
    panel = view(transcript).facts
    assert panel is not None
    assert panel.card.badge.word() == "in the next request"
    assert panel.card.place.text() == "In the next request: turn 3 line 1"
    assert panel.absent[0].back.isHidden()
    QTest.keyClick(panel.card, Qt.Key.Key_B)
    assert steps == []


def test_a_line_in_a_quoted_block_is_marked_rather_than_the_block():
    block = AnswerFact("a\nb", "quotation", ((0, 30),), "found", (place("x"),))
    line = AnswerFact("b", "code", ((10, 12),))
    assert [mark[:2] for mark in fact_marks(AnswerFacts((block, line)), None)] == [(10, 12), (0, 30)]
