"""What a provider says about an error, found in the many forms they use, and as much of it as may be shown."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workbench.providers.wire.faults import Garbled
from workbench.providers.wire.redaction import Redactor
from workbench.providers.wire.strict_json import parse_json

SHOWN_CHARS = 200
# Enough for any sentence, and for the numbers at its end.
_READ_CHARS = 4_000
_INVISIBLE = {"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"}
# Where the sentence is, by the key it stands under.
_SENTENCE_KEYS = ("message", "detail", "msg", "error", "error_message", "reason")


@dataclass(frozen=True, slots=True)
class ProviderWords:
    """An error in the provider's own words.

    Attributes:
        text: its sentences, not yet safe to show.
        labels: its code and type in lower case, such as "context_length_exceeded".
        status: the status it names, where it names one.
        fields: the numbers that stand beside the sentences.
    """

    text: str
    labels: frozenset[str] = frozenset()
    status: int | None = None
    fields: Mapping[str, int] | None = None


def said_in(body: bytes) -> ProviderWords:
    """What a body says; where it is not JSON, the body itself."""
    try:
        return said_by(parse_json(body))
    except Garbled:
        return ProviderWords(body.decode("utf-8", "replace")[:_READ_CHARS])


def said_by(value: Any) -> ProviderWords:
    """What a JSON value says."""
    inner = value.get("error", value) if isinstance(value, Mapping) else value
    text = " ".join(_sentences(value, depth=4))[:_READ_CHARS]
    if not isinstance(inner, Mapping):
        return ProviderWords(text)
    named = [inner.get(key) for key in ("code", "type", "status")]
    labels = frozenset(label.lower() for label in named if isinstance(label, str))
    numbers = {key: n for key, n in inner.items() if isinstance(n, int) and not isinstance(n, bool)}
    statuses = [numbers[key] for key in ("code", "status") if 400 <= numbers.get(key, 0) < 600]
    return ProviderWords(text, labels, statuses[0] if statuses else None, numbers)


def shown(text: str, redact: Redactor) -> str:
    """A little of foreign text, on one line: without keys, and with what is invisible written out."""
    bare = "".join(char for char in text[:_READ_CHARS] if unicodedata.category(char) not in _INVISIBLE)
    # A key with invisible characters in it is still a key to whoever reads it.
    text = redact(bare) if redact(bare) != bare else redact(text[:_READ_CHARS])
    line = "".join(map(_visible, " ".join(text.split())))
    return line if len(line) <= SHOWN_CHARS else f"{line[: SHOWN_CHARS - 1]}…"


def _sentences(value: Any, depth: int) -> list[str]:
    if isinstance(value, str):
        return [value]
    if depth == 0:
        return []
    if isinstance(value, Mapping):
        # OpenRouter passes another provider's error on under `metadata.raw`.
        inner = [value[key] for key in (*_SENTENCE_KEYS, "metadata", "raw") if key in value]
        return [sentence for part in inner for sentence in _sentences(part, depth - 1)]
    if isinstance(value, list):
        return [sentence for part in value[:3] for sentence in _sentences(part, depth - 1)]
    return []


def _visible(char: str) -> str:
    return f"\\u{ord(char):04x}" if unicodedata.category(char) in _INVISIBLE else char
