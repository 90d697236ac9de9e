"""Reads HTML pages as text: the content that a reader sees, without navigation and decoration."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from lxml import etree

from workbench.domain.files.document import Document, ReadAs, Section
from workbench.domain.translation import counted, tr
from workbench.sources.extract.prose import Prose, one_line, spaced
from workbench.sources.extract.refusal import Unreadable, broken

_SKIPPED = frozenset(
    {
        "script",
        "style",
        "nav",
        "footer",
        "aside",
        "form",
        "template",
        "noscript",
        "svg",
        "math",
        "iframe",
        "object",
    }
    | {"head", "button", "select", "textarea", "input", "canvas", "audio", "video", "dialog", "link", "meta"}
)
_BLOCKS = frozenset(
    {
        "p",
        "div",
        "section",
        "article",
        "main",
        "header",
        "figure",
        "figcaption",
        "blockquote",
        "address",
        "details",
    }
    | {
        "summary",
        "fieldset",
        "center",
        "dl",
        "dt",
        "dd",
        "hgroup",
        "body",
        "html",
        "tbody",
        "thead",
        "tfoot",
        "tr",
        "td",
    }
    | {
        "th",
        "caption",
        "table",
        "ul",
        "ol",
        "li",
        "pre",
        "hr",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "menu",
        "dir",
    }
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_HIDING = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_LONGEST_LINK = 120
_TAG = re.compile(r"<[^>]*>")
# A part of the page is taken for the whole where it holds so much of its text.
_MOST_OF_IT = 0.5
_MARKED = etree.XPath("//*[@hidden or @role or @aria-hidden or @style]")
_HEADING_MARKS = frozenset({"¶", "#", "\uf0c1"})  # of the links to a heading
_BOX_ROLES = frozenset({"navigation", "banner", "contentinfo", "search", "complementary"})


def read_html(text: str) -> Document:
    """Returns a page's title, headings, paragraphs, lists, tables, code and links as a document."""
    root = _parsed(text)
    writer = _Writer()
    title = one_line(root.findtext(".//title") or "")
    _strip(root)
    body, around = _main_part(root)
    first = next((one_line(_all_text(one)) for one in body.iter("h1")), "")
    # Titles name the page and, behind it, the place where it stands.
    if title and not (first and title.startswith(first)):
        writer.prose.heading(title, 1)
    writer.walk(body)
    writer.flush()
    whole, sections = writer.prose.finished()
    notes = (
        [tr("{counted} around the main part left out", counted=counted(around, "character"))]
        if around
        else []
    )
    notes += writer.left_out()
    if not whole.strip():
        raise Unreadable(tr("it is a page without readable text"), tr("Read it as text to see its source."))
    return Document(whole, ReadAs("html", notes=tuple(notes)), sections)


def read_chapters(chapters: Iterable[str]) -> tuple[str, tuple[Section, ...], tuple[str, ...], int]:
    """Joins the pages of a book to one text.

    Returns it with sections, what was left out, and how many were unreadable.
    """
    writer = _Writer()
    unread = 0
    for chapter in chapters:
        try:
            root = _parsed(chapter)
        except Unreadable:
            unread += _TAG.sub("", chapter).strip() != ""  # else an empty page between two others
            continue
        # In a book notes stand aside, and what is computed is part of the text.
        for one in root.iter("aside", "footer", "form", "math", "svg"):
            one.tag = "div" if one.tag in ("aside", "footer", "form") else "span"
        _strip(root)
        body = root.find("body")
        writer.walk(root if body is None else body)
        writer.flush()
    text, sections = writer.prose.finished()
    return text, sections, tuple(writer.left_out()), unread


def _parsed(text: str) -> Any:
    parser = etree.HTMLParser(
        encoding="utf-8", no_network=True, huge_tree=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(text.encode("utf-8", "replace"), parser=parser)
    except (etree.XMLSyntaxError, ValueError):
        raise broken(tr("page")) from None
    if root is None:
        raise broken(tr("page"))
    # What lies deeper than it goes, the parser leaves out without a word.
    if any("depth" in one.message for one in parser.error_log):
        raise Unreadable(
            tr("its parts lie too deep within one another"), tr("Read it as text to see its source.")
        )
    return root


def _main_part(root: Any) -> tuple[Any, int]:
    """Returns the main part of a page if it holds most of the text, with the length of the rest; else the body."""
    body = root.find("body")
    if body is None:
        return root, 0
    found = map(body.findall, (".//main", ".//*[@role='main']", ".//article"))
    only = [parts[0] for parts in found if len(parts) == 1]
    whole = _weight(body) if only else 0
    for part in only:
        if (held := _weight(part)) >= _MOST_OF_IT * whole:
            return part, whole - held
    return body, 0


def _weight(element: Any) -> int:
    return sum(map(len, map(str.strip, element.itertext())))


def _strip(root: Any) -> None:
    """Removes what a reader does not see, and keeps the text behind it."""
    marks = [one for one in root.iter("a") if (one.text or "").strip() in _HEADING_MARKS]
    for one in (*marks, *filter(_is_left_out, _MARKED(root))):
        one.tag = "nav"
    etree.strip_elements(root, *_SKIPPED, with_tail=False)


def _is_left_out(element: Any) -> bool:
    told = element.attrib
    return (
        "hidden" in told
        or told.get("role") in _BOX_ROLES
        or told.get("aria-hidden") == "true"
        or bool("style" in told and _HIDING.search(told["style"]))
    )


def _all_text(element: Any) -> str:
    return " ".join(element.itertext())


class _Writer:
    """Writes a page as text: inline content is collected into a line, and a block element ends it."""

    def __init__(self) -> None:
        self.prose = Prose()
        self.pictures = self.long_links = 0
        self._line: list[str] = []
        self._lists: list[int] = []  # the number of the last item; -1 in a list without numbers
        self._item = ""
        self._special: dict[str, Callable[[Any], None]] = {
            **dict.fromkeys(_HEADINGS, self._heading),
            **dict.fromkeys(("ul", "ol", "menu", "dir"), self._list),
            **{"li": self._list_item, "pre": self._pre, "table": self._table, "a": self._link},
            **{"img": self._picture, "br": self._break},
        }

    def left_out(self) -> Iterator[str]:
        """Yields what is not in the text, by kind and count."""
        if self.pictures:
            yield tr("{counted} left out", counted=counted(self.pictures, "picture"))
        if self.long_links:
            yield tr(
                "{counted} of links left out",
                counted=counted(self.long_links, "long address", "long addresses"),
            )

    def walk(self, element: Any) -> None:
        """Writes an element's own text, its children, and the text after each."""
        self._add_text(element.text)
        for child in element:
            self._element(child)
            self._add_text(child.tail)

    def flush(self) -> None:
        """Ends the paragraph."""
        if not self._line:
            return
        text = spaced("".join(self._line))
        self._line.clear()
        if not text:
            return
        indent = "  " * max(0, len(self._lists) - 1)
        if self._item:
            self.prose.block(indent + self._item + text.replace("\n", "\n  " + indent), close=True)
            self._item = ""
        elif self._lists:
            self.prose.block(f"  {indent}{text}", close=True)
        else:
            self.prose.block(text)

    def _add_text(self, text: str | None) -> None:
        if text:
            self._line.append(text.replace("\n", " ").replace("\r", " "))

    def _element(self, one: Any) -> None:
        special = self._special.get(one.tag)
        if special is not None:
            special(one)
        elif one.tag in _BLOCKS:
            self.flush()
            self.walk(one)
            self.flush()
        elif one.tag in ("code", "kbd", "samp") and not len(one) and (one.text or "").strip():
            self._line.append(f"`{one.text}`")
        else:
            self.walk(one)

    def _heading(self, one: Any) -> None:
        self.flush()
        self.prose.heading(_all_text(one), _HEADINGS[one.tag])

    def _list(self, one: Any) -> None:
        self.flush()
        self._lists.append(0 if one.tag == "ol" else -1)
        self.walk(one)
        self.flush()
        self._lists.pop()

    def _list_item(self, one: Any) -> None:
        self.flush()
        if self._lists and self._lists[-1] >= 0:
            self._lists[-1] += 1
            self._item = f"{self._lists[-1]}. "
        else:
            self._item = "- "
        if not self._lists:
            self._lists.append(-1)
            self.walk(one)
            self.flush()
            self._lists.pop()
        else:
            self.walk(one)
            self.flush()
        self._item = ""

    def _pre(self, one: Any) -> None:
        self.flush()
        code = "".join(one.itertext()).strip("\n")
        if code.strip():
            fence = "```" if "```" not in code else "````"
            self.prose.block(f"{fence}\n{code}\n{fence}")

    def _link(self, one: Any) -> None:
        before = len(self._line)
        self.walk(one)
        text = one_line("".join(self._line[before:]))
        url = (one.get("href") or "").strip()
        is_short = len(url) <= _LONGEST_LINK and url.lower().startswith(("http://", "https://"))
        if text and is_short and text not in (url, url.partition("://")[2]):
            self._line.append(f" ({url})")
        self.long_links += bool(text) and not is_short and url.lower().startswith(("http://", "https://"))

    def _picture(self, one: Any) -> None:
        self.pictures += 1
        words = one_line(one.get("alt") or "")
        if words:
            self._line.append(f"[picture: {words}]")

    def _break(self, _one: Any) -> None:
        self._line.append("\n")

    def _table(self, one: Any) -> None:
        self.flush()
        rows = [
            [one_line(_all_text(cell)) for cell in row if cell.tag in ("td", "th")]
            for row in one.iter("tr")
            if next(row.iterancestors("table"), None) is one
        ]
        rows = [row for row in rows if any(row)]
        # Tables that only place things on a page hold others, or are one cell wide.
        if one.find(".//table") is not None or max((len(row) for row in rows), default=0) < 2:
            self.walk(one)
            self.flush()
            return
        caption = one.find("caption")
        if caption is not None:
            self.prose.block(one_line(_all_text(caption)))
        self.prose.table(rows)
