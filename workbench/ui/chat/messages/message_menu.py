"""The menu of a message, and the intents, wishes and tuning steps of its actions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu, QWidget

from workbench.domain.message import Message
from workbench.domain.shown.envelope_view import RowKey
from workbench.engine.intents import (
    AcceptRebuild,
    AnswerToolRequest,
    ContinueAnswer,
    EditQuestion,
    Intent,
    RegenerateAnswer,
    ShowBranch,
    StopTurn,
    UndoToolCall,
)
from workbench.engine.state import ChatState
from workbench.ui import steps
from workbench.ui.chat.fixes import fix_words
from workbench.ui.chat.messages.feed import VERSION, Answer, Question
from workbench.ui.chat.messages.message_head import Looked
from workbench.ui.look.icons import icon
from workbench.ui.model_button import not_continued_words
from workbench.ui.offers import Offer, offer_menu
from workbench.ui.steps import Step, Wanted, set_recall
from workbench.ui.translation import N_, tr
from workbench.ui.widgets.menu import menu
from workbench.ui.wishes import CompareRequest, OpenSettings, Wish


class Choice(NamedTuple):
    """A menu entry: action, icon and text; without an action it is a separator."""

    action: str = ""
    icon: str = ""
    words: str = ""


LINE = Choice()


def choices_for(item: Question | Answer) -> tuple[Choice, ...]:
    """The menu entries that a message has now."""
    if item.fixed:
        return (
            Choice("copy", "copy", tr("Copy")),
            Choice("copy_markdown", "copy", tr("Copy as Markdown")),
            Choice("remember", "bulb", tr("Remember this…")),
            *_prompt_choice(item),
        )
    return (
        *_message_choices(item),
        LINE,
        *_request_choices(item),
        LINE,
        Choice("copy_markdown", "copy", tr("Copy as Markdown")),
        Choice("remember", "bulb", tr("Remember this…")),
        *_prompt_choice(item),
        *_compare_choice(item),
        Choice("fork", "branch", tr("Fork a new chat from here")),
    )


def _prompt_choice(item: Question | Answer) -> list[Choice]:
    words = tr("Save as prompt…")
    return [Choice("save_prompt", "save", words)] if isinstance(item, Question) else []


def _compare_choice(item: Question | Answer) -> list[Choice]:
    """The entry that compares the request of an answer's turn under other settings."""
    there = isinstance(item, Answer) and item.turn is not None
    return [Choice("compare", "diff", tr("Compare with other settings"))] if there else []


def is_resumable(item: Answer) -> bool:
    """Whether an answer can be continued: it was cut off, or a person edited it."""
    if not item.ends:
        return False
    stopped = (item.edited and not item.calls) or item.record.state in ("stopped", "interrupted", "running")
    return stopped or (item.turn is not None and item.turn.finish_reason == "length")


def why_not_continued(item: Answer) -> str:
    """Why an answer with a person's words is not gone on with: the model would have to continue a begun answer."""
    mute = item.not_continued_by if item.edited else ""
    return not_continued_words(mute) if mute else ""


class MenuCallbacks(NamedTuple):
    """Called when a menu entry is chosen, and when one is highlighted before that."""

    chosen: Callable[[str], None]
    looked: Looked


def open_menu(parent: QWidget, item: Question | Answer, at: QPoint, callbacks: MenuCallbacks) -> QMenu:
    """Open the menu at a position on the screen."""
    made = menu(parent)
    for choice in choices_for(item):
        if choice == LINE:
            made.addSeparator()
            continue
        action = made.addAction(icon(choice.icon), choice.words)
        action.setData(choice.action)
    made.triggered.connect(lambda action: callbacks.chosen(str(action.data())))

    def take(offer: Offer | None) -> None:
        callbacks.looked("" if offer is None else offer.title, None if offer is None else offer.at)

    offer_menu(made, lambda action: Offer(str(action.data()), ()), take)
    made.popup(at)
    return made


def _message_choices(item: Question | Answer) -> list[Choice]:
    copy = Choice("copy", "copy", tr("Copy"))
    if isinstance(item, Question):
        again = Choice("regenerate", "refresh", tr("Regenerate"))
        return [Choice("edit", "edit", tr("Edit and resend…")), again, copy]
    found = [Choice("regenerate", "refresh", tr("Regenerate"))] if item.question else []
    found.append(Choice("edit", "edit", tr("Edit this answer")))
    if is_resumable(item) and not why_not_continued(item):
        found.append(Choice("continue", "play", tr("Continue this answer")))
    return [*found, copy]


def _request_choices(item: Question | Answer) -> list[Choice]:
    standing = item.standing
    found = []
    if standing.place == "excluded":
        found.append(Choice("put_back", "undo", tr("Put back into the next request")))
    else:
        found.append(Choice("leave_out", "eye-off", tr("Leave out of the next request")))
    if standing.place == "trimmed":
        found.append(Choice("untrim", "cut", tr("Untrim to here")))
    if standing.pinned:
        found.append(Choice("unpin", "pin", tr("Unpin")))
    else:
        found.append(Choice("pin", "pin-filled", tr("Pin (never trimmed)")))
    if isinstance(item, Answer):
        found.append(Choice("influence", "bulb", tr("Measure what carried this answer…")))
    return [*found, *_recall_choices(item), Choice("inspect", "sliders", tr("Show in the request"))]


def _recall_choices(item: Question | Answer) -> list[Choice]:
    """Entries for recalling a trimmed message always, never, or when it fits the question."""
    if not item.standing.recallable:
        return []
    always = Choice("recall_always", "recall", tr("Always recall"))
    never = Choice("recall_never", "eye-off", tr("Never recall this"))
    fits = Choice("recall_fits", "recall", tr("Recall it when it fits"))
    match item.standing.wanted:
        case "always":
            return [fits, never]
        case "never":
            return [always, fits]
        case _:
            return [always, never]


# What is asked of a message, as what the engine is to do: an intent, or a step that can be taken back.


WISHES: dict[str, Wish] = {
    "key": OpenSettings("models"),
    "add_key": OpenSettings("models"),
    "settings": OpenSettings("models"),
    "model": "model",
    "edit": "composer",
}
"""What the window opens for an action: the model settings, the choice of a model, the composer."""


_OFFERS: dict[str, tuple[str, str, str]] = {
    "pin": ("pin", N_("Pin this message"), N_("Sent in full in every turn, never trimmed.")),
    "unpin": ("pin", N_("Unpin this message"), N_("May be trimmed again.")),
    "leave_out": ("eye-off", N_("Leave this message out"), N_("Not sent until you put it back.")),
    "put_back": ("undo", N_("Put this message back"), N_("Sent again.")),
    "undo_summary": ("undo", N_("Undo this summary"), N_("The messages are sent as they are again.")),
    "recall_always": (
        "recall",
        N_("Always recall this message"),
        N_("Recalled whenever it’s trimmed."),
    ),
    "recall_never": (
        "eye-off",
        N_("Never recall this message"),
        N_("Never recalled when it’s trimmed."),
    ),
    "recall_fits": (
        "recall",
        N_("Recall this message when it fits"),
        N_("Recalled only when it matches the question."),
    ),
    "untrim": ("undo", N_("Untrim to here"), N_("Sent in full from this message on.")),
}
"""Icon, title and sentence of every action that changes the next request."""
_WANTED: dict[str, Wanted] = {"recall_always": "always", "recall_never": "never", "recall_fits": "as_found"}


BETWEEN = "\0"
"""Between an answer's id and the text that another version of it begins with."""


def intent_of(action: str, subject: str, chat: ChatState) -> Intent | None:
    """The intent that an action sends to the engine; None if it sends none."""
    key = chat.chat.id
    match action:
        case "regenerate" | "retry" if subject:
            return RegenerateAnswer(key, subject)
        case "continue":
            answer, _, begun = subject.partition(BETWEEN)
            return ContinueAnswer(key, answer, begun)
        case "branch" if all(one.id != _message_of(subject) for one in chat.records):
            return ShowBranch(key, _message_of(subject))
        case "undo":
            return UndoToolCall(key, subject)
        case "allow" | "allow_always":
            return AnswerToolRequest(key, subject, allowed=True, always=action == "allow_always")
        case "deny":
            return AnswerToolRequest(key, subject, allowed=False)
        case "allow_in_workspace" | "never":
            return _rule_answer(key, subject, action)
        case "rebuild":
            return AcceptRebuild(key)
        case "stop":
            return StopTurn(key)
        case _:
            return None


def _message_of(version: str) -> str:
    return version.partition(VERSION)[0]


def wish_of(action: str, subject: str, chat: ChatState) -> Wish | None:
    """What the window opens for an action; None if nothing."""
    if action == "compare":
        numbers = [turn.number for turn in chat.turns if subject in (turn.question, turn.reply)]
        return CompareRequest(numbers[-1]) if numbers else None
    return WISHES.get(action)


def _rule_answer(chat: str, call: str, action: str) -> AnswerToolRequest:
    """An answer to a tool request that becomes a rule, of the workspace or of this chat."""
    if action == "never":
        return AnswerToolRequest(chat, call, allowed=False, scope="chat")
    return AnswerToolRequest(chat, call, allowed=True, scope="workspace")


def step_of(action: str, subject: str, chat: ChatState, trimmed: Sequence[str] = ()) -> Step | None:
    """The tuning step of an action, or None; `trimmed` are the messages that are sent trimmed, in order."""
    match action:
        case "leave_out" | "put_back":
            return steps.leave_out_members(chat, (subject,), action == "leave_out")
        case "pin" | "unpin":
            return steps.pin_members(chat, (subject,), action == "pin")
        case "untrim" if subject in trimmed:
            return steps.pin_members(chat, tuple(trimmed)[list(trimmed).index(subject) :], True)
        case "recall_always" | "recall_never" | "recall_fits":
            return set_recall(chat, (subject,), _WANTED[action])
        case "undo_summary":
            return steps.undo_summary(chat, subject)
        case "branch":
            return steps.version_to_show(chat, _message_of(subject), int(subject.partition(VERSION)[2] or 0))
        case "fix" if subject.isdigit() and int(subject) < len(chat.fixes):
            fix = chat.fixes[int(subject)]
            return steps.apply_fix(chat, fix, fix_words(fix).title)
        case _:
            return None


def offer_of(action: str, subject: str, chat: ChatState, trimmed: Sequence[str] = ()) -> Offer | None:
    """Preview of what an action on a message would do to the next request; None if it changes nothing."""
    if action == "edit":
        words = next((one.entry for one in chat.records if one.id == subject), None)
        if not isinstance(words, Message) or words.role != "user":
            return None  # an answer's editor says what its words cost
        text = words.text
        line = tr("Asks again on a new branch.")
        return Offer(tr("Edit this question"), (EditQuestion(chat.chat.id, subject, text),), line, "", "edit")
    step = step_of(action, subject, chat, trimmed)
    if step is None or action not in _OFFERS:
        return None
    icon, title, line = _OFFERS[action]
    return Offer(tr(title), step.do, tr(line), "", icon)


def row_of(message: str, chat: ChatState) -> RowKey | None:
    """Key of the row of the next request that holds a message; None if no row does."""
    for layer in chat.view.layers if chat.view is not None else ():
        for row in layer.rows:
            if message in row.members:
                return row.key
    return None


def members_of(key: RowKey | None, chat: ChatState) -> frozenset[str]:
    """The messages that a row, or all rows of a group, stand for in the next request."""
    if chat.view is None or key is None:
        return frozenset()
    group = next((one for layer in chat.view.layers for one in layer.groups if one.key == key), None)
    if group is not None:
        return frozenset(row.members[0] for row in chat.view.quotes if row.kind == group.kind)
    row = chat.view.row(key)
    return frozenset(row.members) if row is not None else frozenset()
