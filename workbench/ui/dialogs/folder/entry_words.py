"""A folder's entries in words: what they cost, why one cannot be ticked, how far the counting is."""

from __future__ import annotations

from typing import NamedTuple

from workbench.domain.files.folder import FILE_KINDS, FileKind
from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.domain.shown.folder_view import FolderView
from workbench.ui.dialogs.folder.nodes import Node, Sums
from workbench.ui.formatting import size, tokens
from workbench.ui.look.tones import Tone
from workbench.ui.translation import translator
from workbench.ui.widgets.plain import shown

_tr = translator("FolderDialog")


class Note(NamedTuple):
    """What stands behind an entry: a badge, words, an icon before them, or a part of a line."""

    words: str = ""
    badge: str = ""
    tone: Tone = "neutral"
    icon: str = ""
    part: float | None = None


def tokens_of(node: Node) -> str:
    """What an entry costs: ≥ while something in it is not counted, ≈ where it is an estimate."""
    if node.standing != "open" or (not node.folder and node.tokens is None):
        return ""
    if node.folder and not node.sums.counted:
        return ""
    total = node.sums.tokens if node.folder else node.tokens or 0
    return f"{_sign(node.sums.counted < node.sums.files, bool(node.sums.guessed))}{tokens(total)}"


def chosen_of(node: Node) -> str:
    """What is chosen of an entry."""
    return chosen_tokens(node.sums) if node.sums.chosen else ""


def chosen_tokens(sums: Sums) -> str:
    """What everything that is chosen costs."""
    sign = _sign(sums.chosen_counted < sums.chosen, bool(sums.guessed))
    return f"{sign}{tokens(sums.chosen_tokens)}"


def _sign(more: bool, guessed: bool) -> str:
    return "≥ " if more else "≈ " if guessed else ""


def note_of(node: Node, view: FolderView | None, free_tokens: int | None = None) -> Note:
    """Why an entry is as it is; `free_tokens` is what the next request has room for."""
    if node.standing == "refused":
        return Note(shown(node.reason), _tr("refused"), "err", "warn")
    if node.standing == "large":
        return Note(shown(node.reason), _tr("too large"), "warn", "warn")
    if node.standing == "binary":
        return Note(_tr("binary, not text"), icon="file-x")
    if node.standing != "open":
        return Note(shown(node.reason), icon="eye-off")
    if node.folder:
        return _folder_note(node, view)
    if node.attached:
        return Note("", _tr("attached already"), "neutral", "check")
    if node.left_off:
        return Note(_left_off(node, free_tokens or 0))
    if node.tokens is None:
        return _uncounted(node, view)
    return Note()


def _left_off(node: Node, free_tokens: int) -> str:
    """Why a file that could be ticked did not come so."""
    if (node.tokens or 0) > free_tokens:
        return _tr("more than is free, so left off")
    if node.left_off == "unnamed":
        return _tr("not named in your message, so left off")
    if node.left_off == "trims":
        return _tr("would trim earlier turns, so left off")
    return _tr("no room beside the others, so left off")


def _uncounted(node: Node, view: FolderView | None) -> Note:
    if node.kind in ("document", "picture"):
        if node.ticked:
            return Note(_tr("{size}, being read").format(size=size(node.size_bytes)))
        return Note(_tr("{size}, counted when chosen").format(size=size(node.size_bytes)))
    if view is not None and view.over:
        return Note(_tr("{size}, not counted").format(size=size(node.size_bytes)))
    return Note()


def _folder_note(node: Node, view: FolderView | None) -> Note:
    sums, going = node.sums, view is not None and not view.over
    waiting = sums.files - sums.counted
    if going and waiting and view is not None and view.listed and node.parent is not None and sums.counted:
        words = _tr("{n} of {all} files").format(n=tokens(sums.counted), all=tokens(sums.files))
        return Note(words, part=sums.counted / max(1, sums.files))
    words = counted_files(sums.files)
    attached = [child for child in node.children.values() if child.attached]
    if node.parent is None and sums.left_out:
        one = sums.left_out == 1
        more = _tr("1 entry ignored or refused") if one else _tr("{n} entries ignored or refused")
        words += ", " + more.format(n=tokens(sums.left_out))
    elif len(attached) == 1:
        words += ", " + _tr("{name} attached already").format(name=shown(attached[0].name, 30))
    elif attached:
        words += ", " + _tr("{n} attached already").format(n=tokens(len(attached)))
    return Note(words)


def counted_files(n: int) -> str:
    """So many files."""
    return _tr("1 file") if n == 1 else _tr("{n} files").format(n=tokens(n))


def kind_word(kind: FileKind) -> str:
    """What files of a kind are called together."""
    return {
        "code": _tr("Code"), "text": _tr("Text"), "data": _tr("Data"), "log": _tr("Logs"),
        "document": _tr("Documents"), "picture": _tr("Pictures"), "other": _tr("Other"),
    }[kind]  # fmt: skip


def kind_chips(kinds: dict[FileKind, int]) -> list[tuple[FileKind, str]]:
    """The kinds that there are, each with how many files it has."""
    return [(kind, f"{kind_word(kind)} {tokens(kinds[kind])}") for kind in FILE_KINDS if kinds.get(kind)]


def progress_of(view: FolderView) -> tuple[str, str, float | None]:
    """How far a look is: in two parts, of which the first is said louder, and as a part of a line."""
    if view.problem:
        return _tr("Not scanned"), view.problem, 0.0
    if not view.listed and not view.over:
        found = len(view.entries)
        return tokens(found), _tr("1 entry found") if found == 1 else _tr("entries found"), None
    of = _tr("{n} of {all}").format(n=tokens(view.counted), all=tokens(view.to_count))
    return of, _tr("files counted"), view.counted / max(1, view.to_count)


class Verdict(NamedTuple):
    """What adding would do to the next request: in a word, and in a few more."""

    word: str
    line: str
    tone: str
    icon: str


def verdict_of(view: EnvelopeView | None, chosen: int) -> Verdict:
    """Whether it stays under the trim mark, would trim, or would be too much; then the composer offers what to do."""
    if view is None:
        return Verdict(_tr("being counted"), _tr("the next request"), "t2", "clock")
    total = view.total_tokens + chosen
    if total > view.limit_tokens:
        over = _tr("over by {n}").format(n=tokens(total - view.limit_tokens))
        return Verdict(over, _tr("the composer offers what can give way"), "err", "warn")
    threshold = view.threshold_tokens
    if threshold is not None and total > threshold:
        line = _tr("{n} over trim at {at}").format(n=tokens(total - threshold), at=tokens(threshold))
        turns = [row.first_turn for layer in view.layers if layer.name == "L4_STRIP" for row in layer.rows]
        first = min((turn for turn in turns if turn), default=0)
        word = _tr("trims from turn {n}").format(n=first) if first else _tr("past the trim mark")
        return Verdict(word, line, "warn", "cut")
    kept = bool(view.cached_tokens)
    word = _tr("cache kept") if kept else _tr("fits")
    if threshold is None:
        return Verdict(word, _tr("nothing is trimmed"), "ok", "check")
    line = _tr("{n} under trim at {at}").format(n=tokens(threshold - total), at=tokens(threshold))
    return Verdict(word, line, "ok", "check")
