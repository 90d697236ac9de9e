"""The minimap: what a tick says of the next request, where it lies, what keys and the mouse do, and what it costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.fakes.sample_state import sample_state
from tests.ui.chat.chat_samples import answered, asked, chat_of, long_chat, sample, turn
from workbench.domain.recall import Found
from workbench.domain.shown.envelope_view import (
    CacheMark,
    EnvelopeView,
    LayerRow,
    RowKey,
    RowState,
    SegmentRow,
)
from workbench.domain.turn import Tuning
from workbench.engine.state import ChatState
from workbench.ui.chat.pane import ChatPane
from workbench.ui.chat.transcript.minimap import Minimap, spoken
from workbench.ui.chat.transcript.minimap_layout import (
    GAP,
    LEAST,
    PAD,
    Fate,
    Tick,
    block_of,
    lay_out,
    place_at,
    y_of,
)
from workbench.ui.chat.transcript.transcript import Transcript

STATE = sample_state()
LONG = "A line that is as long as lines are in an answer of a model.\n" * 8


def row(number: int, state: RowState = "sent", cache: CacheMark = "hit") -> SegmentRow:
    key, members = RowKey("L4_STRIP", f"q{number}"), (f"q{number}", f"a{number}")
    return SegmentRow(key, members, "turn", "", 300, state, cache=cache, first_turn=number, last_turn=number)


def request(rows: Sequence[SegmentRow], trimmed: tuple[str, ...] = ()) -> EnvelopeView:
    view = sample().view
    assert view is not None
    quote = replace(
        rows[0],
        key=RowKey("L3_TURN", "a2"),
        members=("a2",),
        kind="recalled",
        tokens=44,
        found=Found("a2", 9.0),
    )
    question = next(layer for layer in view.layers if layer.name == "L5_USER")
    layers = (LayerRow("L4_STRIP", 900, tuple(rows)), LayerRow("L3_TURN", 44, (quote,)), question)
    return replace(view, turn=9, layers=layers, trimmed=trimmed, trimmed_tokens=20)


def chat_of_all_fates() -> ChatState:
    """Eight turns: trimmed, recalled, left out, pinned, cached, cached, cached, and one that is sent anew."""
    records = [each for n in range(1, 9) for each in (asked(f"q{n}"), answered(f"a{n}", LONG))]
    rows = [row(n, cache="new" if n == 8 else "hit") for n in range(1, 9)]
    view = request(rows, trimmed=("a1", "a2"))
    chat = chat_of(*records, turns=tuple(turn(n, f"q{n}", f"a{n}") for n in range(1, 9)))
    talk = replace(chat.conversation, tuning=Tuning(excluded=frozenset({"q3"}), pinned=frozenset({"a4"})))
    return replace(chat, view=view, conversation=talk)


@pytest.fixture
def pane(qtbot: QtBot) -> ChatPane:
    made = ChatPane()
    qtbot.addWidget(made)
    made.resize(1200, 800)
    made.show()
    return made


@pytest.fixture
def transcript(pane: ChatPane) -> Transcript:
    return pane.transcript


def show(transcript: Transcript, chat: ChatState) -> Minimap:
    transcript.show_state(STATE, chat)
    transcript.finish_drawing()
    return transcript.minimap


def long_view(transcript: Transcript) -> Minimap:
    return show(transcript, long_chat(60, LONG))


def top_message(transcript: Transcript) -> str:
    return transcript.parts_in_sight()[0][0]


def test_each_tick_says_what_becomes_of_its_message_in_the_next_request(transcript: Transcript):
    ticks = {tick.key: tick for tick in show(transcript, chat_of_all_fates()).ticks()}
    fates = {key: tick.fate for key, tick in ticks.items()}
    assert (fates["a1"], fates["a2"], fates["q3"]) == ("trimmed", "recalled", "out")
    assert (fates["q1"], fates["a7"], fates["a8"]) == ("cached", "cached", "sent")
    assert [key for key, tick in ticks.items() if tick.pinned] == ["a4"]
    assert (ticks["a2"].tokens, ticks["a7"].tokens, ticks["a7"].turn) == (44, 300, 7)
    assert spoken(ticks["q3"]) == "turn 3, question, left out, 300 tokens with its turn, Why?"
    assert spoken(ticks["a2"]).startswith("turn 2, answer, recalled, 44 tokens, A line")


def test_a_row_that_holds_several_turns_says_no_tokens_of_one(transcript: Transcript):
    shown = replace(row(1), last_turn=4, state="dropped")
    chat = replace(chat_of_all_fates(), view=request([shown]))
    first = show(transcript, chat).ticks()[0]
    assert (first.fate, first.tokens) == ("out", None)


def test_under_eight_messages_there_is_the_scroll_bar(transcript: Transcript):
    assert show(transcript, long_chat(7, LONG)).isHidden()
    assert transcript.verticalScrollBarPolicy() == Qt.ScrollBarPolicy.ScrollBarAsNeeded
    assert show(transcript, long_chat(8, LONG)).isVisible()
    assert transcript.verticalScrollBarPolicy() == Qt.ScrollBarPolicy.ScrollBarAlwaysOff
    assert transcript.minimap.geometry().right() == transcript.width() - 1
    assert show(transcript, long_chat(4, LONG)).isHidden()
    assert transcript.verticalScrollBarPolicy() == Qt.ScrollBarPolicy.ScrollBarAsNeeded
    assert transcript.viewportMargins().right() == 0


def test_it_is_as_wide_as_there_is_room(pane: ChatPane):
    assert long_view(pane.transcript).width() == 38
    pane.resize(950, 700)
    assert pane.transcript.minimap.width() == 24
    pane.transcript.minimap.setFocus()
    card = pane.transcript.minimap.card
    assert card.isVisible()
    assert card.legend.isHidden()


def tick(place: int, lines: int = 1, fate: Fate = "cached", pinned: bool = False) -> Tick:
    return Tick(f"x{place}", False, lines, fate, pinned, 0, None, None)  # type: ignore[arg-type]


def test_ticks_are_as_high_as_their_messages_are_long_and_never_too_low(qapp: QApplication):
    blocks = lay_out([tick(0), tick(1, 20), tick(2, 10)], 600)
    assert [block.height for block in blocks] == [3, 60, 30]
    assert blocks[1].top == PAD + LEAST + GAP
    tight = lay_out([tick(n, 1 if n else 10_000) for n in range(100)], 600)
    assert min(block.height for block in tight) == LEAST
    assert tight[-1].top + tight[-1].height <= 600 - PAD


def test_where_messages_are_more_than_pixels_neighbours_of_one_fate_are_one(qapp: QApplication):
    fates: tuple[Fate, ...] = ("cached",) * 3_000 + ("trimmed",) * 10 + ("cached",) * 1_990
    ticks = [tick(n, 5, fate) for n, fate in enumerate(fates)]
    blocks = lay_out(ticks, 600)
    assert sum(block.size for block in blocks) == 5_000
    assert len(blocks) <= (600 - 2 * PAD) / (LEAST + GAP)
    assert [block.fate for block in blocks].count("trimmed") >= 1
    for block in blocks:
        assert {one.fate for one in ticks[block.first : block.first + block.size]} == {block.fate}
    for place in (0, 2_999, 3_004, 4_999):
        assert place_at(blocks, y_of(blocks, place, 0.5))[0] == place
    mixed = lay_out([tick(n, 5, "cached" if n % 2 else "recalled") for n in range(5_000)], 600)
    assert len(mixed) <= (600 - 2 * PAD) / (LEAST + GAP)
    assert {block.fate for block in mixed} == {"recalled"}  # the rarer one is not lost


def test_the_frame_is_round_what_is_in_view(transcript: Transcript):
    minimap = long_view(transcript)
    blocks = lay_out(minimap.ticks(), minimap.height())
    assert minimap.frame().bottom() >= blocks[-1].top + blocks[-1].height
    transcript.to_message("x20")
    begin = block_of(blocks, 20).top
    assert abs(minimap.frame().top() - begin) <= 3
    before = minimap.frame().top()
    QTest.keyClick(transcript, Qt.Key.Key_PageDown)
    assert minimap.frame().top() > before


def test_keys_choose_a_message_and_enter_goes_there(transcript: Transcript):
    minimap = long_view(transcript)
    transcript.to_message("x20")
    minimap.take_focus()
    chosen = minimap.chosen()
    assert chosen is not None
    assert chosen.key == "x20"
    assert minimap.card.isVisible()
    QTest.keyClick(minimap, Qt.Key.Key_Down)
    assert minimap.accessibleName().startswith("Minimap of this chat, message 22 of 60: answer, sent, A line")
    QTest.keyClick(minimap, Qt.Key.Key_Home)
    assert top_message(transcript) == "x20"  # choosing scrolls nothing
    QTest.keyClick(minimap, Qt.Key.Key_Return)
    assert top_message(transcript) == "x0"
    QTest.keyClick(minimap, Qt.Key.Key_PageDown)
    far = minimap.chosen()
    assert far is not None
    assert far.key not in ("x0", "x1")
    QTest.keyClick(minimap, Qt.Key.Key_End)
    QTest.keyClick(minimap, Qt.Key.Key_Up)
    last = minimap.chosen()
    assert last is not None
    assert last.key == "x58"
    transcript.setFocus()
    assert minimap.chosen() is None
    assert minimap.card.isHidden()


def test_a_click_jumps_and_the_frame_is_dragged(transcript: Transcript):
    minimap = long_view(transcript)
    blocks = lay_out(minimap.ticks(), minimap.height())

    def point(place: int) -> QPoint:
        return QPoint(15, round(y_of(blocks, place, 0.5)))

    QTest.mouseClick(minimap, Qt.MouseButton.LeftButton, pos=point(10))
    assert top_message(transcript) == "x10"
    grip = minimap.frame().center().toPoint()
    QTest.mousePress(minimap, Qt.MouseButton.LeftButton, pos=grip)
    assert top_message(transcript) == "x10"
    goal = point(41) - point(10)
    QTest.mouseMove(minimap, grip + goal)
    QTest.mouseRelease(minimap, Qt.MouseButton.LeftButton, pos=grip + goal)
    assert top_message(transcript) in ("x40", "x41")
    assert abs(minimap.frame().center().y() - (grip + goal).y()) <= 12
    assert not minimap.hasFocus()  # who writes goes on writing


def test_the_wheel_scrolls_as_over_the_messages(transcript: Transcript):
    minimap = long_view(transcript)
    before = transcript.verticalScrollBar().value()
    at, up = QPointF(15, 200), QPoint(0, 120)
    wheel = QWheelEvent(
        at, minimap.mapToGlobal(at), QPoint(), up, Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(minimap, wheel)
    assert transcript.verticalScrollBar().value() < before


def test_what_a_search_found_is_notched(pane: ChatPane):
    minimap = long_view(pane.transcript)
    plain = minimap.grab().toImage()
    pane.finder.open()
    pane.finder.bar.field.setText("Question 4")
    pane.finder.finish()
    assert minimap.hits() == {"x4", *(f"x{n}" for n in range(40, 50, 2))}
    assert minimap.grab().toImage() != plain
    pane.finder.close()
    assert minimap.hits() == frozenset()


class Counted:
    """How often the ticks were made anew."""

    def __init__(self, minimap: Minimap, monkeypatch: pytest.MonkeyPatch) -> None:
        self.times = 0
        show_ticks = minimap.show_ticks

        def counting(ticks: Sequence[Tick]) -> None:
            self.times += 1
            show_ticks(ticks)

        monkeypatch.setattr(minimap, "show_ticks", counting)


def test_typing_computes_and_paints_nothing(transcript: Transcript, monkeypatch: pytest.MonkeyPatch):
    """A minimap that follows every key would cost most in the longest chats."""
    chat = chat_of_all_fates()
    minimap = show(transcript, chat)
    counted = Counted(minimap, monkeypatch)
    view = chat.view
    assert view is not None
    painted: list[object] = []
    monkeypatch.setattr(minimap, "update", lambda *_: painted.append(1))
    typed = replace(chat, view=replace(view, total_tokens=view.total_tokens + 1), draft="a")
    transcript.show_state(STATE, typed)
    assert (counted.times, painted) == (0, [])
    cold = replace(view.layers[0], rows=tuple(replace(one, cache="new") for one in view.layers[0].rows))
    transcript.show_state(STATE, replace(typed, view=replace(view, layers=(cold, *view.layers[1:]))))
    assert counted.times == 1
    assert painted
    assert "cached" not in {tick.fate for tick in minimap.ticks()}


def test_the_legend_counts_and_the_card_has_the_first_lines(transcript: Transcript):
    minimap = show(transcript, chat_of_all_fates())
    minimap.take_focus()
    QTest.keyClick(minimap, Qt.Key.Key_Home)
    QTest.keyClick(minimap, Qt.Key.Key_Down)
    card = minimap.card
    assert (card.title.text(), card.standing.text()) == ("turn 1, answer", "trimmed")
    assert card.text.text().startswith("A line that is as long")
    words = card.legend.words()
    assert words == ("11 cached", "2 sent", "1 trimmed", "1 recalled", "1 left out", "1 pinned")
    assert card.geometry().right() < minimap.x()
