"""The attachments pane: what is listed, and what goes out."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QMimeData, QPoint, QPointF, QRectF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QInputDialog
from pytestqt.qtbot import QtBot

from tests.fakes.sample_state import CHAT, sample_state
from workbench.domain.shown.attachment_view import Opinion, Relevance, Suggestion
from workbench.domain.shown.envelope_view import RowKey, SegmentRow
from workbench.engine.attaching_intents import FreezeArtifacts
from workbench.engine.intents import AttachFiles, DetachArtifacts, RefreshArtifacts
from workbench.engine.state import ChatState
from workbench.engine.tuning_intents import (
    AskPriorities,
    AttachedChange,
    DismissSuggestions,
    OfferPriorities,
    TuneAttached,
    TuneLog,
)
from workbench.ui.attachments.looks import badge_of
from workbench.ui.attachments.pane import AttachmentsPane, row_menu
from workbench.ui.steps import Step

STATE = sample_state()
OPEN = STATE.open[CHAT]


class Out:
    """A pane and everything that came out of it."""

    def __init__(self, qtbot: QtBot, chat: ChatState | None = OPEN) -> None:
        self.pane = AttachmentsPane()
        qtbot.addWidget(self.pane)
        self.intents: list[object] = []
        self.steps: list[Step] = []
        self.wishes: list[str] = []
        self.pane.wishes.intent.connect(self.intents.append)
        self.pane.wishes.step.connect(self.steps.append)
        self.pane.wishes.wish.connect(self.wishes.append)
        self.pane.resize(252, 300)
        self.pane.show_state(STATE, chat)
        self.pane.show()
        self.pane.view.setFocus()

    def on(self, key: str) -> Out:
        self.pane.view.setCurrentIndex(self.pane.view.tree().index_of(key))
        return self

    def press(self, key: Qt.Key) -> Out:
        QTest.keyClick(self.pane.view, key)
        return self


def test_the_head_counts_and_sums(qtbot: QtBot):
    assert Out(qtbot).pane.sum.text() == "4 · 25.7k"


def test_space_pins_as_a_step_that_can_be_taken_back(qtbot: QtBot):
    out = Out(qtbot).on("src/auth.py").press(Qt.Key.Key_Space)
    (step,) = out.steps
    assert step.do == (TuneAttached(CHAT, (AttachedChange("src/auth.py", pinned=True),)),)
    assert step.undo == (TuneAttached(CHAT, (AttachedChange("src/auth.py", pinned=False),)),)


def test_priorities_by_digit_and_by_step(qtbot: QtBot):
    out = Out(qtbot).on("src/auth.py").press(Qt.Key.Key_3).press(Qt.Key.Key_Plus)
    wanted = [TuneAttached(CHAT, (AttachedChange("src/auth.py", priority=number),)) for number in (3, 6)]
    assert [step.do[0] for step in out.steps] == wanted


def test_the_same_priority_again_is_no_step(qtbot: QtBot):
    assert Out(qtbot).on("src/auth.py").press(Qt.Key.Key_5).steps == []


def test_delete_detaches_all_that_are_chosen(qtbot: QtBot):
    out = Out(qtbot)
    out.pane.view.selectAll()
    out.press(Qt.Key.Key_Delete)
    keys = tuple(artifact.key for artifact in OPEN.conversation.attached)
    assert out.steps[0].do == (DetachArtifacts(CHAT, keys),)


def test_refresh_is_a_step_and_freeze_an_intent(qtbot: QtBot):
    out = Out(qtbot).on("docs/api.md").press(Qt.Key.Key_F5)
    assert out.steps[0].do == (RefreshArtifacts(CHAT, ("docs/api.md",)),)
    out.pane.view.freeze_wanted.emit((OPEN.attachments[1],))
    assert out.intents == [FreezeArtifacts(CHAT, ("docs/api.md",))]


def test_keeping_the_earlier_copy_is_a_step_that_is_undone_by_reading_anew(qtbot: QtBot):
    renewed = replace(OPEN.attachments[1], disk="renewed")
    out = Out(qtbot, replace(OPEN, attachments=(renewed,)))
    out.pane.view.freeze_wanted.emit((renewed,))
    (step,) = out.steps
    assert step.do == (FreezeArtifacts(CHAT, ("docs/api.md",), earlier=True),)
    assert step.undo == (RefreshArtifacts(CHAT, ("docs/api.md",)),)
    assert out.intents == []


def test_what_is_no_file_is_not_refreshed(qtbot: QtBot):
    pasted = replace(OPEN.attachments[0], disk="unknown")
    out = Out(qtbot, replace(OPEN, attachments=(pasted,))).on("project-spec.md").press(Qt.Key.Key_F5)
    assert out.steps == []


def test_the_same_rows_again_change_nothing(qtbot: QtBot):
    out = Out(qtbot)
    told: list[object] = []
    out.pane.view.tree().dataChanged.connect(lambda *_: told.append(1))
    out.pane.show_state(STATE, replace(OPEN, draft="other"))
    assert told == []


def test_a_selection_survives_what_happens_to_other_rows(qtbot: QtBot):
    out = Out(qtbot).on("logs/big.log")
    spec, _, auth, log = OPEN.attachments
    out.pane.show_state(STATE, replace(OPEN, attachments=(replace(spec, tokens=9), auth, log)))
    assert [row.key for row in out.pane.view.chosen_rows()] == ["logs/big.log"]


def test_enter_shows_the_file_and_the_pane_keeps_it_up_to_date(qtbot: QtBot):
    out = Out(qtbot).on("docs/api.md").press(Qt.Key.Key_Return)
    preview = out.pane.preview()
    assert preview is not None
    api = replace(OPEN.attachments[1], text="new words")
    out.pane.show_state(STATE, replace(OPEN, attachments=(OPEN.attachments[0], api)))
    assert preview.text.toPlainText() == "new words"
    preview.reject()
    qtbot.waitUntil(lambda: out.pane.preview() is None)


def test_a_preview_can_be_asked_for_by_its_key(qtbot: QtBot):
    pane = Out(qtbot).pane
    pane.open_preview("nothing")
    assert pane.preview() is None
    pane.open_preview("src/auth.py")
    preview = pane.preview()
    assert preview is not None
    preview.reject()


def test_buttons_are_wishes(qtbot: QtBot):
    out = Out(qtbot)
    out.pane.add.click()
    out.pane.folder.click()
    out.pane.empty.pressed.emit()
    assert out.wishes == ["attach-files", "attach-folder", "attach-files"]


def test_without_attachments_it_says_how_to_attach(qtbot: QtBot):
    pane = Out(qtbot, replace(OPEN, attachments=())).pane
    assert pane.empty.isVisible()
    assert "Ctrl+O" in pane.empty.line.text()
    assert pane.sum.text() == ""


def test_the_hint_is_shown_only_in_room_that_nothing_else_needs(qtbot: QtBot):
    pane = Out(qtbot, replace(OPEN, attachments=OPEN.attachments[2:])).pane
    assert pane.hint.isVisible()
    pane.resize(252, 150)
    assert not pane.hint.isVisible()
    pane.resize(252, 600)
    pane.show_state(STATE, OPEN)
    assert not pane.hint.isVisible()


def mime_of(*paths: str) -> QMimeData:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(path) for path in paths])
    return mime


def drop(pane: AttachmentsPane, mime: QMimeData) -> QDropEvent:
    where = (Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    entered = QDragEnterEvent(QPoint(9, 9), *where)
    pane.dragEnterEvent(entered)
    event = QDropEvent(QPointF(9, 9), *where)
    if entered.isAccepted():
        pane.dropEvent(event)
    else:
        event.ignore()
    return event


def test_files_dropped_on_it_are_attached(qtbot: QtBot):
    out = Out(qtbot)
    assert drop(out.pane, mime_of("/tmp/a.py", "/tmp/folder")).isAccepted()
    assert out.intents == [AttachFiles(CHAT, ("/tmp/a.py", "/tmp/folder"))]


def test_other_things_dropped_on_it_are_left_to_the_window(qtbot: QtBot):
    out = Out(qtbot)
    mime = QMimeData()
    mime.setText("words")
    assert not drop(out.pane, mime).isAccepted()
    assert out.intents == []


def test_it_is_as_high_as_its_rows(qtbot: QtBot):
    pane = Out(qtbot).pane
    assert pane.sizeHint().height() == 41 + 50 + 98 + 50 + 50 + 8


def test_many_attachments_are_listed_quickly_and_smoothly(qtbot: QtBot):
    """Two thousand rows: a change of one must tell of one."""
    rows = tuple(
        replace(OPEN.attachments[2], key=f"d{n % 9}/{n}", name=f"d{n % 9}/{n}") for n in range(2_000)
    )
    out = Out(qtbot, replace(OPEN, attachments=rows))
    told: list[object] = []
    out.pane.view.tree().dataChanged.connect(lambda *_: told.append(1))
    out.pane.show_state(STATE, replace(OPEN, attachments=(replace(rows[0], pinned=True), *rows[1:])))
    assert len(told) == 2


def test_it_fits_into_the_column_of_the_design(qtbot: QtBot):
    """The text of an empty state, wider than the column, would push the chat aside even while it is not shown."""
    pane = Out(qtbot).pane
    pane.layout().activate()
    assert pane.layout().minimumSize().width() <= 252


def test_a_length_is_a_step_by_entry_or_by_number(qtbot: QtBot):
    out = Out(qtbot)
    row = replace(OPEN.attachments[2], can_shorten=True)
    out.pane._actions.shorten((row,), 500)
    out.pane._actions.choose_length((row,))
    (asked,) = (one for one in out.pane.children() if isinstance(one, QInputDialog))
    assert (asked.intValue(), asked.intMinimum()) == (row.tokens // 2, 100)
    asked.setIntValue(700)
    asked.accept()
    wanted = [TuneAttached(CHAT, (AttachedChange("src/auth.py", most_tokens=n),)) for n in (500, 700)]
    assert [step.do[0] for step in out.steps] == wanted
    offered = out.pane._actions.offer((row,), "shorten:500")
    assert offered is not None
    assert (offered.title, offered.step) == ("Shorten src/auth.py to 500 tokens", (wanted[0],))


SUGGESTED = Relevance(
    {"src/auth.py": 0.92, "logs/big.log": 0.71, "project-spec.md": 0.08},
    (Suggestion("src/auth.py", 5, 2), Suggestion("logs/big.log", 10, 4)),
    open=True,
)
ASKING = replace(OPEN, relevance=SUGGESTED)


def accepted(priorities: dict[str, int]) -> tuple[TuneAttached, ...]:
    changes = tuple(AttachedChange(key, priority=number) for key, number in priorities.items())
    return (TuneAttached(CHAT, changes, suggested=True),)


def test_a_suggestion_is_accepted_by_its_pill_by_enter_and_all_in_one_step(qtbot: QtBot):
    out = Out(qtbot, ASKING)
    view = out.pane.view
    index = view.tree().index_of("src/auth.py")
    pill = view._painter.parts(QRectF(view.visualRect(index)), index).pill.center().toPoint()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=pill)
    out.on("logs/big.log").press(Qt.Key.Key_Return)
    out.pane.suggested.accept.click()
    assert [step.do for step in out.steps] == [
        accepted({"src/auth.py": 2}),
        accepted({"logs/big.log": 4}),
        accepted({"src/auth.py": 2, "logs/big.log": 4}),
    ]
    assert out.steps[-1].undo == accepted({"src/auth.py": 5, "logs/big.log": 10})
    assert out.steps[-1].title == "Accept 2 suggested priorities"
    spoken = index.data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken.endswith("92 % relevant, priority 2 is suggested, Enter accepts it")
    offer = out.pane._offer_of((OPEN.attachments[2],), "pill")
    assert offer is not None
    assert offer.step == accepted({"src/auth.py": 2})


def test_rows_stay_where_they_are_when_something_is_suggested_and_enter_is_the_old_one_after(qtbot: QtBot):
    out = Out(qtbot)
    view = out.pane.view
    before = [view.visualRect(view.tree().index(n, 0)) for n in range(4)]
    heads = (out.pane.title.pos(), view.mapTo(out.pane, QPoint()))
    out.pane.show_state(STATE, ASKING)
    assert out.pane.suggested.isVisible()
    assert [view.visualRect(view.tree().index(n, 0)) for n in range(4)] == before
    assert (out.pane.title.pos(), view.mapTo(out.pane, QPoint())) == heads
    out.pane.suggested.dismiss.click()
    assert out.intents == [DismissSuggestions(CHAT)]
    out.pane.show_state(STATE, replace(OPEN, relevance=replace(SUGGESTED, suggestions=(), open=False)))
    assert not out.pane.suggested.isVisible()
    out.on("src/auth.py").press(Qt.Key.Key_Return)
    assert out.steps == []
    assert out.pane.preview() is not None


def test_the_model_is_asked_after_its_price_was_read(qtbot: QtBot):
    out = Out(qtbot, ASKING)
    card = out.pane.suggested
    card.ask.click()
    offered = Opinion("offered", "gpt-4.1-mini", 812, 0.0004)
    out.pane.show_state(STATE, replace(OPEN, relevance=replace(SUGGESTED, opinion=offered)))
    assert card.title.text() == "Ask gpt-4.1-mini?"
    assert card.words.text().startswith("812 tokens, $0.0004. Your question, names, sizes and outlines")
    card.accept.click()
    assert out.intents == [OfferPriorities(CHAT), AskPriorities(CHAT)]
    for stage, words in (("asking", "is reading the list"), ("failed", "No priority was changed")):
        opinion = Opinion(stage, "gpt-4.1-mini", problem="No priority was changed.")  # type: ignore[arg-type]
        out.pane.show_state(STATE, replace(OPEN, relevance=Relevance(opinion=opinion)))
        assert words in card.words.text()
        assert not card.accept.isVisible()
    done = replace(SUGGESTED, opinion=Opinion("done", "gpt-4.1-mini"))
    out.pane.show_state(STATE, replace(OPEN, relevance=done))
    assert card.words.text() == "from gpt-4.1-mini; 2 changes"


def test_by_relevance_is_a_step_that_can_be_taken_back_and_is_shown_on_the_row(qtbot: QtBot):
    able = replace(OPEN.attachments[2], can_shorten=True)
    out = Out(qtbot, replace(OPEN, attachments=(able,)))
    menu = row_menu(out.pane, (able,), out.pane._actions)
    (entry,) = [action for action in menu.actions() if action.data() == "fit"]
    assert (entry.isEnabled(), entry.isChecked()) == (True, False)
    entry.trigger()
    (step,) = out.steps
    assert step.do == (TuneAttached(CHAT, (AttachedChange("src/auth.py", by_relevance=True),)),)
    assert step.undo == (TuneAttached(CHAT, (AttachedChange("src/auth.py", by_relevance=False),)),)
    assert badge_of(replace(able, by_relevance=True)).words == "by relevance"
    asks = [action for action in menu.actions() if action.text().startswith("Ask the model")]
    assert [action.isEnabled() for action in asks] == [False], "without a question there is nothing to ask"


def left_behind(attached: bool) -> ChatState:
    """A log that holds two copies of a file that was detached, with or without others that are attached."""
    assert OPEN.view is not None
    first = SegmentRow(RowKey("L2_PREVIOUS", "old.md\0001"), ("old.md",), "file", "old.md", 200, "sent")
    rows = (first, replace(first, key=RowKey("L2_PREVIOUS", "old.md"), tokens=408))
    library = replace(OPEN.view.layers[1], name="L2_PREVIOUS", rows=rows)
    view = replace(OPEN.view, layout="append_only", rebuilt=None, layers=(library,))
    if attached:
        return replace(OPEN, view=view)
    conversation = replace(OPEN.conversation, attached=())
    return replace(OPEN, view=view, attachments=(), conversation=conversation)


def test_what_is_detached_and_still_in_the_log_has_a_row_and_is_removed_by_del(qtbot: QtBot):
    """The pane said “Nothing attached” while 608 tokens of the file went out with every question."""
    out = Out(qtbot, left_behind(attached=False))
    tree = out.pane.view.tree()
    index = tree.index_of("old.md")
    assert (index.isValid(), out.pane.empty.isVisible(), out.pane.sum.text()) == (True, False, "")
    row = tree.row(index)
    assert row is not None
    assert (row.tokens, badge_of(row).words) == (608, "detached, still in the log")
    spoken = index.data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "old.md, 608 tokens, detached, still in the log, Del removes it now"
    out.on("old.md")
    for key in (Qt.Key.Key_Space, Qt.Key.Key_5, Qt.Key.Key_Plus, Qt.Key.Key_F5, Qt.Key.Key_Return):
        out.press(key)
    assert (out.steps, out.intents, out.wishes, out.pane.preview()) == ([], [], [], None)
    out.press(Qt.Key.Key_Delete)
    (step,) = out.steps
    assert (step.title, step.do) == (
        "Remove old.md from the log",
        (TuneLog(CHAT, purge=frozenset({"old.md"})),),
    )
    offer = out.pane._offer_of((row,), "remove")
    assert offer is not None
    assert (offer.step, offer.key) == (step.do, "Del")


def test_what_is_left_in_the_log_stands_behind_what_is_attached_and_its_button_removes_it(qtbot: QtBot):
    out = Out(qtbot, left_behind(attached=True))
    out.pane.resize(252, 800)
    view, tree = out.pane.view, out.pane.view.tree()
    index = tree.index_of("old.md")
    assert index.row() == tree.rowCount() - 1 == len(OPEN.attachments)
    assert out.pane.sum.text().startswith(f"{len(OPEN.attachments)} ·")
    button = view._painter.parts(QRectF(view.visualRect(index)), index).remove
    QTest.mouseClick(
        view.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, button.center().toPoint()
    )
    assert [step.title for step in out.steps] == ["Remove old.md from the log"]
    row = tree.row(index)
    assert row is not None
    assert [action.text() for action in row_menu(out.pane, (row,), out.pane._actions).actions()] == [
        "Remove now\tDel"
    ]


def test_a_request_that_is_rebuilt_or_built_by_layers_leaves_nothing_behind(qtbot: QtBot):
    held = left_behind(attached=False)
    assert held.view is not None
    out = Out(qtbot, replace(held, view=replace(held.view, rebuilt="asked")))
    assert out.pane.empty.isVisible()
    out.pane.show_state(STATE, held)
    assert not out.pane.empty.isVisible()
    out.pane.show_state(STATE, replace(held, view=replace(held.view, layout="layered")))
    assert out.pane.empty.isVisible()
