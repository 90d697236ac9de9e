"""Decodes plain text in any encoding: by its byte order mark, then by what fits all of it, then by the most likely."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from contextlib import suppress

from workbench.domain.translation import tr
from workbench.sources.extract.refusal import Unreadable

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# What no text in an 8-bit encoding has; a form feed, a bell, an escape and the old end-of-file mark are met in texts.
_CONTROLS = bytes(set(range(0x20)) - {7, 8, 9, 10, 12, 13, 0x1A, 0x1B})
_UNPRINTED = re.compile("[\x00-\x06\x0b\x0e-\x19\x1c-\x1f\ufffe\uffff]")
# What people have written in; of the rarer ones somebody has to say so.
_LIKELY = (
    "cp1252", "cp1251", "cp1250", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "latin_1", "iso8859_2", "iso8859_5",
    "iso8859_6", "iso8859_7", "iso8859_8", "iso8859_9", "iso8859_15", "koi8_r", "koi8_u", "cp866", "cp850", "cp852",
    "cp737", "cp857", "cp862", "cp437", "mac_roman", "mac_cyrillic", "cp874", "tis_620", "shift_jis", "cp932", "euc_jp",
    "gb18030", "big5", "big5hkscs", "euc_kr", "cp949",
)  # fmt: skip
_SAMPLE_BYTES = 128 * 1024
_NOT_TEXT = Unreadable(
    tr("it is neither text nor a document or picture of a kind that is known"),
    tr("Save it as text, PDF, .docx, .xlsx, .pptx, HTML, PNG or JPEG, and attach that."),
)
# Names that Python has and that are no encodings of text.
_NO_ENCODINGS = frozenset(
    {"idna", "punycode", "raw_unicode_escape", "unicode_escape", "undefined", "mbcs", "oem"}
)


def decode_text(content: bytes, encoding: str = "") -> tuple[str, str]:
    """Decodes bytes; returns the text and the name of its encoding, either the given one or the detected one."""
    if encoding:
        return _decode_as(content, encoding)
    for bom, name in _BOMS:
        if content.startswith(bom):
            return _decode_strictly(content, name), name
    if b"\0" in content[:4096] or b"\0" in content:
        return _decode_wide(content)
    if b"\x1b$" in content:
        # Japanese for mail is plain ASCII with marks between which two letters are one.
        with suppress(UnicodeDecodeError):
            return content.decode("iso2022_jp"), "iso2022_jp"
    try:
        return content.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        return _detect(content)


def known_encoding(name: str) -> str | None:
    """Returns an encoding's name as Python spells it; None where there is no such text encoding."""
    try:
        found = codecs.lookup(name)
    except (LookupError, ValueError):
        return None
    is_text = getattr(found, "_is_text_encoding", True)
    return found.name if is_text and found.name.replace("-", "_") not in _NO_ENCODINGS else None


def _decode_as(content: bytes, encoding: str) -> tuple[str, str]:
    name = known_encoding(encoding)
    if name is None:
        raise Unreadable(
            tr("there is no encoding “{encoding}”", encoding=encoding[:40]),
            tr("Choose another, for instance utf-8 or cp1252."),
        )
    if name == "utf-8":
        name = "utf-8-sig" if content.startswith(codecs.BOM_UTF8) else name
    try:
        text = content.decode(name)
    except UnicodeError:
        raise Unreadable(
            tr("its bytes are not text in the encoding {name}", name=name),
            tr("Choose another encoding, or let it be found."),
        ) from None
    if "\0" in text:
        raise Unreadable(
            tr("read as {name} it is not text", name=name), tr("Choose another encoding, or let it be found.")
        )
    return text, name


def _decode_strictly(content: bytes, name: str) -> str:
    try:
        text = content.decode(name)
    except UnicodeError:
        raise _NOT_TEXT from None
    if "\0" in text:
        raise _NOT_TEXT
    return text


def _decode_wide(content: bytes) -> tuple[str, str]:
    """Decodes text with NUL bytes, which can only be UTF-16 or UTF-32."""
    for name, width in (("utf-32-le", 4), ("utf-32-be", 4), ("utf-16-le", 2), ("utf-16-be", 2)):
        if len(content) % width:
            continue
        try:
            text = content.decode(name)
        except UnicodeDecodeError:
            continue
        if not _UNPRINTED.search(text) and _mostly_printable(text):
            return text, name
    raise _NOT_TEXT


def _mostly_printable(text: str) -> bool:
    sample = text[:20_000]
    plain = sum(one.isprintable() or one.isspace() for one in sample)
    # A text has spaces or lines; what is read with its bytes the wrong way round has none.
    return plain >= 0.98 * len(sample) and (len(sample) < 20 or any(one in " \n。、" for one in sample))


def _detect(content: bytes) -> tuple[str, str]:
    controls = len(content) - len(content.translate(None, _CONTROLS))
    if controls * 200 > len(content):
        raise _NOT_TEXT
    # Too few letters to guess by, but they stand alone among ASCII letters, as only Latin ones do.
    if _only_marks(_sample(content)):
        return content.decode("cp1252"), "cp1252"
    if _are_isolated(_sample(content)):
        return _decode_latin(content, "latin-1")
    from charset_normalizer import from_bytes

    for match in from_bytes(_sample(content), cp_isolation=list(_LIKELY)):
        try:
            text = content.decode(match.encoding)
        except (UnicodeDecodeError, LookupError):
            continue
        if not _UNPRINTED.search(text) and not _looks_misdecoded(text):
            found = codecs.lookup(match.encoding).name
            return _decode_latin(content, found) if _is_latin(text) else (text, found)
    raise _NOT_TEXT


# The many encodings of Latin letters differ in a few of them only. Which is right is told by the language: all the
# letters that a text has beyond ASCII are those of one alphabet.

_ALPHABETS = (
    "äöüß", "àâæçèéêëîïôœùûüÿ", "áéíñóúü", "àáâãçéêíóôõúü", "àèéìîòù", "åäöé", "æøåé", "áéëïóöü", "áæéíðóöúýþ",
    "ąćęłńóśźż", "áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "áéíóöőúüű", "čćđšž", "ăâîșțşţ", "çğıöşüâî", "āčēģīķļņšūž",
    "ąčęėįšųūž", "äõöüšž",
)  # fmt: skip
_LATIN = (
    "cp1252",
    "cp1250",
    "iso8859-2",
    "cp1254",
    "cp1257",
    "iso8859-15",
    "mac-roman",
    "cp850",
    "cp852",
    "cp437",
)
_PRINTED_MARKS = frozenset("“”„‘’‚«»‹›–—…•€£§°©®™¿¡·×\xa0\xad")


def _only_marks(sample: bytes) -> bool:
    """Tells whether only quotes, dashes and symbols of Windows-1252 are beyond ASCII, and none inside a word."""
    text = sample.decode("cp1252", "replace")
    found = {one for one in text if one > "\x7f"}
    return found <= _PRINTED_MARKS and not re.search(r"[A-Za-z][^\x00-\x7f’‘—–·\xad\xa0…][A-Za-z]", text)


def _are_isolated(sample: bytes) -> bool:
    runs = re.findall(rb"[\x80-\xff]+", sample)
    alone = re.findall(rb"(?:[A-Za-z][\x80-\xff]{1,2}|(?<![\x80-\xff])[\x80-\xff]{1,2}(?=[A-Za-z]))", sample)
    return len(alone) >= 0.8 * len(runs) and (3 if len(sample) < 64 else 8) * sum(map(len, runs)) < len(
        sample
    )


def _is_latin(text: str) -> bool:
    letters = [one for one in text[:20_000] if one > "\x7f" and one.isalpha()]
    return sum(one < "\u0250" for one in letters) * 2 >= len(letters)


def _looks_misdecoded(text: str) -> bool:
    """Tells whether a decoded text looks wrong: hardly any ASCII letters in Latin words, or hardly any words."""
    letters = [one for one in text[:20_000] if one.isalpha()]
    foreign = [one for one in letters if one > "\x7f"]
    plain = len(foreign) + sum(one < "\x7f" for one in text[:20_000])
    return (2 * len(foreign) > len(letters) and _is_latin(text)) or 2 * plain < len(text[:20_000])


def _decode_latin(content: bytes, guess: str) -> tuple[str, str]:
    """Decodes Latin text in the encoding whose letters best fit one language.

    In the guessed one where none is better.
    """
    best, best_share = guess, _alphabet_share(_sample(content).decode(guess, "replace"))
    for name in _LATIN:
        share = _alphabet_share(_sample(content).decode(name, "replace"))
        # Of two that read the same, the more common one; it comes first.
        if share > best_share or (share == best_share and best == guess):
            with suppress(UnicodeDecodeError):
                content.decode(name)
                best, best_share = name, share
    return content.decode(best), codecs.lookup(best).name


def _alphabet_share(text: str) -> float:
    """Returns the share of non-ASCII letters that belong to the best-fitting alphabet."""
    counts = Counter(one for one in text.lower() if one > "\x7f")
    marks = sum(counts.pop(mark, 0) for mark in _PRINTED_MARKS)
    whole = sum(counts.values())
    if not whole:
        return 0.5 if marks else 0.0
    fitting = max(sum(counts[letter] for letter in alphabet) for alphabet in _ALPHABETS)
    return (fitting + 0.5 * marks) / (whole + marks)


def _sample(content: bytes) -> bytes:
    """Returns the part used for detection: whole lines from where non-ASCII bytes start."""
    if len(content) <= _SAMPLE_BYTES:
        return content
    first = next((place for place, byte in enumerate(content) if byte > 0x7F), 0)
    start = content.rfind(b"\n", 0, first) + 1 if first > _SAMPLE_BYTES // 2 else 0
    end = content.rfind(b"\n", start, start + _SAMPLE_BYTES)
    return content[start : end + 1] if end > start else content[start : start + _SAMPLE_BYTES]
