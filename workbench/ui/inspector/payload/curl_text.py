"""The request as a command for a shell, every secret replaced: what it sends are the same bytes that we send."""

from __future__ import annotations

from workbench.domain.wire_form import HIDDEN, WireForm
from workbench.ui.inspector.payload.json_text import COMPACT, json_text
from workbench.ui.inspector.payload.written import WrittenText

END_MARK = "JSON"
_OWN_HEADERS = frozenset({"host", "content-length", "connection", "accept-encoding", "transfer-encoding"})
"""What curl writes by itself, and would send twice."""
_SECRET_HEADERS = frozenset(
    {"authorization", "proxy-authorization", "x-api-key", "api-key", "x-goog-api-key", "cookie", "set-cookie"}
)


def curl_text(form: WireForm) -> WrittenText:
    """The command. Its body comes in a here-document, in which a shell changes nothing, and stands in one line:
    `--data` takes line ends off, so that what arrives is the body, byte for byte."""
    lines = [
        f"curl {quoted(form.url)}",
        *(f"-H {quoted(f'{name}: {value}')}" for name, value in headers(form)),
    ]
    before = " \\\n  ".join([*lines, f"--data @- <<'{END_MARK}'"]) + "\n"
    body = json_text(form, COMPACT)
    shifted = tuple(
        span._replace(start=span.start + len(before), end=span.end + len(before)) for span in body.spans
    )
    encoded = tuple((start + len(before), end + len(before)) for start, end in body.encoded)
    return WrittenText(f"{before}{body.text}\n{END_MARK}\n", shifted, escaped=True, encoded=encoded)


def headers(form: WireForm) -> tuple[tuple[str, str], ...]:
    """The headers worth repeating; a secret that nobody replaced before is replaced here."""
    kept = [(name, redacted(name, value)) for name, value in form.headers if name.lower() not in _OWN_HEADERS]
    if all(name.lower() != "content-type" for name, _ in kept):
        kept.append(("Content-Type", "application/json"))
    return tuple(kept)


def redacted(name: str, value: str) -> str:
    """A header's value without its secret; the scheme before it stays, since a command needs it."""
    if name.lower() not in _SECRET_HEADERS or HIDDEN in value:
        return value
    scheme, space, _secret = value.partition(" ")
    return f"{scheme} {HIDDEN}" if space and scheme.isalpha() else HIDDEN


def quoted(word: str) -> str:
    """A word that a POSIX shell takes as it is."""
    return "'" + word.replace("'", "'\\''") + "'"
