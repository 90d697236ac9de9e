"""The words of a piece of HTML, with the marks of Markdown where it had lists, headings, code and emphasis."""

from __future__ import annotations

import re
from html.parser import HTMLParser

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
    """Its words; of tags that nobody closed, what stands in them."""
    reader = _Words()
    reader.feed(page)
    reader.close()
    lines = (line.rstrip() for line in "".join(reader.out).split("\n"))
    return _MANY_LINES.sub("\n\n", "\n".join(lines)).strip()
