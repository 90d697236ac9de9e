"""Texts about how a file was read and about its parts, shared by inspector, composer and attachments."""

from __future__ import annotations

import re
from collections.abc import Sequence

from workbench.domain.files.document import DocumentKind, ReadAs, Section
from workbench.domain.files.file_names import is_rooted
from workbench.domain.shown.parts_view import Picked
from workbench.ui import formatting
from workbench.ui.translation import tr

_PAGES = re.compile(r"p(\d+)(?:-(\d+))?")
_LINES = re.compile(r"L(\d+)(?:-(\d+))?")
_NUMBERED = re.compile(r"([0-9]+(?:\.[0-9]+)*|[A-Z](?:\.[0-9]+)*)[.)]?-")
_TYPED = re.compile(r"(lines?|pages?|pp?\.?|l)?\s*(\d{1,9})(?:\s*-\s*[lLpP]?(\d{1,9}))?", re.IGNORECASE)
_FIRST_PARTS = 3


def kind_words(kind: DocumentKind) -> str:
    """Name of a kind of document."""
    words: dict[DocumentKind, str] = {
        "text": tr("plain text"),
        "markdown": tr("Markdown"),
        "code": tr("code"),
        "table": tr("table"),
        "pdf": tr("PDF, text layer"),
        "word": tr("Word document"),
        "slides": tr("slides"),
        "sheets": tr("spreadsheet"),
        "odt": tr("OpenDocument text"),
        "odp": tr("OpenDocument slides"),
        "ods": tr("OpenDocument spreadsheet"),
        "epub": tr("e-book"),
        "rtf": tr("rich text"),
        "html": tr("web page"),
        "notebook": tr("notebook"),
        "email": tr("e-mail"),
        "image": tr("picture"),
    }
    return words[kind]


def read_as_words(read_as: ReadAs) -> str:
    """What a file was read as, for a badge: its kind, and its encoding if that is unusual."""
    if read_as.kind == "pdf":
        return tr("text layer")
    kind = kind_words(read_as.kind)
    plain = read_as.encoding.lower().replace("-", "").replace("_", "") in ("", "utf8", "ascii")
    return kind if plain else f"{kind}, {read_as.encoding}"


def extent_words(read_as: ReadAs, text: str) -> str:
    """The length of a file in pages, or in lines if it has no pages."""
    if read_as.pages:
        return (
            tr("1 page") if read_as.pages == 1 else tr("{n} pages").format(n=formatting.tokens(read_as.pages))
        )
    lines = text.count("\n") + bool(text and not text.endswith("\n"))
    return tr("1 line") if lines == 1 else tr("{n} lines").format(n=formatting.tokens(lines))


def anchor_words(anchor: str) -> str:
    """Name of a part in a list, from its anchor."""
    if found := _PAGES.fullmatch(anchor):
        return (
            tr("pp. {a}–{b}").format(a=found[1], b=found[2]) if found[2] else tr("p. {n}").format(n=found[1])
        )
    if found := _LINES.fullmatch(anchor):
        if found[2]:
            return tr("lines {a}–{b}").format(a=found[1], b=found[2])
        return tr("line {n}").format(n=found[1])
    return anchor.replace("-", " ")


def short_anchor(anchor: str) -> str:
    """The shortest name of a part: the number of a numbered heading, else its usual name."""
    numbered = _NUMBERED.match(anchor)
    return numbered[1] if numbered else anchor_words(anchor)


def anchors_line(anchors: Sequence[str]) -> str:
    """Parts on one line: a single one by name, “3.3 Lifetime”, several as “3.3, 4.2, p. 28”, many cut off."""
    if len(anchors) == 1:
        return anchor_words(anchors[0])
    named = [short_anchor(anchor) for anchor in anchors[:_FIRST_PARTS]]
    more = len(anchors) - len(named)
    return ", ".join(named) + (tr(" and {n} more").format(n=more) if more > 0 else "")


def picked_words(picked: Picked, pages: int, parts: Sequence[Section] = ()) -> str:
    """How much of a file is attached: “9 of 84 pages”, or the number of parts if pages are not known."""
    if picked.whole:
        return tr("whole file")
    known = {part.anchor: part for part in parts}
    seen: set[int] = set()
    for anchor in picked.anchors:
        if found := _PAGES.fullmatch(anchor):
            seen |= set(range(int(found[1]), int(found[2] or found[1]) + 1))
        elif anchor in known and known[anchor].first_page:
            seen |= set(range(known[anchor].first_page, known[anchor].last_page + 1))
        else:
            seen.clear()
            break
    if pages and seen:
        return tr("{n} of {all} pages").format(n=formatting.tokens(len(seen)), all=formatting.tokens(pages))
    count = len(picked.anchors)
    return tr("1 part") if count == 1 else tr("{n} parts").format(n=formatting.tokens(count))


def typed_anchor(typed: str, pages: bool) -> str:
    """The anchor of a typed part: “120-180”, “L120–180”, “p3-5”; empty if it is not one.

    Bare numbers are pages if the file has pages, else lines.
    """
    found = _TYPED.fullmatch(typed.strip().replace("–", "-").replace("—", "-"))
    if found is None:
        return ""
    word = (found[1] or "").lower()
    letter = "L" if word.startswith("l") else "p" if word.startswith("p") or pages else "L"
    first, last = int(found[2]), int(found[3] or found[2])
    return f"{letter}{first}" if first == last else f"{letter}{min(first, last)}-{max(first, last)}"


def selection_title(name: str, first_line: int, text: str) -> str:
    """Title of a selection for the user and the model; it never contains the path of a file on this computer.

    `first_line` is 0 if lines mean nothing.
    """
    base = re.split(r"[/\\]", name)[-1] if is_rooted(name) else name
    if not first_line:
        return base
    last = first_line + text.rstrip("\n").count("\n")
    if last == first_line:
        return tr("{name}, line {n}").format(name=base, n=first_line)
    return tr("{name}, lines {a}–{b}").format(name=base, a=first_line, b=last)
