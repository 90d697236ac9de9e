"""Tuning steps: what the user changes by hand about the next request, each with the intents that undo it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import PurePath
from typing import Literal

from workbench.domain.files.attachment import Artifact
from workbench.domain.files.document import Reading
from workbench.domain.files.document_parts import split_anchor
from workbench.domain.files.file_names import short_path
from workbench.domain.message import Message
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.shown.envelope_view import RowKey, SegmentRow
from workbench.domain.shown.parts_view import PartsView, Picked
from workbench.domain.summary import Summary
from workbench.domain.variant import Variant
from workbench.domain.workspace import Workspace
from workbench.engine.attaching_intents import ChooseParts, FreezeArtifacts, ReadOtherwise
from workbench.engine.intents import (
    AttachFiles,
    ChangeSettings,
    ChatChange,
    DetachArtifacts,
    RefreshArtifacts,
    RenameChat,
)
from workbench.engine.state import ChatState, Fix
from workbench.engine.tuning_intents import (
    AttachedChange,
    PutBackAttached,
    TuneAttached,
    TuneLog,
    TuneMessages,
    TuneSummaries,
    edit_message,
    show_version,
)
from workbench.engine.workspace_intents import ReviseWorkspace, WorkspaceIntent
from workbench.ui import formatting
from workbench.ui.translation import tr
from workbench.ui.widgets.plain import shown

LOWEST, LAST_TO_FALL, HIGHEST = 0, 1, 10  # 0 pins
StepIntent = ChatChange | WorkspaceIntent
"""An intent that a step may contain: about a chat, or about a workspace and where chats are filed."""


@dataclass(frozen=True, slots=True)
class Step:
    """One tuning step, done and undone as a whole; `title` names it in a few words.

    `again` makes the step anew from a later state of the chat, for a step relative to the current value: if it is
    repeated quickly, each one must continue from the one before.
    """

    chat: str
    title: str
    do: tuple[StepIntent, ...]
    undo: tuple[StepIntent, ...]
    again: Callable[[ChatState], Step | None] | None = field(default=None, compare=False)


def rename(chat: ChatState, title: str) -> Step | None:
    """Rename a chat."""
    key, before = chat.chat.id, chat.chat.title
    if title == before:
        return None
    return Step(key, tr("Rename this chat"), (RenameChat(key, title),), (RenameChat(key, before),))


def attach_files(
    chat: ChatState, paths: tuple[str, ...], priority: int | None = None, folder: str = ""
) -> Step | None:
    """Attach files that are not attached yet; undo detaches them and restores the parts they replaced."""
    held = {artifact.key for artifact in chat.conversation.attached}
    new = tuple(path for path in paths if path not in held)
    if not new:
        return None
    title = tr("Add 1 file") if len(new) == 1 else tr("Add {n} files").format(n=len(new))
    key = chat.chat.id
    parts = _put_back(chat, tuple(_parts_among(chat, new)))
    back = (replace(parts, only_gone=True),) if parts.artifacts else ()
    return Step(key, title, (AttachFiles(key, new, priority, folder),), (DetachArtifacts(key, new), *back))


def _parts_among(chat: ChatState, paths: Iterable[str]) -> Iterator[str]:
    """Keys of attached parts that may belong to these paths, by file name, since a file can have many paths."""
    files = {split_anchor(path)[0] for path in paths}
    names = {PurePath(file).name for file in files}
    for artifact in chat.conversation.attached:
        file, anchor = split_anchor(artifact.key)
        if anchor and (
            PurePath(file).name in names or not files.isdisjoint(map(str, PurePath(file).parents))
        ):
            yield artifact.key


def read_otherwise(chat: ChatState, key: str, reading: Reading, before: Reading) -> Step | None:
    """Read an attached file as another kind, or in another encoding."""
    if reading == before:
        return None
    name = _names(chat, (key,))
    title = tr("Read {what} differently").format(what=name)
    of = chat.chat.id
    return Step(of, title, (ReadOtherwise(of, key, reading),), (ReadOtherwise(of, key, before),))


def set_priority(chat: ChatState, keys: Iterable[str], priority: int) -> Step | None:
    """Set the priority of attachments: higher numbers are dropped first, and 0 pins."""
    wanted = max(LOWEST, min(HIGHEST, priority))
    asked = tuple(keys)
    title = tr("Priority {n} for {what}").format(n=wanted, what=_names(chat, asked))
    return _priority_step(chat, title, dict.fromkeys(asked, wanted))


def nudge_priority(chat: ChatState, keys: Iterable[str], by: int) -> Step | None:
    """Raise or lower the priority of attachments by `by`."""
    asked = tuple(keys)
    held = {artifact.key: artifact.priority for artifact in chat.conversation.attached}
    wanted = {key: max(LOWEST, min(HIGHEST, held[key] + by)) for key in asked if key in held}
    step = _priority_step(chat, tr("Priority of {what}").format(what=_names(chat, asked)), wanted)
    return None if step is None else replace(step, again=lambda now: nudge_priority(now, asked, by))


def pin(chat: ChatState, keys: Iterable[str], pinned: bool) -> Step | None:
    """Pin attachments, so that they are never dropped, or unpin them."""
    words = tr("Pin {what}") if pinned else tr("Unpin {what}")
    asked = tuple(keys)
    other = {one.key: one.priority for one in chat.conversation.attached if one.essential != pinned}
    changed = [key for key in asked if key in other]
    lifted = {key for key in changed if not pinned and other[key] == LOWEST}
    do = tuple(AttachedChange(key, LAST_TO_FALL if key in lifted else None, pinned) for key in changed)
    undo = tuple(AttachedChange(key, LOWEST if key in lifted else None, not pinned) for key in changed)
    return _attached_step(chat, words.format(what=_names(chat, asked)), do, undo)


def shorten(chat: ChatState, keys: Iterable[str], most_tokens: int) -> Step | None:
    """Send attachments with at most this many tokens; 0 sends them whole again."""
    asked = tuple(keys)
    words = tr("Shorten {what} to {n} tokens") if most_tokens else tr("Send {what} whole again")
    old = {artifact.key: artifact.most_tokens or 0 for artifact in chat.conversation.attached}
    changed = [key for key in asked if old.get(key, most_tokens) != most_tokens]
    do = tuple(AttachedChange(key, most_tokens=most_tokens) for key in changed)
    undo = tuple(AttachedChange(key, most_tokens=old[key]) for key in changed)
    title = words.format(what=_names(chat, asked), n=formatting.tokens(most_tokens))
    return _attached_step(chat, title, do, undo)


def send_whole(chat: ChatState, keys: Iterable[str]) -> Step | None:
    """Send attachments whole that are short only because the cache holds the short copy."""
    held = {row.key for row in chat.attachments if row.held}
    asked = tuple(key for key in keys if key in held)
    do, undo = (tuple(AttachedChange(key, whole=whole) for key in asked) for whole in (True, False))
    return _attached_step(chat, tr("Send {what} whole").format(what=_names(chat, asked)), do, undo)


def toggle_pin(chat: ChatState, row: SegmentRow) -> Step | None:
    """Pin or unpin what a row stands for: an attachment, or the messages of a turn."""
    if row.key.layer != "L4_STRIP":
        return pin(chat, row.members, not row.pinned)
    words = tr("Unpin a turn") if row.pinned else tr("Pin a turn")
    return _pin_step(chat, words, row.members, not row.pinned)


def leave_out(chat: ChatState, row: SegmentRow) -> Step | None:
    """Leave a row out of the next request, or put it back."""
    return leave_out_members(chat, row.members, row.state != "excluded")


def edit_answer(chat: ChatState, message: Message, text: str, now_utc: str) -> Step | None:
    """Give an answer or a tool's result other words, as a version beside it; `InvalidInput` says why not."""
    key, tuning = chat.chat.id, chat.conversation.tuning
    do, undo = edit_message(key, tuning, message, text, now_utc)
    title = tr("Edit an answer") if message.role == "assistant" else tr("Edit a tool’s result")
    return Step(key, title, (do,), (undo,)) if do.of(tuning) != tuning else None


def version_to_show(chat: ChatState, message: str, number: int) -> Step | None:
    """Show and send a version of a message that is there, 0 for what was said."""
    key, tuning = chat.chat.id, chat.conversation.tuning
    do, undo = show_version(key, tuning, message, number)
    return (
        Step(key, tr("Show version {n}").format(n=number + 1), (do,), (undo,))
        if do.of(tuning) != tuning
        else None
    )


def edited_by(step: Step) -> frozenset[str]:
    """The messages that a step gives other words, or shows another version of."""
    tuned = [intent for intent in step.do if isinstance(intent, TuneMessages)]
    return frozenset().union(*(one.as_said.union(v.message for v in one.versions) for one in tuned))


def leave_out_members(chat: ChatState, members: Iterable[str], out: bool) -> Step | None:
    """Leave messages or attachments out of the next request, or put them back."""
    key, ids = chat.chat.id, _changed_members(members, chat.conversation.tuning.excluded, out)
    left_out, there = TuneMessages(key, leave_out=ids), TuneMessages(key, put_back=ids)
    title, do, undo = (tr("Leave out"), left_out, there) if out else (tr("Put back"), there, left_out)
    return Step(key, title, (do,), (undo,)) if ids else None


def pin_members(chat: ChatState, members: Iterable[str], pinned: bool) -> Step | None:
    """Pin messages, so that they are never trimmed, or unpin them."""
    title = tr("Pin messages") if pinned else tr("Unpin messages")
    return _pin_step(chat, title, members, pinned)


def detach(chat: ChatState, keys: Iterable[str]) -> Step | None:
    """Detach attachments; those in which a secret was found are also removed from an append-only log at once."""
    asked = tuple(keys)
    back = _put_back(chat, asked)
    gone = tuple(artifact.key for artifact in back.artifacts)
    if not gone:
        return None
    key = chat.chat.id
    title = tr("Detach {what}").format(what=_names(chat, asked))
    do, undo = _purge_intents(chat, gone)
    return Step(key, title, (DetachArtifacts(key, gone), *do), (back, *undo))


def _purge_intents(chat: ChatState, gone: Iterable[str]) -> tuple[tuple[TuneLog, ...], tuple[TuneLog, ...]]:
    """The intents, and their undo, that remove detached attachments with secrets from an append-only log."""
    key, purged = chat.chat.id, chat.conversation.tuning.purged
    secret = {row.key for row in chat.attachments if row.secrets}
    purge = secret.intersection(gone, _sent_in_log(chat)) - purged
    # One that was purged and attached again since may stay this time.
    leave = purged.intersection(gone) - secret
    if not purge and not leave:
        return (), ()
    do = TuneLog(key, purge=frozenset(purge), leave=frozenset(leave))
    return (do,), (TuneLog(key, purge=frozenset(leave), leave=frozenset(purge)),)


def choose_parts(chat: ChatState, view: PartsView, wanted: Picked, before: Picked) -> Step:
    """Attach other parts of a file; undo attaches the earlier parts again, with their priorities and pins."""
    key, file = chat.chat.id, view.file
    held = [one for one in chat.conversation.attached if one.key == file or one.key.startswith(f"{file}#")]
    tuned = tuple(_current_tuning(one) for one in held)
    stay = {file} if wanted.whole else {f"{file}#{anchor}" for anchor in wanted.anchors}
    do, undo = _purge_intents(chat, [one.key for one in held if one.key not in stay])
    words = tr("Attach all of {what}") if wanted.whole else tr("Choose parts of {what}")
    return Step(
        key,
        words.format(what=view.name),
        (ChooseParts(key, file, wanted.anchors, wanted.whole), *do),
        (ChooseParts(key, file, before.anchors, before.whole), TuneAttached(key, tuned), *undo),
    )


def _current_tuning(one: Artifact) -> AttachedChange:
    return AttachedChange(
        one.key, one.priority, one.essential, one.most_tokens or 0, one.by_relevance, one.whole
    )


def purges(step: Step) -> bool:
    """Whether a step removes something from the append-only log."""
    return any(isinstance(intent, TuneLog) and intent.purge for intent in step.do)


def stays_in_log(chat: ChatState, keys: Iterable[str]) -> tuple[str, ...]:
    """The attachments that stay in the request when detached, because an append-only log has sent them."""
    if chat.view is None or chat.view.layout != "append_only" or chat.view.rebuilt is not None:
        return ()
    rows = (chat.view.row(RowKey("L2_PREVIOUS", key)) for key in keys)
    return tuple(row.key.id for row in rows if row is not None and row.counted)


def _sent_in_log(chat: ChatState) -> set[str]:
    """What the last request contained if it was an append-only log; a pending rebuild may still be undone."""
    last = chat.conversation.previous
    if last is None or last.envelope.layout != "append_only":
        return set()
    layers = (last.envelope.layer("L2_PREVIOUS"), last.envelope.layer("L3_TURN"))
    return {segment.id for layer in layers for segment in layer.segments if segment.sent}


def purge(chat: ChatState, keys: Iterable[str], what: str) -> Step | None:
    """Remove detached attachments from an append-only log by rebuilding it with the next question."""
    key, ids = chat.chat.id, frozenset(keys) - chat.conversation.tuning.purged
    title = tr("Remove {what} from the log").format(what=what)
    return Step(key, title, (TuneLog(key, purge=ids),), (TuneLog(key, leave=ids),)) if ids else None


def can_rebuild(chat: ChatState | None) -> bool:
    """Whether the chat has an append-only log that can be rebuilt, or whose rebuild can be cancelled."""
    if chat is None or chat.view is None or not chat.conversation.history:
        return False
    return chat.view.layout == "append_only" and chat.view.rebuilt in (None, "asked")


def rebuild(chat: ChatState) -> Step | None:
    """Rebuild an append-only log with the next question; if that is already wanted, cancel it."""
    if not can_rebuild(chat):
        return None
    key, wanted = chat.chat.id, not chat.conversation.rebuild_wanted
    title = tr("Rebuild the request") if wanted else tr("Go on without a rebuild")
    return Step(key, title, (TuneLog(key, rebuild=wanted),), (TuneLog(key, rebuild=not wanted),))


def refresh(chat: ChatState, keys: Iterable[str]) -> Step:
    """Read attached files again; undo restores the old copies."""
    wanted = tuple(keys)
    title = tr("Refresh {what}").format(what=_names(chat, wanted))
    return Step(chat.chat.id, title, (RefreshArtifacts(chat.chat.id, wanted),), (_put_back(chat, wanted),))


def keep_earlier(chat: ChatState, keys: Iterable[str]) -> Step:
    """Restore the copies from before files were refreshed automatically; undo refreshes them again."""
    key, wanted = chat.chat.id, tuple(keys)
    title = tr("Keep the earlier copy of {what}").format(what=_names(chat, wanted))
    do = FreezeArtifacts(key, wanted, earlier=True)
    return Step(key, title, (do,), (RefreshArtifacts(key, wanted),))


def apply_settings(
    chat: ChatState, settings: ContextSettings, title: str = "", before: ContextSettings | None = None
) -> Step | None:
    """Change the settings of a chat, leaving concurrent changes alone; `before` is what the user saw, if older."""
    key, seen = chat.chat.id, before or chat.chat.settings
    do, undo = ChangeSettings(key, settings, seen), ChangeSettings(key, seen, settings)
    return None if settings == seen else Step(key, title or tr("Change settings"), (do,), (undo,))


def revise_workspace(chat: str, before: Workspace, after: Workspace, title: str) -> Step | None:
    """Change a workspace, as a step of the given chat; concurrent changes of it are left alone."""
    if before == after:
        return None
    return Step(chat, title, (ReviseWorkspace(before, after),), (ReviseWorkspace(after, before),))


def apply_fix(chat: ChatState, fix: Fix, title: str) -> Step:
    """Apply a fix that makes a request fit."""
    return Step(chat.chat.id, title, fix.do, fix.undo)


def apply_summary(chat: ChatState, summary: Summary) -> Step:
    """Send a summary in place of its original; undo restores an earlier summary of the same text."""
    key = chat.chat.id
    same = [one for one in chat.conversation.tuning.summaries if one.replaces == summary.replaces]
    do = TuneSummaries(key, (summary,))
    return Step(
        key, tr("Apply a summary"), (do,), (TuneSummaries(key, tuple(same), frozenset({summary.id})),)
    )


def undo_summary(chat: ChatState, summary: str) -> Step | None:
    """Send the original of a summary again; `summary` is its id, or the key of the attachment it summarises."""
    held = chat.conversation.tuning.summaries
    found = tuple(one for one in held if one.id == summary or (one.of_artifact and summary in one.replaces))
    key = chat.chat.id
    do, undo = TuneSummaries(key, remove=frozenset(one.id for one in found)), TuneSummaries(key, found)
    return Step(key, tr("Undo a summary"), (do,), (undo,)) if found else None


def reorder(chat: ChatState, key: str, before: str | None) -> Step | None:
    """Move a card of the drop order before another one, or to the end, by changing priorities."""
    view = chat.view
    if view is None:
        return None
    cards = [card.key.id for card in view.drop_order.cards]
    order = [other for other in cards if other != key]
    order.insert(len(order) if before is None or before not in order else order.index(before), key)
    tokens = {card.key.id: card.tokens for card in view.drop_order.cards}
    held = {artifact.key: artifact.priority for artifact in chat.conversation.attached}
    priorities = priorities_for([k for k in order if k in held], held, tokens, key)
    title = tr("Move {what} in the drop order").format(what=_names(chat, (key,)))
    return _priority_step(chat, title, priorities)


def priorities_for(
    order: list[str], held: dict[str, int], tokens: dict[str, int], moved: str
) -> dict[str, int]:
    """Priorities that produce this drop order; of two equal ones the larger attachment is dropped first."""
    wanted = dict(held)
    place = order.index(moved) if moved in order else 0
    neighbours = [held[k] for k in (*order[place + 1 : place + 2], *order[max(0, place - 1) : place])]
    if moved in order and neighbours:
        wanted[moved] = max(LAST_TO_FALL, neighbours[0])
    for earlier, later in reversed(list(pairwise(order))):
        step = 0 if tokens.get(earlier, 0) > tokens.get(later, 0) else 1
        wanted[earlier] = max(wanted[earlier], wanted[later] + step)
    if order and wanted[order[0]] > HIGHEST:
        ceiling = HIGHEST
        for key in order:
            wanted[key] = max(LAST_TO_FALL, min(wanted[key], ceiling))
            ceiling = wanted[key] - 1 if wanted[key] == ceiling else ceiling
    return wanted


def _priority_step(chat: ChatState, title: str, wanted: Mapping[str, int]) -> Step | None:
    old = {artifact.key: artifact for artifact in chat.conversation.attached}
    changed = [key for key in old if wanted.get(key, old[key].priority) != old[key].priority]
    do = tuple(AttachedChange(key, priority=wanted[key]) for key in changed)
    undo = tuple(
        AttachedChange(key, old[key].priority, True if old[key].essential else None) for key in changed
    )
    return _attached_step(chat, title, do, undo)


def _attached_step(
    chat: ChatState, title: str, do: tuple[AttachedChange, ...], undo: tuple[AttachedChange, ...]
) -> Step | None:
    key = chat.chat.id
    return Step(key, title, (TuneAttached(key, do),), (TuneAttached(key, undo),)) if do else None


def _put_back(chat: ChatState, keys: tuple[str, ...]) -> PutBackAttached:
    attached = chat.conversation.attached
    wanted = frozenset(keys)
    copies = tuple(artifact for artifact in attached if artifact.key in wanted)
    return PutBackAttached(chat.chat.id, copies, tuple(artifact.key for artifact in attached))


def _pin_step(chat: ChatState, title: str, members: Iterable[str], pinned: bool) -> Step | None:
    key, ids = chat.chat.id, _changed_members(members, chat.conversation.tuning.pinned, pinned)
    held, loose = TuneMessages(key, pin=ids), TuneMessages(key, unpin=ids)
    do, undo = (held, loose) if pinned else (loose, held)
    return Step(key, title, (do,), (undo,)) if ids else None


def _changed_members(members: Iterable[str], held: frozenset[str], into: bool) -> frozenset[str]:
    """The members that a change really adds or removes: its undo must not touch the others."""
    ids = frozenset(members)
    return ids - held if into else ids & held


def _names(chat: ChatState, keys: Iterable[str]) -> str:
    named = {row.key: row.name for row in chat.attachments}
    wanted = [named.get(key) or short_path(key) for key in keys]
    if len(wanted) == 1:
        return wanted[0]
    return tr("{n} attachments").format(n=len(wanted))


# Steps about what comes back for a question: always, never, or as the question wants; each with what takes it back.


Wanted = Literal["always", "never", "as_found"]
"""Whether something trimmed is recalled for every question, never, or if it fits."""


def is_wanted(chat: ChatState, key: str) -> Wanted:
    """What the user decided about recalling a message or section, by its id."""
    tuning = chat.conversation.tuning
    return "always" if key in tuning.recalled else "never" if key in tuning.unrecalled else "as_found"


def set_recall(chat: ChatState, keys: Iterable[str], wanted: Wanted) -> Step | None:
    """Decide about recalling messages or sections; undo restores each earlier decision."""
    old = {key: is_wanted(chat, key) for key in keys}
    changed = frozenset(key for key, before in old.items() if before != wanted)
    if not changed:
        return None
    titles = {
        "always": tr("Always recall this"),
        "never": tr("Never recall this"),
        "as_found": tr("Recall this when it fits"),
    }
    befores: dict[Wanted, set[str]] = {}
    for key in changed:
        befores.setdefault(old[key], set()).add(key)
    undo = tuple(_recall_intent(chat, frozenset(some), before) for before, some in sorted(befores.items()))
    return Step(chat.chat.id, titles[wanted], (_recall_intent(chat, changed, wanted),), undo)


def toggle_always(chat: ChatState, keys: tuple[str, ...]) -> Step | None:
    """Toggle between recalling always and recalling only what fits."""
    always = all(is_wanted(chat, key) == "always" for key in keys)
    return set_recall(chat, keys, "as_found" if always else "always")


def _recall_intent(chat: ChatState, keys: frozenset[str], wanted: Wanted) -> TuneMessages:
    key = chat.chat.id
    match wanted:
        case "always":
            return TuneMessages(key, always=keys)
        case "never":
            return TuneMessages(key, never=keys)
        case "as_found":
            return TuneMessages(key, as_found=keys)


# A variant that is taken over into its chat: settings, priorities and what is left out, as one step.


def apply_variant(chat: ChatState, variant: Variant) -> Step | None:
    """Change the chat to what a variant of the Compare page has; None if it is so already."""
    pairs = [
        *_setting_changes(chat, variant),
        *_priority_changes(chat, variant),
        *_attachment_changes(chat, variant),
    ]
    title = tr("Apply the variant {name}").format(name=shown(variant.name))
    do, undo = tuple(one for one, _ in pairs), tuple(back for _, back in reversed(pairs))
    return Step(chat.chat.id, title, do, undo) if pairs else None


def _setting_changes(chat: ChatState, variant: Variant) -> list[tuple[ChatChange, ChatChange]]:
    key, seen = chat.chat.id, chat.chat.settings
    wanted = variant.apply_to_settings(seen)
    return [] if wanted == seen else [(ChangeSettings(key, wanted, seen), ChangeSettings(key, seen, wanted))]


def _priority_changes(chat: ChatState, variant: Variant) -> list[tuple[ChatChange, ChatChange]]:
    key, wanted = chat.chat.id, variant.priorities
    held = [one for one in chat.conversation.attached if wanted.get(one.key, one.priority) != one.priority]
    do = tuple(AttachedChange(one.key, wanted[one.key]) for one in held)
    undo = tuple(AttachedChange(one.key, one.priority, one.essential) for one in held)
    return [(TuneAttached(key, do), TuneAttached(key, undo))] if held else []


def _attachment_changes(chat: ChatState, variant: Variant) -> list[tuple[ChatChange, ChatChange]]:
    key, out = chat.chat.id, chat.conversation.tuning.excluded
    known = {one.key for one in chat.conversation.attached}
    there = {name: on for name, on in variant.attached.items() if name in known}
    leave = frozenset(name for name, on in there.items() if not on) - out
    back = frozenset(name for name, on in there.items() if on) & out
    do, undo = (
        TuneMessages(key, leave_out=leave, put_back=back),
        TuneMessages(key, leave_out=back, put_back=leave),
    )
    return [(do, undo)] if leave or back else []
