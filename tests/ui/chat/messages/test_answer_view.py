"""An answer: its words, thoughts, figures and tools, and what can be done with it."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from tests.fakes.widgets import all_of
from tests.ui.chat.chat_samples import MODEL, answered, asked, result, sample, turn
from workbench.domain.answer import Failure
from workbench.domain.answer_facts import AnswerFact, AnswerFacts
from workbench.domain.message import ToolCall
from workbench.domain.shown.envelope_view import PriceTag
from workbench.engine.state import EditedQuestion
from workbench.ui.chat.messages.answer_foot import BrokenBar, CarriedLine, FootLine
from workbench.ui.chat.messages.answer_view import AnswerView
from workbench.ui.chat.messages.feed import Answer, Call, Question, items_of
from workbench.ui.chat.messages.question_view import QuestionView
from workbench.ui.chat.messages.usage_words import PRICE, SECONDS, usage_groups
from workbench.ui.chat.standing import InRequest, Marks
from workbench.ui.chat.text.block_stack import BlockStack
from workbench.ui.chat.text.code_block import CodeBlock
from workbench.ui.chat.text.ink import Ink
from workbench.ui.chat.text.safe_browser import SafeBrowser
from workbench.ui.look.fonts import font

ITEM = Answer("a", answered("a", "Only **one** may.\n\n- x\n"), "q", MODEL, turn=turn(1, "q", "a"))


@pytest.fixture
def view(qtbot: QtBot) -> AnswerView:
    made = AnswerView(Ink())
    qtbot.addWidget(made)
    made.resize(548, 400)
    made.show()
    return made


def widgets(view: AnswerView) -> list[str]:
    return [type(place.widget).__name__ for place in view.stack_items()]


def test_the_answer_of_the_picture(view: AnswerView):
    view.show_item(items_of(sample(), Marks())[-1])
    assert widgets(view) == ["MessageHead", "Thinking", "BlockStack", "FootLine"]
    assert view.accessibleName() == "Answer by gpt-4.1-mini, 14:01"
    assert view.thinking is not None
    assert view.thinking.line.text() == "Thought · 214 tokens"
    assert view.head.siblings is not None
    assert view.head.siblings.figure() == "2 / 3"
    assert sum(isinstance(block, CodeBlock) for block in view.body.views()) == 1
    assert view.foot is not None
    assert view.foot.accessibleName() == "4,275 in, 3,200 cached as predicted, 1,249 out, $0.0027, 13.4 s"


def test_continue_is_off_with_its_reason_where_the_model_does_not_continue_what_a_person_wrote(
    view: AnswerView,
):
    view.show_item(replace(ITEM, edited=True, not_continued_by=MODEL))
    assert view.foot is not None
    resume = view.foot.resume
    assert resume is not None
    assert (resume.isVisible(), resume.isEnabled()) == (True, False)
    assert resume.toolTip().endswith("gpt-4.1-mini doesn’t continue a begun answer")
    view.show_item(replace(ITEM, edited=True))
    assert (resume.isVisible(), resume.isEnabled(), resume.toolTip()) == (True, True, "")


def test_a_tools_result_is_edited_in_the_letters_it_is_shown_in(view: AnswerView):
    call, own = ToolCall("c1", "read", "{}"), EditedQuestion("r", "a.py  1", None, PriceTag())
    calls = (Call(call, result("r", "c1", "a.py  2"), edit=own),)
    view.show_item(
        replace(ITEM, record=answered("a", calls=(call,)), calls=calls, edit=replace(own, question="a"))
    )
    fonts = [made.text.font() for made in (view.editor("r"), view.editor()) if made is not None]
    assert fonts == [font("code"), font("chat")]


def test_how_long_was_thought_is_said_where_it_is_known(view: AnswerView):
    item = items_of(sample(), Marks())[-1]
    assert isinstance(item, Answer)
    view.show_item(replace(item, record=replace(item.record, metadata={"thinking_ms": 3_100})))
    assert view.thinking is not None
    assert view.thinking.line.text() == "Thought for 3 s · 214 tokens"


def test_copy_gives_the_words_and_copy_as_markdown_the_source(view: AnswerView):
    view.show_item(ITEM)
    assert view.foot is not None
    QTest.mouseClick(view.foot.copy, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == "Only one may.\n\n• x"
    assert view.foot.copy.accessibleName() == "Copied"
    view._on_chosen("copy_markdown")
    assert QGuiApplication.clipboard().text() == "Only **one** may.\n\n- x\n"


def test_a_view_that_showed_another_programs_answer_has_its_buttons_side_by_side(view: AnswerView):
    """Views are used again: the sign for answering again came to lie over the figures."""
    view.show_item(replace(ITEM, fixed=True))
    view.grab()
    view.show_item(ITEM)
    assert view.foot is not None
    boxes = [one.geometry() for one in (view.foot.copy, view.foot.regenerate, view.foot.more)]
    assert all(one.right() + 1 == after.left() for one, after in pairwise(boxes))
    view.show_item(replace(ITEM, fixed=True))
    assert view.foot.regenerate.isHidden()


def test_a_view_that_showed_another_answer_shows_nothing_of_it(view: AnswerView):
    """Views are used again: the line of facts lay over the figures, and a button behind the row of a tool."""
    found = AnswerFacts((AnswerFact("8443", "number", ((0, 4),)),), "a", "q")
    view.show_item(replace(ITEM, record=replace(ITEM.record, state="stopped")))
    view.show_facts(found, None)
    assert view.facts is not None
    assert view.facts.isVisible()
    view.show_facts(found, 0)
    prose = all_of(SafeBrowser, view.body)[0]
    assert prose.extraSelections()
    for _ in range(2):  # as a later state shows it again
        view.show_item(replace(ITEM, key="b"))
    assert view.facts.isHidden()
    assert prose.extraSelections() == []
    assert widgets(view) == ["MessageHead", "BlockStack", "FootLine"]
    call = Call(ToolCall("c", "read_file", "{}"), result("r", "c"))
    for _ in range(2):
        view.show_item(replace(ITEM, key="c", ends=False, calls=(call,)))
    assert view.foot is not None
    assert view.foot.isHidden()


def menu_over_words(view: AnswerView | QuestionView, qapp: QApplication) -> list[str]:
    """What a right click on the first words offers."""
    browser = all_of(SafeBrowser, view)[0]
    at = QPoint(6, 6)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, browser.viewport().mapToGlobal(at))
    qapp.sendEvent(browser.viewport(), event)
    made = QApplication.activePopupWidget()
    assert isinstance(made, QMenu)
    words = [action.text() for action in made.actions() if action.text()]
    made.close()
    return words


def test_a_right_click_on_the_words_opens_the_menu_of_the_message(
    view: AnswerView, qapp: QApplication, qtbot: QtBot
):
    """It offered to copy and to select; nobody found how to pin, remember or fork."""
    view.show_item(ITEM)
    assert {"Remember this…", "Fork a new chat from here", "Pin (never trimmed)"} <= set(
        menu_over_words(view, qapp)
    )
    view.body.selection.select_all()
    assert menu_over_words(view, qapp) == ["Copy", "Select all"], "what is selected comes first"
    question = QuestionView(Ink())
    qtbot.addWidget(question)
    question.resize(548, 200)
    question.show()
    question.show_item(Question("q", asked("q")))
    assert "Edit and resend…" in menu_over_words(question, qapp)


def test_answering_again_is_about_the_question(view: AnswerView, qtbot: QtBot):
    view.show_item(ITEM)
    assert view.foot is not None
    with qtbot.waitSignal(view.asked) as told:
        view.foot.regenerate.click()
    assert told.args == ["regenerate", "q"]


def test_without_a_question_it_cannot_be_given_again(view: AnswerView):
    view.show_item(replace(ITEM, question=""))
    assert view.foot is not None
    assert not view.foot.regenerate.isEnabled()


def test_one_that_broke_off_is_not_one_that_was_stopped(view: AnswerView, qtbot: QtBot):
    failure = Failure("network", "The connection closed.")
    broken = replace(ITEM, record=answered("a", state="interrupted"), turn=turn(1, "q", "a", failure=failure))
    view.show_item(broken)
    assert view.broken is not None
    assert view.broken.words.text() == "Interrupted. The connection closed. 312 tokens are kept."
    assert view.foot is not None
    assert not view.foot.shows_resume()
    with qtbot.waitSignal(view.asked) as told:
        view.broken.resume.click()
    assert told.args == ["continue", "a"]
    view.show_item(replace(ITEM, record=answered("a", state="stopped")))
    assert view.broken.isHidden()
    assert view.foot.shows_resume()


def test_one_that_reached_its_limit_can_be_gone_on_with(view: AnswerView):
    view.show_item(replace(ITEM, turn=turn(1, "q", "a", finish_reason="length")))
    assert view.foot is not None
    assert view.foot.resume is not None


@pytest.mark.parametrize(
    ("reason", "told"), [("refusal", "the model refused"), ("content_filter", "ended by a content filter")]
)
def test_one_that_was_withheld_says_so(view: AnswerView, reason: str, told: str):
    view.show_item(replace(ITEM, turn=turn(1, "q", "a", finish_reason=reason)))
    assert view.foot is not None
    assert told in view.foot.accessibleName()


def test_left_out_or_trimmed_it_is_quiet(view: AnswerView, qtbot: QtBot):
    view.show_item(replace(ITEM, standing=InRequest("trimmed")))
    assert view.body.views()[0].property("token") == "t3"
    view.show_item(replace(ITEM, standing=InRequest("excluded")))
    assert "PutBackLine" in widgets(view)
    assert not view.grab().isNull()
    view.show_item(ITEM)
    assert view.body.views()[0].property("token") == "t1"
    assert "PutBackLine" not in widgets(view)


def test_the_message_in_the_middle_of_an_answer_has_neither_head_nor_foot(view: AnswerView):
    view.show_item(replace(ITEM, begins=False, ends=False, turn=None))
    assert widgets(view) == ["BlockStack"]
    assert view.head.isHidden()
    assert view.accessibleName() == "Answer, continued"


def test_tools_are_lines_and_a_change_can_be_undone(view: AnswerView, qtbot: QtBot):
    edit = ToolCall("c1", "edit", '{"path": "src/auth.py"}')
    done = Call(edit, result("r1", "c1", undo={"path": "src/auth.py"}))
    view.show_item(replace(ITEM, calls=(done, Call(ToolCall("c2", "read", "{}"), result("r2", "c2")))))
    first, second = view.tool_lines()
    assert first.line.words().verb == "changed"
    assert not first.line.undo.isHidden()
    assert second.line.undo.isHidden()
    with qtbot.waitSignal(view.asked) as told:
        first.line.undo.click()
    assert told.args == ["undo", "r1"]
    undone = Call(edit, result("r1", "c1", undo={"path": "x"}, undone="2026"))
    view.show_item(replace(ITEM, calls=(undone,)))
    assert first.line.undo.isHidden()
    assert widgets(view).count("ToolLine") == 1


def test_the_same_text_keeps_its_widgets_when_something_else_changes(view: AnswerView):
    view.show_item(ITEM)
    before = view.body.views()
    view.show_item(replace(ITEM, standing=InRequest(pinned=True), turn=turn(1, "q", "a", cost_usd=1.0)))
    assert all(old is new for old, new in zip(before, view.body.views(), strict=True))


def test_a_body_that_is_handed_over_is_not_read_again(qtbot: QtBot):
    ink = Ink()
    body = BlockStack(ink)
    body.show_text("Only **one** may.\n\n- x\n")
    shown = body.views()
    made = AnswerView(ink, body)
    qtbot.addWidget(made)
    made.show_item(ITEM)
    assert made.body is body
    assert all(old is new for old, new in zip(shown, body.views(), strict=True))


def test_siblings_are_told_on(view: AnswerView, qtbot: QtBot):
    view.show_item(replace(ITEM, siblings=("a", "b")))
    with qtbot.waitSignal(view.asked) as told:
        view.head.branch_wished.emit("b")
    assert told.args == ["branch", "b"]


def test_it_names_the_piece_and_without_one_is_gone(qtbot: QtBot):
    line = CarriedLine()
    qtbot.addWidget(line)
    line.show_name("src/auth.py")
    assert line.accessibleName() == line.words.text() == "carried by src/auth.py"
    assert line.isVisible()
    line.show_name("")
    assert not line.isVisible()


def test_it_says_why_and_asks_what_to_do(qtbot: QtBot):
    made = BrokenBar()
    qtbot.addWidget(made)
    made.show_words("The line is down.")
    assert made.words.text() == "Interrupted. The line is down."
    for button, action in ((made.resume, "continue"), (made.again, "regenerate")):
        with qtbot.waitSignal(made.asked) as told:
            button.click()
        assert told.args == [action]


def test_long_words_wrap(qtbot: QtBot):
    made = BrokenBar()
    qtbot.addWidget(made)
    made.show_words("words " * 40)
    assert made.heightForWidth(300) > made.heightForWidth(900)
    made.resize(300, made.heightForWidth(300))
    assert not made.grab().isNull()


def foot(
    qtbot: QtBot, width: int, *, resumable: bool = False, badge: tuple[str, str] | None = None
) -> FootLine:
    made = FootLine()
    qtbot.addWidget(made)
    made.resize(width, 28)
    made.show()
    groups = usage_groups(turn(1, "q", "a", completion_tokens=1_249), kept=resumable)
    made.show_foot(groups, badge, resumable=resumable)
    return made


@pytest.mark.parametrize(("width", "gone"), [(548, set()), (424, {PRICE, SECONDS})])
def test_seconds_and_then_the_price_go_where_there_is_no_room(qtbot: QtBot, width: int, gone: set[int]):
    shown = {group.rank for group in foot(qtbot, width).shown_groups()}
    assert {PRICE, SECONDS} - shown == gone


def test_something_is_shown_however_narrow_it_is(qtbot: QtBot):
    made = foot(qtbot, 120)
    assert made.shown_groups()
    assert not made.grab().isNull()


@pytest.mark.parametrize(
    ("name", "action"), [("copy", "copy"), ("regenerate", "regenerate"), ("more", "more")]
)
def test_buttons_ask_for_what_they_say(qtbot: QtBot, name: str, action: str):
    made = foot(qtbot, 548)
    with qtbot.waitSignal(made.asked) as told:
        QTest.mouseClick(getattr(made, name), Qt.MouseButton.LeftButton)
    assert told.args == [action]


def test_an_answer_that_can_be_gone_on_with_offers_it_in_words(qtbot: QtBot):
    made = foot(qtbot, 548, resumable=True, badge=("stop", "stopped by you"))
    assert made.resume is not None
    assert made.again is not None
    assert made.resume.isVisible()
    assert made.again.isVisible()
    assert not made.regenerate.isVisible()
    with qtbot.waitSignal(made.asked) as told:
        made.resume.click()
    assert told.args == ["continue"]


def test_where_there_is_little_room_answering_again_is_a_sign(qtbot: QtBot):
    made = foot(qtbot, 380, resumable=True, badge=("stop", "stopped by you"))
    assert made.again is not None
    assert not made.again.isVisible()
    assert made.regenerate.isVisible()


def test_its_name_says_all_figures_even_those_without_room(qtbot: QtBot):
    assert foot(qtbot, 200).accessibleName().endswith("13.4 s")


def test_what_the_provider_says_of_its_cache_is_told_on_hover(qtbot: QtBot):
    made = foot(qtbot, 548)
    groups = usage_groups(turn(1, "q", "a"))
    made.show_foot(groups, resumable=False, said="The provider says: so.")
    assert "The provider says: so." in made.toolTip()
    assert made.accessibleDescription() == "The provider says: so."
    made.show_foot(groups, resumable=False)
    assert "provider" not in made.toolTip() + made.accessibleDescription()


def test_under_an_answer_stands_from_where_its_request_quoted_and_under_words_of_ones_own_nothing(
    view: AnswerView, qtbot: QtBot
):
    quoted = (("/docs/a.md#L1-2", "docs/a.md", "Ports"),)
    assert ITEM.turn is not None
    item = replace(ITEM, turn=replace(ITEM.turn, quoted=quoted))
    view.show_item(item)
    assert widgets(view)[-1] == "QuotedLine"
    assert view.quoted is not None
    with qtbot.waitSignal(view.asked) as asked_for:
        view.quoted.buttons[0].click()
    assert asked_for.args == ["quote", quoted[0][0]]
    view.show_item(replace(item, edited=True))
    assert "QuotedLine" not in widgets(view)
