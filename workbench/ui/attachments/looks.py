"""What a row of the attachments pane says about its file: one badge, an icon, a price, a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from workbench.domain.files.attachment import EPHEMERAL_KINDS, ArtifactKind
from workbench.domain.files.document_parts import split_anchor
from workbench.domain.files.file_names import is_rooted
from workbench.domain.shown.attachment_view import PARTED_KINDS, AttachmentRow
from workbench.ui import formatting
from workbench.ui.look.tones import STATE_LOOK, Tone, state_word
from workbench.ui.translation import translator
from workbench.ui.widgets.found_words import secret_word, secret_words
from workbench.ui.widgets.plain import shown

_tr = translator("AttachmentsPane")

_ICONS: dict[ArtifactKind, str] = {
    "folder": "folder", "image": "image", "url": "globe", "web_tab": "globe", "youtube": "globe",
    "web_selection": "globe", "note": "edit", "selection": "copy", "clipboard": "copy", "tag": "book",
}  # fmt: skip


LONG_CHARS = 24_000
"""From about 6,000 tokens on a file is opened to be chosen from."""


class Fit(NamedTuple):
    """How well something fits the question that is being written; None where nobody knows, or nothing is suggested."""

    share: float | None = None
    wanted: int | None = None


class BadgeLook(NamedTuple):
    """A badge: its tint, its icon and its words; `brief` are fewer, for where there is no room."""

    tone: Tone
    icon: str
    words: str
    brief: str = ""


def icon_of(row: AttachmentRow) -> str:
    """The icon of a kind of attachment."""
    return _ICONS.get(row.kind, "file")


def can_have_parts(row: AttachmentRow) -> bool:
    """Whether it may be attached in part: what came from a file or a page, and is text."""
    return row.kind in PARTED_KINDS and not row.detached


def opens_parts(row: AttachmentRow) -> bool:
    """Whether Enter opens its parts: one is attached already, or it is so long that nobody wants all of it."""
    parted = row.kind == "pdf" or bool(split_anchor(row.key)[1]) or len(row.content) >= LONG_CHARS
    return can_have_parts(row) and parted


def can_refresh(row: AttachmentRow) -> bool:
    """Whether it can be read anew: a file that is watched, or a page, which is fetched only when asked."""
    return not row.detached and (row.disk != "unknown" or row.kind == "url")


def is_stale(row: AttachmentRow) -> bool:
    """Whether the file is newer than the copy that is sent, and nobody has decided what to do about it."""
    return row.disk == "changed" or (row.state == "stale" and row.disk != "frozen")


def is_renewed(row: AttachmentRow) -> bool:
    """Whether the file changed and was read anew by itself, so that the copy from before can be had back."""
    return row.disk == "renewed"


def freeze_words(row: AttachmentRow) -> str:
    """What keeps the copy in the place of what the file holds now."""
    return _tr("Keep the earlier copy") if is_renewed(row) else _tr("Freeze")


def badge_of(row: AttachmentRow) -> BadgeLook:
    """The one badge of a row: first what needs a decision, then what is unusual, then how it is sent."""
    if row.detached:
        return BadgeLook("neutral", "clock", _tr("detached, still in the log"), _tr("detached"))
    return _pressing(row) or _unusual(row) or _as_sent(row)


def _pressing(row: AttachmentRow) -> BadgeLook | None:
    if row.state == "unreadable" or row.disk == "unreadable":
        return BadgeLook("err", "file-x", _tr("unreadable"))
    if is_stale(row):
        at = formatting.clock(row.changed_utc)
        words = _tr("changed on disk {time}").format(time=at) if at else _tr("changed on disk")
        return BadgeLook("warn", "clock", words, _tr("changed"))
    if row.state == "dropped":
        return BadgeLook("err", "out", _tr("dropped: budget"), _tr("dropped"))
    if row.disk == "gone":
        return BadgeLook("warn", "file-x", _tr("file gone, copy kept"), _tr("gone"))
    if row.state == "unseen":
        return BadgeLook("warn", "eye-off", _tr("the model can’t see it"), _tr("not seen"))
    return None


def _unusual(row: AttachmentRow) -> BadgeLook | None:
    if row.secrets:
        tone: Tone = "neutral" if row.secrets[0].replaced else "warn"
        return BadgeLook(tone, "key", secret_words(row.secrets), secret_word(row.secrets))
    if row.unread:
        return BadgeLook("warn", "warn", _tr("only part of the file was read"), _tr("part read"))
    if is_renewed(row):
        at = formatting.clock(row.changed_utc)
        words = _tr("refreshed ({time})").format(time=at) if at else _tr("refreshed")
        return BadgeLook("info", "refresh", words, _tr("refreshed"))
    return None


def _as_sent(row: AttachmentRow) -> BadgeLook:
    if row.pinned and row.state == "sent" and row.kind in EPHEMERAL_KINDS:
        return BadgeLook("accent", "pin", _tr("kept: the only copy"), _tr("kept"))
    if row.pinned and row.state == "sent":
        return BadgeLook("accent", "pin", _tr("pinned by you"), _tr("pinned"))
    if row.by_relevance and row.state in ("sent", "compacted"):
        return BadgeLook("info", "filter", _tr("by relevance"), _tr("fitting"))
    if row.disk == "frozen" and row.state == "sent":
        return BadgeLook("neutral", "snow", _tr("frozen"))
    look = STATE_LOOK[row.state]
    return BadgeLook(look.tone, look.icon, state_word(row.state))


def price_of_refresh(row: AttachmentRow) -> str:
    """What reading the file anew would cost; empty where nobody can say."""
    if row.refresh_tokens is None:
        return ""
    if row.refresh_tokens == 0:
        return _tr("refresh is free: nothing cached")
    lost = formatting.tokens(row.refresh_tokens)
    if row.refresh_usd is None:
        return _tr("re-reads {n} cached").format(n=lost)
    return _tr("re-reads {n} cached, {price}").format(n=lost, price=formatting.signed_usd(row.refresh_usd))


def spoken(row: AttachmentRow, fit: Fit = Fit()) -> str:  # noqa: B008  (it cannot be changed)
    """A row as a screen reader says it."""
    if row.detached:
        said = _tr("{name}, {tokens}, detached, still in the log, Del removes it now")
        return said.format(name=shown(row.name), tokens=formatting.token_words(row.tokens))
    said = _tr("{name}, {tokens}, {state}, priority {priority}, pinned") if row.pinned else _tr(
        "{name}, {tokens}, {state}, priority {priority}, not pinned"
    )  # fmt: skip
    words = said.format(
        name=shown(row.name),
        tokens=formatting.token_words(row.tokens, row.full_tokens),
        state=badge_of(row).words,
        priority=row.priority,
    )
    return ", ".join((words, *_fit_words(fit)))


def _fit_words(fit: Fit) -> Iterator[str]:
    if fit.share is not None:
        yield _tr("{share} relevant").format(share=formatting.percent(fit.share))
    if fit.wanted is not None:
        yield _tr("priority {n} is suggested, Enter accepts it").format(n=fit.wanted)


def pill_words(row: AttachmentRow, fit: Fit) -> str:
    """The priority something has, and the one that is suggested; empty where none is."""
    return "" if fit.wanted is None else _tr("{now} → {wanted}").format(now=row.priority, wanted=fit.wanted)


def tip_of(row: AttachmentRow) -> str:
    """What a tooltip says: the whole name, and what can be done."""
    path = row.key if is_rooted(row.key) else ""
    lines = [row.name, path, *dict.fromkeys((badge_of(row).words, secret_words(row.secrets))), *row.unread]
    if is_stale(row):
        lines.append(_tr("Refresh (F5) loads the new version; Freeze keeps this copy and the cache."))
        lines.append(price_of_refresh(row))
    if is_renewed(row):
        at = formatting.clock(row.changed_utc)
        changed = _tr("It changed on disk at {time}.").format(time=at) if at else _tr("It changed on disk.")
        lines.append(
            f"{changed} {_tr('The next request has the new version; you can keep the earlier copy.')}"
        )
    if row.detached:
        lines.append(
            _tr("It stays until the next rebuild, because the cache holds it. Remove now (Del) rebuilds.")
        )
    if row.held:
        lines.append(
            _tr("Kept short: the cache holds this part. It would fit whole; its menu says at what price.")
        )
    if row.state == "unseen":
        lines.append(_tr("Only a line about it is sent. Choose a model with vision, or detach it."))
    return "\n".join(line for line in lines if line)
