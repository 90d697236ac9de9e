"""What a row of the attachments pane shows about its file: a badge, an icon, a price, a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from workbench.domain.files.attachment import EPHEMERAL_KINDS, ArtifactKind
from workbench.domain.files.document_parts import split_anchor
from workbench.domain.files.file_names import is_rooted
from workbench.domain.shown.attachment_view import PARTED_KINDS, AttachmentRow
from workbench.ui import formatting
from workbench.ui.look.tones import STATE_LOOK, Tone, state_word
from workbench.ui.translation import tr
from workbench.ui.widgets.found_words import secret_word, secret_words
from workbench.ui.widgets.plain import shown

_ICONS: dict[ArtifactKind, str] = {
    "folder": "folder", "image": "image", "url": "globe", "web_tab": "globe", "youtube": "globe",
    "web_selection": "globe", "note": "edit", "selection": "copy", "clipboard": "copy", "tag": "book",
}  # fmt: skip


LONG_CHARS = 24_000
"""A text of this length or more, about 6,000 tokens, is opened to choose its parts."""


class Fit(NamedTuple):
    """How well an attachment fits the question being written, and the suggested priority; None where there is none."""

    share: float | None = None
    wanted: int | None = None


class BadgeLook(NamedTuple):
    """A badge: tone, icon and words; `brief` are shorter words for narrow rows."""

    tone: Tone
    icon: str
    words: str
    brief: str = ""


def icon_of(row: AttachmentRow) -> str:
    """Icon of an attachment."""
    return _ICONS.get(row.kind, "file")


def can_have_parts(row: AttachmentRow) -> bool:
    """Whether parts of it may be attached alone: it came from a file or a page, and is text."""
    return row.kind in PARTED_KINDS and not row.detached


def opens_parts(row: AttachmentRow) -> bool:
    """Whether Enter opens its parts: a part is attached already, or it is very long."""
    parted = row.kind == "pdf" or bool(split_anchor(row.key)[1]) or len(row.content) >= LONG_CHARS
    return can_have_parts(row) and parted


def can_refresh(row: AttachmentRow) -> bool:
    """Whether it can be read again: a watched file, or a page, which is fetched only on request."""
    return not row.detached and (row.disk != "unknown" or row.kind == "url")


def is_stale(row: AttachmentRow) -> bool:
    """Whether the file is newer than the copy sent, and the user has not decided what to do."""
    return row.disk == "changed" or (row.state == "stale" and row.disk != "frozen")


def is_renewed(row: AttachmentRow) -> bool:
    """Whether the changed file was refreshed automatically, so that the earlier copy can be restored."""
    return row.disk == "renewed"


def freeze_words(row: AttachmentRow) -> str:
    """Label of the action that keeps the earlier copy instead of the file's current content."""
    return tr("Keep the earlier copy") if is_renewed(row) else tr("Freeze")


def badge_of(row: AttachmentRow) -> BadgeLook:
    """The one badge of a row: first what needs a decision, then what is unusual, then how it is sent."""
    if row.detached:
        return BadgeLook("neutral", "clock", tr("detached, still in the log"), tr("detached"))
    return _urgent_badge(row) or _unusual_badge(row) or _usual_badge(row)


def _urgent_badge(row: AttachmentRow) -> BadgeLook | None:
    if row.state == "unreadable" or row.disk == "unreadable":
        return BadgeLook("err", "file-x", tr("unreadable"))
    if is_stale(row):
        at = formatting.clock(row.changed_utc)
        words = tr("changed on disk {time}").format(time=at) if at else tr("changed on disk")
        return BadgeLook("warn", "clock", words, tr("changed"))
    if row.state == "dropped":
        return BadgeLook("err", "out", tr("dropped: budget"), tr("dropped"))
    if row.disk == "gone":
        return BadgeLook("warn", "file-x", tr("file gone, copy kept"), tr("gone"))
    if row.state == "unseen":
        return BadgeLook("warn", "eye-off", tr("the model can’t see it"), tr("not seen"))
    return None


def _unusual_badge(row: AttachmentRow) -> BadgeLook | None:
    if row.secrets:
        tone: Tone = "neutral" if row.secrets[0].replaced else "warn"
        return BadgeLook(tone, "key", secret_words(row.secrets), secret_word(row.secrets))
    if row.unread:
        return BadgeLook("warn", "warn", tr("only part of the file was read"), tr("part read"))
    if is_renewed(row):
        at = formatting.clock(row.changed_utc)
        words = tr("refreshed ({time})").format(time=at) if at else tr("refreshed")
        return BadgeLook("info", "refresh", words, tr("refreshed"))
    return None


def _usual_badge(row: AttachmentRow) -> BadgeLook:
    if row.pinned and row.state == "sent" and row.kind in EPHEMERAL_KINDS:
        return BadgeLook("accent", "pin", tr("kept: the only copy"), tr("kept"))
    if row.pinned and row.state == "sent":
        return BadgeLook("accent", "pin", tr("pinned by you"), tr("pinned"))
    if row.by_relevance and row.state in ("sent", "compacted"):
        return BadgeLook("info", "filter", tr("by relevance"), tr("fitting"))
    if row.disk == "frozen" and row.state == "sent":
        return BadgeLook("neutral", "snow", tr("frozen"))
    look = STATE_LOOK[row.state]
    return BadgeLook(look.tone, look.icon, state_word(row.state))


def price_of_refresh(row: AttachmentRow) -> str:
    """What a refresh would cost; empty if unknown."""
    if row.refresh_tokens is None:
        return ""
    if row.refresh_tokens == 0:
        return tr("refresh is free: nothing cached")
    lost = formatting.tokens(row.refresh_tokens)
    if row.refresh_usd is None:
        return tr("re-reads {n} cached").format(n=lost)
    return tr("re-reads {n} cached, {price}").format(n=lost, price=formatting.signed_usd(row.refresh_usd))


def spoken(row: AttachmentRow, fit: Fit = Fit()) -> str:  # noqa: B008  (it cannot be changed)
    """Text of a row for a screen reader."""
    if row.detached:
        said = tr("{name}, {tokens}, detached, still in the log, Del removes it now")
        return said.format(name=shown(row.name), tokens=formatting.token_words(row.tokens))
    said = tr("{name}, {tokens}, {state}, priority {priority}, pinned") if row.pinned else tr(
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
        yield tr("{share} relevant").format(share=formatting.percent(fit.share))
    if fit.wanted is not None:
        yield tr("priority {n} is suggested, Enter accepts it").format(n=fit.wanted)


def pill_words(row: AttachmentRow, fit: Fit) -> str:
    """The current and the suggested priority; empty if none is suggested."""
    return "" if fit.wanted is None else tr("{now} → {wanted}").format(now=row.priority, wanted=fit.wanted)


def tip_of(row: AttachmentRow) -> str:
    """Tooltip of a row: the full name, and what can be done."""
    path = row.key if is_rooted(row.key) else ""
    lines = [row.name, path, *dict.fromkeys((badge_of(row).words, secret_words(row.secrets))), *row.unread]
    if is_stale(row):
        lines.append(tr("Refresh (F5) loads the new version; Freeze keeps this copy and the cache."))
        lines.append(price_of_refresh(row))
    if is_renewed(row):
        at = formatting.clock(row.changed_utc)
        changed = tr("It changed on disk at {time}.").format(time=at) if at else tr("It changed on disk.")
        lines.append(
            f"{changed} {tr('The next request has the new version; you can keep the earlier copy.')}"
        )
    if row.detached:
        lines.append(
            tr("It stays until the next rebuild, because the cache holds it. Remove now (Del) rebuilds.")
        )
    if row.held:
        lines.append(
            tr("Kept short: the cache holds this part. It would fit whole; its menu says at what price.")
        )
    if row.state == "unseen":
        lines.append(tr("Only a line about it is sent. Choose a model with vision, or detach it."))
    return "\n".join(line for line in lines if line)
