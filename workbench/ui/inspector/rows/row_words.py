"""Names and icons of a request's rows, names of requests in lists, and why a row is as it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath

from workbench.domain.envelope import KEPT_SHORT
from workbench.domain.files.file_names import short_path
from workbench.domain.recall import Found
from workbench.domain.shown.envelope_view import (
    DropCard,
    EnvelopeView,
    Reason,
    ReasonCode,
    RowGroup,
    RowKey,
    SegmentRow,
)
from workbench.domain.shown.turn_view import TurnRow
from workbench.domain.turn import BEGINNING
from workbench.ui import formatting
from workbench.ui.look.tones import name_by_kind
from workbench.ui.translation import N_, tr
from workbench.ui.widgets.plain import shown

MOST_NAMED = 3
_ICONS: Mapping[str, str] = {
    "persona": "user",
    "memory": "bulb",
    "question": "edit",
    BEGINNING: "play",
    "turn": "chat",
    "tool": "tool",
    "tools": "tool",
    "url": "globe",
    "web_tab": "globe",
    "youtube": "globe",
    "web_selection": "globe",
    "image": "image",
    "folder": "folder",
    "clipboard": "clip",
    "project": "book",
    "recalled": "chat",
    "system": "user",
    "reminder": "info",
    "answer": "chat",
    "thought": "bulb",
    "call": "tool",
    "result": "file",
    "picture": "image",
}
_PIECES: Mapping[str, str] = {
    "tools": N_("tools"),
    "system": N_("system prompt"),
    "question": N_("question"),
    "reminder": N_("reminder"),
    "answer": N_("answer"),
    "thought": N_("thought"),
    "call": N_("call of a tool"),
    "result": N_("result of a tool"),
    "picture": N_("picture"),
}
"""Names of pieces of watched requests, by kind."""
NEXT, IN_FLIGHT = "next", "in_flight"
MOST_LISTED = 200
"""How many turns a list offers; older ones are on the page with all turns."""


def row_icon(row: SegmentRow) -> str:
    """Icon of a row."""
    if row.key.layer == "L4_STRIP" and row.kind not in _PIECES:
        return "compact" if row.kind == "summary" else "cut" if row.state == "trimmed" else "chat"
    return _ICONS.get(row.kind, "file")


def row_name(row: SegmentRow) -> str:
    """Name of a row: its own, or that of the turns it stands for."""
    if row.found is not None:
        return _quote_name(row, row.found)
    if row.name == row.kind and (name := name_by_kind(row.kind)):
        return name
    if row.kind in _PIECES:
        return _piece_name(row)
    if row.name:
        return shown(row.name)
    if row.kind == "summary":
        return tr("summary of {turns}").format(turns=turns_name(row.first_turn, row.last_turn))
    if row.first_turn:
        return turns_name(row.first_turn, row.last_turn)
    return shown(row.key.id)


def _piece_name(row: SegmentRow) -> str:
    """Name of a piece of a watched request."""
    name = shown(row.name, 60)
    if not name:
        word = tr(_PIECES[row.kind])
        return f"{word} {formatting.tokens(row.first_turn)}" if row.first_turn else word
    match row.kind:
        case "call":
            return tr("call of {tool}").format(tool=name)
        case "result":
            return tr("result of {tool}").format(tool=name)
        case _:
            return name


def _quote_name(row: SegmentRow, found: Found) -> str:
    """Name of a recalled message, by turn and speaker, or of a retrieved section, by file and place."""
    if found.kind == "quoted":
        return quote_place(found)
    if found.kind == "retrieved":
        name = shown(short_path(found.title or found.artifact or row.key.id))
        place = shown(found.place or found.speaker)
        return tr("{name}, {place}").format(name=name, place=place) if place else name
    who = speaker_word(found.speaker or row.name)
    if found.chat:
        return tr("in the chat {chat}, {who}").format(chat=shown(found.title or found.chat), who=who)
    return message_name(row.first_turn, who) if row.first_turn else who


def quote_place(found: Found) -> str:
    """Where a quote of a followed folder stands: its file and its section."""
    return f"{shown(found.artifact.rpartition('/')[2])} › {shown(found.place, 60)}"


def message_name(turn: int, who: str) -> str:
    """Name of a message: its turn and its speaker, who is given in words."""
    return tr("turn {n}, {who}").format(n=formatting.tokens(turn), who=who)


def speaker_word(role: str) -> str:
    """The role of a speaker as a word, such as `you`; a speaker's own name is kept."""
    words = {"user": tr("you"), "assistant": tr("answer"), "tool": tr("tool"), "system": tr("system")}
    return words.get(role) or shown(role or tr("unknown"))


def group_name(group: RowGroup) -> str:
    """Name of a group of rows: recalled messages, sections, references, or a server."""
    if group.kind == "references":
        return reason_words(Reason("in_library"))
    if group.kind == "tools":
        return shown(group.server)
    if group.kind == "quoted":
        return shown(PurePath(group.server).name or group.server)
    return tr("recalled") if group.kind == "recalled" else tr("sections")


def card_name(card: DropCard) -> str:
    """Name of a card in the drop order."""
    return shown(card.name or card.key.id)


def turns_name(first: int, last: int, watched: bool = False) -> str:
    """Name of one turn or a range of turns; those of another program are called requests."""
    if first == last:
        return (tr("request {n}") if watched else tr("turn {n}")).format(n=formatting.tokens(first))
    words = tr("requests {a}–{b}") if watched else tr("turns {a}–{b}")
    return words.format(a=formatting.tokens(first), b=formatting.tokens(last))


def rows_named(view: EnvelopeView, keys: Iterable[RowKey]) -> str:
    """Several rows as part of a sentence: ranges of turns, then other rows, at most three names."""
    wanted = set(keys)
    found = [row for layer in view.layers for row in layer.rows if row.key in wanted]
    turns = [row for row in found if not row.name and row.first_turn]
    names = [turns_name(first, last) for first, last in _runs_of_turns(turns)]
    names += dict.fromkeys(row_name(row) for row in found if row.name or not row.first_turn)
    return listed(names)


def listed(names: Sequence[str]) -> str:
    """Names joined for a sentence, at most three; with more, the third is `{n} more`."""
    if len(names) > MOST_NAMED:
        rest = len(names) - MOST_NAMED + 1
        names = [*names[: MOST_NAMED - 1], tr("{n} more").format(n=formatting.tokens(rest))]
    words = ("", tr("{0}"), tr("{0} and {1}"), tr("{0}, {1} and {2}"))[len(names)]
    return words.format(*names)


def _runs_of_turns(rows: Sequence[SegmentRow]) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    for row in sorted(rows, key=lambda row: row.first_turn):
        if runs and row.first_turn <= runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], max(runs[-1][1], row.last_turn))
        else:
            runs.append((row.first_turn, row.last_turn))
    return runs


def value_of(view: EnvelopeView) -> str:
    """The value that stands for a request in a list."""
    return {"next": NEXT, "in_flight": IN_FLIGHT}.get(view.standing, str(view.turn))


def turn_options(turns: tuple[TurnRow, ...], also: int | None = None) -> tuple[tuple[str, str], ...]:
    """Values and names of turns for a list, newest first; `also` is included even if it is too old."""
    listed = [turn for turn in turns[::-1] if turn.state != "running" or turn.watched]
    kept = listed[:MOST_LISTED]
    kept += [turn for turn in listed[MOST_LISTED:] if turn.number == also]
    return tuple((str(turn.number), turn_name(turn.number, turn.sent_utc, turn.watched)) for turn in kept)


def turn_title(number: int, watched: bool = False) -> str:
    """Title of a turn; that of another program is called a request."""
    words = tr("Request {n}") if watched else tr("Turn {n}")
    return words.format(n=formatting.tokens(number))


def turn_name(number: int, sent_utc: str, watched: bool = False) -> str:
    """Name of a sent turn, with its time if known."""
    if not sent_utc:
        return turn_title(number, watched)
    words = tr("Request {n}, sent {time}") if watched else tr("Turn {n}, sent {time}")
    return words.format(n=formatting.tokens(number), time=formatting.clock(sent_utc))


def limit_words(view: EnvelopeView) -> str:
    """The token limit of a request, marked if it is assumed because the model's window is unknown."""
    limit = formatting.tokens(view.limit_tokens)
    return tr("{n} assumed").format(n=limit) if view.window_assumed else limit


def next_name() -> str:
    """Name of the request that was not sent yet."""
    return tr("Next request")


def in_flight_name(turn: int) -> str:
    """Name of the request that is being answered."""
    return tr("In flight, turn {n}").format(n=formatting.tokens(turn))


# Why a row is as it is, in a few words.


_WORDS: Mapping[ReasonCode, str] = {
    "": "",
    "unchanged": N_("unchanged since turn {n}"),
    "changed": N_("changed in turn {n}"),
    "always_first": N_("always first"),
    "promoted": N_("from turn {n}"),
    "in_every_chat": N_("in every chat of the workspace"),
    "grew": N_("grew by turn {n}"),
    "boundary": N_("trimmed up to message {n}"),
    "first_time": N_("first time in history"),
    "rebuilt": N_("rebuilt every turn"),
    "in_library": N_("already in Library"),
    "attached_now": N_("attached this turn"),
    "over_budget": N_("over budget, priority {n}"),
    "over_window": N_("over the window, priority {n}"),
    "pinned": N_("pinned, never dropped"),
    "draft": N_("your draft"),
    "left": N_("dropped: the request was over {n}"),
    "left_out": N_("left out by you"),
    "changed_on_disk": N_("changed on disk"),
    "estimated": N_("count not exact yet"),
    "newer_copy": N_("newer than the copy in Library"),
    "older_copy": N_("older copy, kept for the cache"),
    "until_rebuild": N_("detached: stays until a rebuild"),
    "shortened": N_("shortened to fit"),
    "kept_short": KEPT_SHORT,
    "shortened_by_you": N_("shortened by you, up to {n}"),
    "preview": N_("old tool results shortened"),
    "tool_call": N_("calls {subject}"),
    "tool_result": N_("result of {subject}"),
    "repaired": N_("repaired before sending"),
    "cannot_see": N_("{subject} has no vision: choose another model, or detach it"),
    "recalled": N_("fits the question: {subject}"),
    "quoted": N_("words: {subject} · rank {n}"),
    "ticked": N_("ticked by you · words: {subject} · rank {n}"),
    "summary": N_("in place of {n} messages"),
    "as_summary": N_("sent as a summary"),
    "in_summary": N_("in the summary; the messages are kept"),
    "marked": N_("a cache mark ends here"),
    "begun": N_("the model continues it"),
    "by_rule": N_("changed by a rule"),
    "out_by_rule": N_("taken out by your rule {subject}"),
    "some_by_rule": N_("{n} taken out by your rule {subject}"),
    "no_longer_attached": N_("no longer attached"),
}
_WITHOUT_NUMBER: Mapping[ReasonCode, str] = {
    "some_by_rule": N_("some taken out by your rule {subject}"),
    "unchanged": N_("unchanged"),
    "changed": N_("changed"),
    "promoted": N_("promoted from an earlier turn"),
    "grew": N_("grew"),
    "boundary": N_("trimmed up to here"),
    "left": N_("dropped: the request was over its limit"),
}
_WITHOUT_SUBJECT: Mapping[ReasonCode, str] = {
    "out_by_rule": N_("taken out by a rule"),
    "some_by_rule": N_("some taken out by a rule"),
    "cannot_see": N_("the model has no vision: choose another one, or detach it"),
    "tool_call": N_("calls a tool"),
    "tool_result": N_("result of a tool"),
    "recalled": N_("always recalled"),
    "quoted": N_("rank {n}"),
    "ticked": N_("ticked by you · rank {n}"),
}


def reason_words(reason: Reason) -> str:
    """The reason in words; empty where there is nothing to say."""
    words = _WORDS[reason.code]
    if not reason.number:
        words = _WITHOUT_NUMBER.get(reason.code, words)
    if not reason.subject:
        words = _WITHOUT_SUBJECT.get(reason.code, words)
    if not words:
        return ""
    told = tr(words)
    return told.format(n=formatting.tokens(reason.number), subject=shown(short_path(reason.subject)))
