"""Validates an imported chat, so that storing it can harm nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from workbench.context.assembly.draft import after_the_question
from workbench.context.assembly.render import WIRE_ORDER
from workbench.domain.change import Built
from workbench.domain.errors import InvalidInput
from workbench.domain.message import Entry, Message
from workbench.domain.record import ChatArchive, Record, TurnRecord
from workbench.domain.text import repair_text
from workbench.domain.translation import tr

_MOST_TURNS = 10**9


def make_sound(archive: ChatArchive) -> tuple[ChatArchive, tuple[str, ...]]:
    """The chat ready to be stored, and what was changed; raises `InvalidInput` if it is inconsistent."""
    _check_names(archive)
    _check_tree(archive)
    problems: list[str] = []
    turns = tuple(turn for turn in archive.turns if _usable(turn, archive, problems))
    own = renamed(replace(archive, turns=_answered_once(turns)), archive.chat.id)
    if _owners(archive) - {archive.chat.id}:
        problems.append(
            tr("{id}: parts of it named another chat; they were taken as its own.", id=archive.chat.id)
        )
    return _readable(_with_leaf(own, problems), problems), tuple(problems)


def renamed(archive: ChatArchive, chat_id: str) -> ChatArchive:
    """The chat under another id, in all its parts down to the requests."""
    return replace(
        archive,
        chat=replace(archive.chat, id=chat_id),
        records=tuple(replace(record, chat=chat_id) for record in archive.records),
        turns=tuple(_renamed_turn(turn, chat_id) for turn in archive.turns),
        snapshots=tuple(replace(taken, chat=chat_id) for taken in archive.snapshots),
    )


def _renamed_turn(turn: TurnRecord, chat_id: str) -> TurnRecord:
    # A continued chat is kept under the name its last request bears.
    inputs = replace(turn.built.inputs, conversation=chat_id)
    envelope = replace(turn.built.envelope, conversation=chat_id)
    return replace(turn, chat=chat_id, built=replace(turn.built, inputs=inputs, envelope=envelope))


def _owners(archive: ChatArchive) -> set[str]:
    return {
        *(record.chat for record in archive.records),
        *(taken.chat for taken in archive.snapshots),
        *(turn.chat for turn in archive.turns),
        *(turn.built.inputs.conversation for turn in archive.turns),
        *(turn.built.envelope.conversation for turn in archive.turns),
    }


def _check_names(archive: ChatArchive) -> None:
    """Refuse ids and times with lone surrogates, which text columns cannot hold."""
    if not archive.chat.id:
        raise InvalidInput("chat.id", tr("expected a string that is not empty"))
    if any(name != repair_text(name) for name in _names(archive)):
        raise InvalidInput(repair_text(archive.chat.id), tr("an id or a time in it holds half a character"))


def _names(archive: ChatArchive) -> Iterator[str]:
    chat = archive.chat
    yield from (chat.id, chat.created_utc, chat.leaf or "", chat.deleted_utc or "")
    for record in archive.records:
        yield from (record.id, record.created_utc, record.deleted_utc or "")
    for taken in archive.snapshots:
        yield from (taken.artifact.key, taken.taken_utc, taken.modified_utc or "")
    for turn in archive.turns:
        yield from (turn.started_utc, turn.finished_utc or "")


def _check_tree(archive: ChatArchive) -> None:
    """Check that every message answers an earlier one, and that ids are unique."""
    seen: set[str] = set()
    for record in archive.records:
        if not record.id or record.id in seen:
            raise InvalidInput(
                archive.chat.id, tr("the message id {id!r} occurs twice or is empty", id=record.id)
            )
        if record.parent is not None and record.parent not in seen:
            raise InvalidInput(
                archive.chat.id, tr("the message {id!r} answers one that is not before it", id=record.id)
            )
        seen.add(record.id)
    for turn in archive.turns:
        if (
            not {turn.parent, turn.question, turn.reply} <= {None, *seen}
            or not 0 <= turn.number < _MOST_TURNS
        ):
            raise InvalidInput(
                archive.chat.id, tr("the turn {number} belongs to no message of it", number=turn.number)
            )


def _answered_once(turns: Sequence[TurnRecord]) -> tuple[TurnRecord, ...]:
    """The turns with only a question's newest one running."""
    newest = {turn.question: turn for turn in turns}
    return tuple(
        turn
        if turn.state != "running" or newest[turn.question] is turn
        else replace(turn, state="interrupted")
        for turn in turns
    )


def _usable(turn: TurnRecord, archive: ChatArchive, problems: list[str]) -> bool:
    if holds_together(turn.built):
        return True
    problems.append(
        tr(
            "{id}: the request of turn {number} does not hold together; it was "
            "left out, its messages were not.",
            id=archive.chat.id,
            number=turn.number,
        )
    )
    return False


def holds_together(built: Built) -> bool:
    """Whether the layers show what the messages carry, as the store assumes."""
    layers = built.envelope.layers
    if tuple(layer.name for layer in layers) != WIRE_ORDER:
        return False
    if any(len(layer.segments) != len(layer.tokens) for layer in layers):
        return False
    sent = [segment for layer in layers for segment in layer.segments if segment.sent]
    shown = [one for one in sent if not (one.layer == "L1_SYSTEM" and one.kind == "tool")]
    carried = [segment for message in built.envelope.messages for segment in message.segments]
    if built.envelope.layout == "append_only":
        by_layer = [one for layer in layers for one in carried if one.layer == layer.name]
        return shown == by_layer
    return after_the_question(shown, built.inputs.rounds) == carried


def _with_leaf(archive: ChatArchive, problems: list[str]) -> ChatArchive:
    ids = [record.id for record in archive.records]
    if archive.chat.leaf in (None, *ids):
        return archive
    problems.append(
        tr("{id}: the message in view is not in it; its last message is shown instead.", id=archive.chat.id)
    )
    return replace(archive, chat=replace(archive.chat, leaf=ids[-1] if ids else None))


def _readable(archive: ChatArchive, problems: list[str]) -> ChatArchive:
    """The chat with storable text, and warnings about what an imported chat may do."""
    model = archive.chat.settings.model
    if "://" in model:
        problems.append(
            tr(
                "{id}: it is set to the model {model!r}. Check it before you go on with it.",
                id=archive.chat.id,
                model=model,
            )
        )
    if archive.chat.deleted_utc is not None:
        problems.append(
            tr("{id}: it was deleted before it was exported, so it is not listed.", id=archive.chat.id)
        )
    return replace(
        archive,
        chat=replace(archive.chat, title=repair_text(archive.chat.title)),
        draft=repair_text(archive.draft),
        records=tuple(_whole(record) for record in archive.records),
    )


def _whole(record: Record) -> Record:
    return replace(record, entry=_repaired(record.entry)) if record.state == "running" else record


def _repaired(entry: Entry) -> Entry:
    if isinstance(entry, Message):
        return replace(entry, texts=tuple(repair_text(text) for text in entry.texts))
    return replace(entry, body=repair_text(entry.body))
