"""Gemini in Google's Takeout, `MyActivity.json`: prompts with their answers, newest first, in no conversations."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

from workbench.domain.record import ChatArchive
from workbench.domain.translation import tr
from workbench.engine.exchange.foreign_json import to_utc
from workbench.engine.exchange.imported import (
    Fresh,
    Ids,
    Imported,
    ImportedMessage,
    Losses,
    linear_archive,
    started,
)
from workbench.engine.exchange.kept_files import KeptFiles
from workbench.engine.exchange.spoken import said_in

# The words of a piece of HTML, with the marks of Markdown where it had lists, headings, code and emphasis.


_BLOCKS = frozenset(
    {"p", "div", "ul", "ol", "table", "blockquote", "pre", "hr", "h1", "h2", "h3", "h4", "h5", "h6"}
)
_BEGINS = {"li": "\n- ", "br": "\n", "tr": "\n", "td": " | ", "th": " | "} | {
    f"h{level}": f"\n\n{'#' * level} " for level in range(1, 7)
}
_AROUND = {"b": "**", "strong": "**", "i": "*", "em": "*"}
_SILENT = frozenset({"script", "style"})
_MANY_LINES = re.compile(r"\n{3,}")


class _Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.out: list[str] = []
        self._code = self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SILENT:
            self._silent += 1
        elif tag == "pre":
            self._code += 1
            self.out.append("\n\n```\n")
        elif tag == "code" and not self._code:
            self.out.append("`")
        elif tag in _BEGINS:
            self.out.append(_BEGINS[tag])
        elif tag in _BLOCKS:
            self.out.append("\n\n")
        else:
            self.out.append(_AROUND.get(tag, ""))

    def handle_endtag(self, tag: str) -> None:
        if tag in _SILENT:
            self._silent = max(0, self._silent - 1)
        elif tag == "pre":
            self._code = max(0, self._code - 1)
            self.out.append("\n```\n\n")
        elif tag == "code" and not self._code:
            self.out.append("`")
        elif tag in _BLOCKS:
            self.out.append("\n\n")
        else:
            self.out.append(_AROUND.get(tag, ""))

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.out.append(data if self._code else re.sub(r"\s+", " ", data))


def words_of_html(page: str) -> str:
    """The text of an HTML fragment; unclosed tags are tolerated."""
    reader = _Words()
    reader.feed(page)
    reader.close()
    lines = (line.rstrip() for line in "".join(reader.out).split("\n"))
    return _MANY_LINES.sub("\n\n", "\n".join(lines)).strip()


_PROMPT = re.compile(r"(Prompted with:|Asked Gemini:|Asked Bard:|Prompted|Asked|Said|Branched|Answered)\s+")
_NO_PROMPT = re.compile(
    r"(Created|Used|Added|Gave|Selected|Shared|Deleted|Viewed|Visited|Edited|Renamed|Updated)\s"
)
_ATTACHED = re.compile(r"\s*Attached \d+ files?\.?\s*$")
_BY_DAY = tr("prompt: Takeout does not say which belong together, so those of a day are one chat")
_NOTHING_ASKED = tr("activity that is no prompt")
_NO_TIME = tr("prompt without a time")


def is_gemini(one: dict[str, Any]) -> bool:
    """Whether it is an activity of this kind."""
    listed = one.get("products")
    labels = [one.get("header"), *(listed if isinstance(listed, list) else ())]
    named = any(isinstance(label, str) and re.search("Gemini|Bard", label) for label in labels)
    return named and isinstance(one.get("title"), str) and "time" in one


def import_gemini(document: object, fresh: Fresh) -> Imported:
    """One chat per day, with its prompts in the order they were asked."""
    lost = Losses()
    days: dict[str, list[tuple[str, dict[str, Any]]]] = {}
    for one in document if isinstance(document, list) else [document]:
        when = to_utc(one.get("time")) if isinstance(one, dict) else None
        if not isinstance(one, dict) or not is_gemini(one) or not _prompt_text(one):
            lost.left_out[_NOTHING_ASKED] += 1
        elif when is None:
            lost.left_out[_NO_TIME] += 1
        else:
            lost.changed[_BY_DAY] += 1
            days.setdefault(when[:10], []).append((when, one))
    archives = tuple(
        _day(day, sorted(found, key=lambda one: one[0]), fresh, lost) for day, found in sorted(days.items())
    )
    return Imported(archives, refused=0 if archives else 1, losses=lost)


def _day(day: str, found: list[tuple[str, dict[str, Any]]], fresh: Fresh, lost: Losses) -> ChatArchive:
    chat = started(f"gemini-{day}", f"Gemini, {day}", found[0][0])
    files = KeptFiles(chat.id, fresh.beside, lost)
    said = [message for when, one in found for message in _exchange(when, one, files)]
    archive = linear_archive(chat, said, Ids(fresh.new_id), fresh.now_utc)
    return ChatArchive(archive.chat, archive.records, snapshots=files.snapshots())


def _exchange(when: str, one: dict[str, Any], files: KeptFiles) -> Iterator[ImportedMessage]:
    asked = _prompt_text(one)
    key = "g-" + hashlib.sha256(f"{when} {asked}".encode("utf-8", "replace")).hexdigest()[:20]
    images, attached = [], []
    for name in _attached(one):
        kept = files.found((name.rpartition("/")[2],), name, when)
        if isinstance(kept, str):
            attached.append(kept)
        elif kept is not None:
            images.append(kept)
    yield ImportedMessage("user", (asked,), when, key, attached=tuple(attached), images=tuple(images))
    answer = _answer(one)
    if answer:
        yield ImportedMessage("assistant", (answer,), when, f"{key}-a")


def _prompt_text(one: dict[str, Any]) -> str:
    """The prompt; in other languages the leading verb is not known, and stays."""
    title = one["title"].replace("\xa0", " ").strip()
    if _NO_PROMPT.match(title):
        return ""
    found = _PROMPT.match(title)
    if found is None and not _answer(one):
        return ""
    return _ATTACHED.sub("", title[found.end() :] if found else title)


def _answer(one: dict[str, Any]) -> str:
    items = one.get("safeHtmlItem")
    pages = (said_in(item, "html") for item in (items if isinstance(items, list) else ()))
    return "\n\n".join(filter(None, (words_of_html(page) for page in pages if page)))


def _attached(one: dict[str, Any]) -> Iterator[str]:
    for name in ("attachedFiles", "imageFile", "audioFiles"):
        given = one.get(name)
        for file in given if isinstance(given, list) else [given]:
            if isinstance(file, str) and file:
                yield file
            elif said_in(file, "name", "url"):
                yield said_in(file, "name", "url")
