"""Cells of the layers table: its columns, and the text and tooltip of each cell."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import NamedTuple

from workbench.domain.files.file_names import is_rooted
from workbench.domain.mcp_server import BETWEEN
from workbench.domain.shown.envelope_view import (
    CacheMark,
    EnvelopeView,
    LayerRow,
    RowGroup,
    RowPart,
    RowState,
    SegmentRow,
)
from workbench.ui import formatting
from workbench.ui.inspector.influence.words import part_name, part_text
from workbench.ui.inspector.rows.row_words import group_name, reason_words, row_name
from workbench.ui.look.tones import layer_word, state_word
from workbench.ui.translation import N_, tr
from workbench.ui.widgets.badge import source_word
from workbench.ui.widgets.found_words import secret_words
from workbench.ui.widgets.plain import shown

# What a row's state and its cache mark mean, in words for a tooltip.

_STATES: Mapping[RowState, str] = {
    "sent": N_("Sent in full."),
    "reference": N_("Already in Library; only a reference is sent."),
    "compacted": N_("Sent shortened; marks show the gaps."),
    "trimmed": N_("Trimmed to make room: a placeholder, or one line for all of them, is sent."),
    "dropped": N_("Not sent: no room."),
    "excluded": N_("Not sent: you left it out. Press Del to put it back."),
    "stale": N_("The file has changed on disk since; this is the older copy."),
    "locked": N_("Always sent; can’t be dropped."),
    "unreadable": N_("The file can’t be read any more."),
    "unseen": N_(
        "The model can’t see pictures: only a line about it is sent. Choose a model with vision, "
        "or detach it."
    ),
    "estimated": N_("Sent; its token count is an estimate."),
    "recalled": N_("Trimmed from History, recalled because it matches the question."),
    "retrieved": N_("A section of something attached that fits the question."),
    "quoted": N_("A section of a file in a followed folder that fits the question."),
}
_CACHE: Mapping[CacheMark, str] = {
    "hit": N_("The provider’s cache is expected to serve all of it."),
    "part": N_("Its start is expected to come from the provider’s cache."),
    "new": N_("Not cached: new or re-read."),
    "none": N_("Cache unknown."),
}
_MARKS: Mapping[CacheMark, str] = {"hit": N_("hit"), "part": N_("part"), "new": N_("new"), "none": "—"}


def state_sentence(state: RowState) -> str:
    """What a row's state means, for a tooltip."""
    return tr(_STATES[state])


def cache_sentence(mark: CacheMark) -> str:
    """What a cache mark means, for a tooltip."""
    return tr(_CACHE[mark])


def cache_word(mark: CacheMark) -> str:
    """Text of a cache mark in its column."""
    return tr(_MARKS[mark]) if mark != "none" else _MARKS[mark]


DIGITS = 3
DIGEST_LETTERS = 8
Item = LayerRow | SegmentRow | RowPart | RowGroup
Line = SegmentRow | RowGroup
"""A child of a layer in the table."""


class Column(IntEnum):
    """The columns by their index in the model; Influence is shown beside Tokens, Facts where an answer was checked."""

    SEGMENT = 0
    TOKENS = 1
    SHARE = 2
    PRIORITY = 3
    PIN = 4
    STATE = 5
    CACHE = 6
    DIGEST = 7
    REASON = 8
    INFLUENCE = 9
    FACTS = 10


_HEADS: Mapping[Column, str] = {
    Column.SEGMENT: N_("Segment"),
    Column.TOKENS: N_("Tokens"),
    Column.INFLUENCE: N_("Influence"),
    Column.SHARE: N_("% of window"),
    Column.PRIORITY: N_("Priority"),
    Column.PIN: N_("Pin"),
    Column.STATE: N_("State"),
    Column.CACHE: N_("Cache"),
    Column.DIGEST: N_("Digest"),
    Column.REASON: N_("Reason"),
    Column.FACTS: N_("Facts"),
}


class Scale(NamedTuple):
    """What token counts are compared with: the limit, and the largest layer, whose mini bar is full."""

    limit_tokens: int = 0
    largest_tokens: int = 0

    def of_limit(self, tokens: int) -> float:
        """The share of the limit, rounded to thousandths (half to even)."""
        return round(tokens * 1000 / self.limit_tokens) / 1000 if self.limit_tokens else 0.0

    def of_largest(self, tokens: int) -> float:
        return min(1.0, tokens / self.largest_tokens) if self.largest_tokens else 0.0


def scale_of(view: EnvelopeView) -> Scale:
    """The scale of a request: its limit, and its largest layer, rounded up to three digits.

    That is finer than a bar can show, and a key typed in the largest layer seldom repaints all other bars. A tenth of
    the limit at least, since a full bar beside "0.2 %" would say the opposite.
    """
    largest = max((view.limit_tokens // 10, *(layer.tokens for layer in view.layers)))
    unit = 10 ** max(0, len(str(largest)) - DIGITS)
    return Scale(view.limit_tokens, -(-largest // unit) * unit)


def head_text(column: Column) -> str:
    """Title of a column."""
    return tr(_HEADS[column])


def cell_text(item: Item, column: Column, scale: Scale) -> str:
    """Text of a cell; a layer has no priority, pin, state or cache mark of its own."""
    if isinstance(item, RowPart):
        return _part_text(item, column)
    if isinstance(item, RowGroup):
        return _group_text(item, column, scale)
    match column:
        case Column.TOKENS:
            return formatting.tokens(item.tokens)
        case Column.SHARE:
            return formatting.share(scale.of_limit(item.tokens))
        case Column.DIGEST:
            return item.digest[:DIGEST_LETTERS]
        case Column.REASON:
            return _reason_text(item)
    if isinstance(item, LayerRow):
        return layer_word(item.name) if column is Column.SEGMENT else ""
    return _row_text(item, column)


def _part_text(part: RowPart, column: Column) -> str:
    """Source and tokens of a part; its text is painted across the other columns."""
    if column is Column.SEGMENT:
        return part_name(part) if part.number else source_word(part.source)
    return formatting.tokens(part.tokens) if column is Column.TOKENS and not part.spans else ""


def _group_text(group: RowGroup, column: Column, scale: Scale) -> str:
    match column:
        case Column.SEGMENT:
            return f"{group_name(group)} {formatting.tokens(group.count)}"
        case Column.TOKENS:
            return formatting.tokens(group.tokens)
        case Column.SHARE:
            return formatting.share(scale.of_limit(group.tokens))
        case Column.STATE:
            return tr("of {n}").format(n=formatting.tokens(group.room)) if group.room else ""
        case Column.REASON if group.room:
            if group.kind == "quoted":
                return tr("N shows what was nearly taken")
            used_up = tr("room used up until the next rebuild")
            return used_up if group.used_up else tr("score and matched words")
        case _:
            return ""


def _group_tip(group: RowGroup) -> str:
    if group.kind == "references":
        return state_sentence("reference")
    if group.kind == "tools":
        return tr("The tools of the server {name}.").format(name=group_name(group))
    first = {
        "recalled": tr("Messages that were cut and fit the question, quoted whole."),
        "quoted": tr("Sections of files in a followed folder that fit the question."),
    }
    lines = (
        first.get(group.kind, tr("Sections of what is attached that fit the question.")),
        tr("{n} of {room} tokens are used.").format(
            n=formatting.tokens(group.tokens + group.standing), room=formatting.tokens(group.room)
        ),
        tr("{n} of them were already sent in earlier turns.").format(n=formatting.tokens(group.standing))
        if group.standing
        else "",
        tr("Nothing more is recalled until the next rebuild.") if group.used_up else "",
    )
    return _lines(*lines)


def quote_reason(row: SegmentRow) -> tuple[str, str]:
    """Score of a recalled or retrieved row and the words that match; no score if it is always recalled."""
    if row.found is None or secret_words(row.secrets):
        return "", _reason_text(row)
    words = shown(row.reason.subject) or reason_words(row.reason)
    if row.found.kind == "quoted":
        words = words or tr("no word of the question")
        ticked = tr("ticked by you, rank {n}") if row.reason.code == "ticked" else tr("rank {n}")
        return (ticked.format(n=row.reason.number) if row.reason.number else ""), words
    return (formatting.score(row.found.score) if row.found.words else ""), words


def part_words(part: RowPart, longest: int = 240) -> str:
    """Text of a part on one line."""
    return shown(part_text(part) if part.number else " ".join(part.text.split()), longest)


def _row_text(row: SegmentRow, column: Column) -> str:
    match column:
        case Column.SEGMENT:
            grouped = row.kind == "tool" and row.group is not None
            return row_name(row).partition(BETWEEN)[2] if grouped else row_name(row)
        case Column.PRIORITY:
            return "" if row.priority is None else formatting.tokens(row.priority)
        case Column.PIN:
            return tr("pinned") if row.pinned else ""
        case Column.STATE:
            return state_word(row.state)
        case Column.CACHE:
            return cache_word(row.cache)
        case _:
            return ""


def _state_tip(row: SegmentRow) -> str:
    """What a row's state means, and why; what a rule took out, no key puts back."""
    by_rule = row.reason.code in ("out_by_rule", "some_by_rule")
    return _reason_text(row) if by_rule else _lines(state_sentence(row.state), _reason_text(row))


def cell_tip(item: Item, column: Column) -> str:
    """Tooltip of a cell."""
    if isinstance(item, RowPart):
        return item.text
    if isinstance(item, RowGroup):
        return _group_tip(item)
    if isinstance(item, LayerRow):
        return _layer_tip(item, column)
    match column:
        case Column.STATE:
            return _state_tip(item)
        case Column.CACHE:
            return _lines(cache_sentence(item.cache), _cached_words(item))
        case Column.DIGEST:
            return _digest_tip(item.digest)
        case Column.TOKENS | Column.SHARE:
            return _tokens_tip(item) or _figure_tip(column)
        case Column.PRIORITY:
            return "" if item.priority is None else tr("Higher is dropped first: 0, 3, 5, 10.")
        case Column.REASON:
            return _lines(secret_words(item.secrets), _reason_besides_secrets(item))
        case _:
            return row_tip(item)


def _layer_tip(layer: LayerRow, column: Column) -> str:
    match column:
        case Column.TOKENS:
            return tr("The sum of the rows below it that are sent.")
        case Column.SHARE:
            return _figure_tip(column)
        case Column.DIGEST:
            told = tr("The SHA-256 of its rows’ digests, one per line: {digest}.")
            return told.format(digest=layer.digest) if layer.digest else ""
        case _:
            return reason_words(layer.reason)


def _figure_tip(column: Column) -> str:
    if column is Column.SHARE:
        return tr("Its share of the tokens that the request may take.")
    return tr("What it takes in this request, with the marks around it.")


def _digest_tip(digest: str) -> str:
    return tr("The SHA-256 of its text: {digest}.").format(digest=digest) if digest else ""


def _reason_text(item: LayerRow | SegmentRow) -> str:
    if not isinstance(item, SegmentRow):
        return reason_words(item.reason)
    found = secret_words(item.secrets)
    if found:
        return found
    if item.found is not None:
        return "  ".join(part for part in quote_reason(item) if part)
    more = (
        tr("{n} recalled").format(n=formatting.tokens(item.back)) if item.back > 1 else "",
        tr("1 recalled") if item.back == 1 else "",
        tr("{n} never recalled").format(n=formatting.tokens(item.never)) if item.never else "",
    )
    # Its badge says that it is shortened; what is worth the room is to how much.
    cut = item.reason.code == "shortened" and item.full_tokens is not None
    why = formatting.tokens_of(item.tokens, item.full_tokens) if cut else reason_words(item.reason)
    return ", ".join(part for part in (*more, why) if part)


def _reason_besides_secrets(row: SegmentRow) -> str:
    return reason_words(row.reason) if row.secrets else _reason_text(row)


def row_tip(row: SegmentRow) -> str:
    """Tooltip of a row with everything a narrow table leaves out, such as the path of its file."""
    reason, digest = _reason_besides_secrets(row), row.digest[:DIGEST_LETTERS]
    path = row.key.id if is_rooted(row.key.id) else ""
    end = tr("digest {digest}").format(digest=digest) if digest else ""
    return _lines(row_name(row), path, secret_words(row.secrets), reason, end)


def _tokens_tip(row: SegmentRow) -> str:
    if not row.counted:
        return tr("Would cost {tokens}; it isn’t sent.").format(tokens=formatting.token_words(row.tokens))
    if row.full_tokens is not None and row.full_tokens != row.tokens:
        return tr("{tokens}, whole it would be {full}.").format(
            tokens=formatting.token_words(row.tokens), full=formatting.tokens(row.full_tokens)
        )
    return ""


def _cached_words(row: SegmentRow) -> str:
    if not 0 < row.cached_tokens < row.tokens:
        return ""
    return tr("{n} of {all} tokens").format(
        n=formatting.tokens(row.cached_tokens), all=formatting.tokens(row.tokens)
    )


def spoken(item: Item, scale: Scale) -> str:
    """Text of a whole line for a screen reader."""
    if isinstance(item, RowPart):
        return (
            tr("{source}: {text}, {tokens}")
            .format(
                source=_part_text(item, Column.SEGMENT),
                text=part_words(item),
                tokens=formatting.token_words(item.tokens),
            )
            .removesuffix(f", {formatting.token_words(0)}")
        )
    tokens, share = formatting.token_words(item.tokens), formatting.share(scale.of_limit(item.tokens))
    if isinstance(item, RowGroup):
        words = tr("{name}: {tokens}") if not item.room else tr("{name}: {tokens} of {room}")
        return words.format(
            name=cell_text(item, Column.SEGMENT, scale), tokens=tokens, room=formatting.tokens(item.room)
        )
    if isinstance(item, LayerRow):
        return tr("{layer}, {tokens}, {share} percent of the window").format(
            layer=layer_word(item.name), tokens=tokens, share=share
        )
    words = tr("{name}, {tokens}, {share} percent of the window, {state}").format(
        name=row_name(item), tokens=tokens, share=share, state=state_word(item.state)
    )
    more = [
        words,
        tr("priority {n}").format(n=item.priority) if item.priority is not None else "",
        tr("pinned") if item.pinned else "",
        _reason_text(item),
    ]
    return ", ".join(part for part in more if part)


def changed_columns(old: LayerRow | Line, new: LayerRow | Line) -> frozenset[Column]:
    """The columns whose cells look different in the new line."""
    if old is new:
        return frozenset()
    if isinstance(old, RowGroup) or isinstance(new, RowGroup):
        return frozenset() if old == new else frozenset(Column)
    changed: set[Column] = set()
    if old.tokens != new.tokens or old.cached_tokens != new.cached_tokens:
        changed |= {Column.TOKENS, Column.SHARE}
    if old.digest != new.digest:
        changed.add(Column.DIGEST)
    if old.reason != new.reason:
        changed.add(Column.REASON)
    if isinstance(old, SegmentRow) and isinstance(new, SegmentRow):
        changed |= _changed_in_row(old, new)
    return frozenset(changed)


def _changed_in_row(old: SegmentRow, new: SegmentRow) -> set[Column]:
    if (old.state, old.counted) != (new.state, new.counted):
        return set(Column)  # what is not sent is painted otherwise in every cell
    about, then = (new.secrets, new.back, new.never, new.found), (old.secrets, old.back, old.never, old.found)
    changed = {Column.REASON} if about != then else set()
    if (old.name, old.kind, old.first_turn, old.last_turn) != (
        new.name,
        new.kind,
        new.first_turn,
        new.last_turn,
    ):
        changed.add(Column.SEGMENT)
    if (old.priority, old.tunable) != (new.priority, new.tunable):
        changed |= {Column.PRIORITY, Column.PIN}
    if old.pinned != new.pinned:
        changed.add(Column.PIN)
    if old.cache != new.cache:
        changed.add(Column.CACHE)
    return changed


def _lines(*lines: str) -> str:
    return "\n".join(line for line in lines if line)
