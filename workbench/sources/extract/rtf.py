"""Reads rich text (RTF) by its control words; groups without readable text are skipped and counted."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from workbench.domain.files.document import Document, ReadAs, Section
from workbench.domain.translation import counted, tr
from workbench.sources.extract.left_out import left_out
from workbench.sources.extract.prose import Prose, one_line, spaced
from workbench.sources.extract.refusal import Unreadable, broken

# Control words of rich text: which groups are text, which are passed over, and which words are letters.


# Groups that hold no text for a reader.
PASSED = frozenset(
    b"fonttbl colortbl stylesheet info filetbl listtable listoverridetable rsidtbl generator themedata"
    b" colorschememapping datastore latentstyles xmlnstbl mmathPr datafield bkmkstart bkmkend pntxta pntxtb"
    b" pnseclvl sn sv sp operator author company nonshppict blipuid private background template"
    b" ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn revtbl userprops docvar objdata objclass objname objtime"
    b" formfield ffdeftext panose falt xe tc rxe tcf listname liststylename leveltext levelnumbers"
    b" atnid atntime atnref atrfstart atrfend atndate atnparent atnicn wgrffmtfilter oldcprops oldpprops"
    b" oldtprops oldsprops passwordhash protusertbl picprop mvfmf mvfml mhtmltag htmltag defchp defpap".split()
)
# Groups marked as unknown to old programs that do hold text, or hold groups that do.
STARRED = frozenset(
    b"shpinst shptxt shp shpgrp shppict footnote annotation atnauthor ud do dptxbxtext fldrslt result"
    b" fldinstx ftnalt mmath moMath moMathPara mr mt".split()
)
PICTURES = frozenset({b"pict"})
BREAKS = frozenset(b"par sect page column softpage".split())
LETTERS: dict[bytes, str] = {
    b"tab": "\t", b"line": "\n", b"lbr": "\n", b"emdash": "—", b"endash": "–", b"lquote": "‘", b"rquote": "’",
    b"ldblquote": "“", b"rdblquote": "”", b"bullet": "•", b"emspace": " ", b"enspace": " ", b"qmspace": " ",
    b"zwj": "\u200d", b"zwnj": "\u200c", b"ltrmark": "", b"rtlmark": "", b"chftn": "", b"chatn": "",
}  # fmt: skip
SIGNS = {b"~": "\u00a0", b"_": "-", b"-": "", b"\t": "\t", b"\\": "\\", b"{": "{", b"}": "}"}
CHARSETS = {
    0: "cp1252", 77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gbk", 136: "big5", 161: "cp1253",
    162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874",
    238: "cp1250", 255: "cp437",
}  # fmt: skip
AROUND = frozenset(
    f"{name}{which}".encode() for name in ("header", "footer") for which in ("", "l", "r", "f")
)


_TOKEN = re.compile(
    rb"\\([A-Za-z]{1,32})(-?\d{1,10})?[ ]?|\\'([0-9A-Fa-f]{2})|\\([^A-Za-z])|([{}])|[\r\n]+|([^\\{}\r\n]+)"
)
_DEEPEST = 500
_RUBY = re.compile(r"\\s\\up\s*\d*\(([^()]*)\)\s*[,;]([^()]*)\)")
_HEADING = re.compile(r"heading (\d)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _State:
    """The formatting state of a group.

    Attributes:
        into: where its text goes: "" for the document, "-" for nowhere, else the name of a part.
        skip: how many characters follow a Unicode character as its replacement.
    """

    into: str = ""
    skip: int = 1
    codec: str = ""
    hidden: bool = False
    deleted: bool = False
    cells: bool = False
    level: int = 0


@dataclass(slots=True)
class _Paragraph:
    text: list[str] = field(default_factory=list)
    cells: list[str] = field(default_factory=list)


def read_rtf(content: bytes) -> Document:
    """Returns the document's text, with headers and footers before and notes after it."""
    if not re.match(rb"\{\\rtf?\d?\b|\{\\rtf", content):
        raise broken(tr("rich-text document"))
    reader = _Reader(content)
    reader.read()
    text, sections = reader.finished()
    return Document(text, ReadAs("rtf", notes=tuple(reader.notes())), sections)


class _Reader:
    """Reads the tokens in one pass; every group has its own state."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._state = _State()
        self._stack: list[_State] = []
        self._bytes = bytearray()
        self._left_to_skip = 0
        self._starred = self._opened = False
        self._codec = "cp1252"
        self._fonts, self._font, self._font_table = dict[int, str](), 0, -1
        self._styles, self._style, self._style_table, self._style_name = dict[int, int](), 0, -1, ""
        self._parts: dict[str, _Paragraph] = {"": _Paragraph()}
        self._around: dict[str, list[str]] = {"Header": [], "Footer": []}
        self._noted: list[str] = []
        self._numbers: Counter[str] = Counter()
        self._author = ""
        self._blocks: list[Callable[[Prose], object]] = []
        self._rows: list[list[str]] = []
        self.left_out: Counter[str] = Counter()
        self._deleted_words = self._hidden_words = 0

    def read(self) -> None:
        """Reads the whole content."""
        place, end = 0, len(self._content)
        while place < end:
            found = _TOKEN.match(self._content, place)
            if found is None:  # a backslash at the very end
                break
            place = found.end()
            if found[1] is not None:
                place += self._word(found[1], None if found[2] is None else int(found[2]))
            elif found[3] is not None:
                self._byte(int(found[3], 16))
            elif found[4] is not None:
                self._sign(found[4])
            elif found[5] is not None:
                self._group(found[5] == b"{")
            elif found[6] is not None:
                self._plain(found[6])
        self._flush_bytes()
        while self._stack:
            self._group(False)
        self._state = _State()  # a cell that nothing ends is a paragraph
        self._break()
        self._end_table()

    def notes(self) -> list[str]:
        """Lists what is not in the text, by kind and count."""
        found = left_out(self.left_out)
        if self._deleted_words:
            found.append(
                tr("tracked deletions with {counted} left out", counted=counted(self._deleted_words, "word"))
            )
        if self._hidden_words:
            found.append(
                tr("hidden text with {counted} left out", counted=counted(self._hidden_words, "word"))
            )
        return found

    def finished(self) -> tuple[str, tuple[Section, ...]]:
        """Returns the text and its sections."""
        prose = Prose()
        for name, texts in self._around.items():
            for text in dict.fromkeys(filter(None, texts)):
                prose.block(f"{name}: {text}")
        for write in self._blocks:
            write(prose)
        for note in self._noted:
            prose.block(note, close=True)
        return prose.finished()

    # Groups, and where their text goes.

    def _group(self, opens: bool) -> None:
        self._flush_bytes()
        self._left_to_skip = 0
        self._opened, self._starred = opens, False
        if opens:
            if len(self._stack) >= _DEEPEST:
                raise Unreadable(
                    tr("its parts lie too deep within one another"), tr("Save it as PDF, and attach that.")
                )
            self._stack.append(self._state)
        elif self._stack:
            before, self._state = self._state, self._stack.pop()
            if before.into != self._state.into:
                self._part_ended(before.into)
            if len(self._stack) == self._font_table:
                self._font_table = -1
            if len(self._stack) == self._style_table:
                self._style_table = -1

    def _part_ended(self, name: str) -> None:
        """Stores a header, note or comment whose group has ended."""
        part = self._parts.pop(name, None)
        text = "" if part is None else spaced("".join(part.text))
        if name in self._around:
            self._around[name].append(text)
        elif name == "author":
            self._author = one_line(text)
        elif name == "field":
            # The command of a field is no text, but for letters with their reading above them.
            for reading, letters in _RUBY.findall(text):
                self._add_text(f"{letters} ({reading})")
        elif name and name != "-" and text:
            kind, _, number = name.partition(" ")
            if kind == "comment":
                said = f"{self._author}: {one_line(text)}" if self._author else one_line(text)
                self._noted.append(f"[comment {number}] {said}")
            elif kind == "note":
                self._noted.append(f"[^{number}]: {one_line(text)}")

    def _redirect(self, name: str) -> None:
        self._parts.setdefault(name, _Paragraph())
        self._state = replace(self._state, into=name)

    def _destination(self, word: bytes) -> bool:
        """Redirects the group where a control word says what it is for; returns whether it did."""
        if self._state.into == "-":
            return False
        if word in PICTURES:
            self.left_out["picture"] += self._state.into != "-"
            self._redirect("-")
        elif word in (b"footnote", b"annotation"):
            kind = "note" if word == b"footnote" else "comment"
            self._numbers[kind] += 1
            number = self._numbers[kind]
            self._add_text(f"[^{number}]" if kind == "note" else f"[comment {number}]")
            self._redirect(f"{kind} {number}")
        elif word in (b"atnauthor", b"fldinst"):
            self._redirect("author" if word == b"atnauthor" else "field")
        elif word[:6] in (b"header", b"footer") and word in AROUND:
            self._redirect(word[:6].decode().title())
        elif word == b"object":
            self.left_out["embedded object"] += 1
        elif word in PASSED or (self._starred and word not in STARRED):
            self._tables(word)
            self._redirect("-")
        else:
            return False
        return True

    def _tables(self, word: bytes) -> None:
        if word == b"fonttbl":
            self._font_table = len(self._stack) - 1
        elif word == b"stylesheet":
            self._style_table = len(self._stack) - 1

    # Words and letters.

    def _word(self, word: bytes, number: int | None) -> int:
        """Applies a control word; returns how many bytes after it are not text."""
        self._flush_bytes()
        if self._opened or self._starred:
            self._opened = False
            named = self._destination(word)
            self._starred = False
            if named:
                return 0
        if word == b"bin":
            return max(0, number or 0)
        if word == b"u" and number is not None:
            self._unicode(number)
        elif word in LETTERS:
            self._add_text(LETTERS[word])
        elif word in BREAKS:
            self._break()
        elif word in (b"cell", b"nestcell"):
            self._cell()
        elif word in (b"row", b"nestrow"):
            self._row()
        else:
            self._format(word, number)
        return 0

    def _format(self, word: bytes, number: int | None) -> None:
        on = number is None or number != 0
        match word:
            case b"v":
                self._state = replace(self._state, hidden=on)
            case b"deleted":
                self._state = replace(self._state, deleted=on)
            case b"plain":
                self._state = replace(self._state, hidden=False, deleted=False)
            case b"pard":
                self._state = replace(self._state, level=0, cells=False)
            case b"intbl":
                self._state = replace(self._state, cells=on)
            case b"outlinelevel" if number is not None and 0 <= number < 9:
                self._state = replace(self._state, level=number + 1)
            case b"s" if number is not None:
                self._style, self._style_name = number, ""
                self._state = replace(self._state, level=self._styles.get(number, 0))
            case _:
                self._encoding(word, number)

    def _encoding(self, word: bytes, number: int | None) -> None:
        match word:
            case b"uc":
                self._state = replace(self._state, skip=max(0, min(20, number or 0)))
            case b"ansicpg":
                self._codec = _codec_name(f"cp{number}") or self._codec
            case b"mac":
                self._codec = "mac_roman"
            case b"pc" | b"pca":
                self._codec = "cp437" if word == b"pc" else "cp850"
            case b"f" | b"fcharset":
                self._set_font(word, number or 0)

    def _set_font(self, word: bytes, number: int) -> None:
        if self._font_table >= 0:
            if word == b"f":
                self._font = number
            elif number in CHARSETS and number != 0:
                self._fonts[self._font] = CHARSETS[number]
        elif word == b"f":
            self._state = replace(self._state, codec=self._fonts.get(number, ""))

    def _sign(self, sign: bytes) -> None:
        if sign == b"*":
            self._starred = True
            return
        self._flush_bytes()
        if sign in b"\r\n":
            self._break()
        else:
            self._add_text(SIGNS.get(sign, ""))

    def _byte(self, value: int) -> None:
        self._opened = self._starred = False
        if self._left_to_skip:
            self._left_to_skip -= 1
        else:
            self._bytes.append(value)

    def _plain(self, written: bytes) -> None:
        self._opened = self._starred = False
        skipped = min(self._left_to_skip, len(written))
        self._left_to_skip -= skipped
        self._bytes += written[skipped:]
        if self._style_table >= 0:
            self._name_style()

    def _name_style(self) -> None:
        self._style_name += bytes(self._bytes).decode("latin-1")
        self._bytes.clear()
        found = _HEADING.match(self._style_name.strip())
        if found:
            self._styles[self._style] = max(1, int(found[1]))

    def _unicode(self, number: int) -> None:
        self._add_text(chr(number % 0x10000))
        self._left_to_skip = self._state.skip

    def _flush_bytes(self) -> None:
        if self._bytes:
            written = bytes(self._bytes)
            self._bytes.clear()
            self._add_text(written.decode(self._state.codec or self._codec, "replace"))

    def _add_text(self, text: str) -> None:
        state = self._state
        if state.into == "-":
            return
        if state.hidden:
            self._hidden_words += len(text.split())
            return
        if state.deleted:
            self._deleted_words += len(text.split())
            return
        self._parts.setdefault(state.into, _Paragraph()).text.append(text)

    # Paragraphs and tables.

    def _break(self) -> None:
        into = self._state.into
        if into:
            self._add_text("\n")
            return
        part = self._parts[""]
        text = spaced(_join_surrogates("".join(part.text)))
        if self._state.cells and text:
            part.text = [text, " "]  # a cell may have several paragraphs
            return
        part.text = []
        if text:
            self._end_table()
            level = self._state.level
            self._blocks.append(
                (lambda prose: prose.heading(text, level)) if level else (lambda prose: prose.block(text))
            )

    def _cell(self) -> None:
        part = self._parts.setdefault(self._state.into, _Paragraph())
        if self._state.into:
            self._add_text(" ")
            return
        part.cells.append(one_line(_join_surrogates("".join(part.text))))
        part.text = []

    def _row(self) -> None:
        part = self._parts[""]
        if not self._state.into and part.cells:
            self._rows.append(part.cells)
            part.cells = []

    def _end_table(self) -> None:
        part = self._parts[""]
        if part.cells:
            self._rows.append(part.cells)
            part.cells = []
        rows, self._rows = self._rows, []
        if any(any(row) for row in rows):
            self._blocks.append(lambda prose: prose.table(rows))


def _join_surrogates(text: str) -> str:
    """Joins surrogate pairs that came as two characters."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _codec_name(name: str) -> str:
    try:
        return codecs.lookup(name).name
    except LookupError:
        return ""
