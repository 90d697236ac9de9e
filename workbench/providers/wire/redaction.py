"""Removes secrets from text: by value, in pieces, and by what keys look like; and keeps them out of logs."""

from __future__ import annotations

import base64
import logging
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, get_args

from workbench.domain.provider import Interface

if TYPE_CHECKING:
    from workbench.domain.secrets import Secret

PLACEHOLDER = "[key]"
# Shorter values are placeholders such as "none": replacing them would garble every sentence.
_SHORTEST_CHARS = 6
# A server may echo the beginning or the end of a key; so many characters in a row are taken for a part of it.
_PIECE_CHARS = 8
_LOOKS_LIKE_A_KEY = re.compile(
    r"(?i)\b(?:bearer|basic)\s+[^\s\"'<>,;]{4,}"
    r"|\b(?:sk|pk|rk|gsk|xai|hf|nvapi|glpat|ghp)[-_][\w.*•…-]{2,}"
    r"|\bAIza[\w*-]{4,}"
)


class Redactor:
    """Replaces known secrets, and what looks like a key, by a placeholder."""

    def __init__(self, secrets: Iterable[Secret] = ()) -> None:
        values = {form for secret in secrets if secret for form in _forms(secret)}
        known = sorted((value for value in values if len(value) >= _SHORTEST_CHARS), key=len, reverse=True)
        self._whole = re.compile("|".join(map(re.escape, known))) if known else None
        self._pieces = {
            value[start : start + _PIECE_CHARS]
            for value in known
            if len(value) >= 2 * _PIECE_CHARS
            for start in range(len(value) - _PIECE_CHARS + 1)
        }

    def __call__(self, text: str) -> str:
        """Returns the text without secrets."""
        if self._whole is not None:
            text = self._whole.sub(PLACEHOLDER, text)
        return _LOOKS_LIKE_A_KEY.sub(PLACEHOLDER, self._without_pieces(text))

    def _without_pieces(self, text: str) -> str:
        last = len(text) - _PIECE_CHARS if self._pieces else -1
        starts = [at for at in range(last + 1) if text[at : at + _PIECE_CHARS] in self._pieces]
        if not starts:
            return text
        hidden = {at for start in starts for at in range(start, start + _PIECE_CHARS)}
        kept = ("\0" if at in hidden else char for at, char in enumerate(text))
        return re.sub("\0+", PLACEHOLDER, "".join(kept))


def _forms(secret: Secret) -> tuple[str, ...]:
    """Returns the secret as it is, and encoded as in a URL or a header."""
    from urllib.parse import quote

    text = secret.reveal().decode("utf-8", "replace").strip()
    encoded = base64.b64encode(secret.reveal().strip()).decode("ascii")
    return text, quote(text, safe=""), encoded


# Logs without secrets: the clients' own chatter is turned off, and known values are replaced in what is
# left.

# They write whole URLs, headers and, at DEBUG, prompts. A vendor's library is called as its interface is here.
CHATTY_LOGGERS = ("httpx", "httpx2", "httpcore", "httpcore2", *get_args(Interface))


def quiet_loggers() -> None:
    """Sets the loggers of HTTP and vendors' libraries to WARNING; called again after imports that may undo it."""
    for name in CHATTY_LOGGERS:
        logging.getLogger(name).setLevel(logging.WARNING)


class SecretFilter(logging.Filter):
    """A log filter that removes known secrets from every record, including its traceback."""

    def __init__(self) -> None:
        super().__init__()
        self._secrets: list[Secret] = []
        self._redact = Redactor()

    def know(self, secrets: Iterable[Secret]) -> None:
        """Adds secrets to remove from now on."""
        self._secrets.extend(secrets)
        self._redact = Redactor(self._secrets)

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrites the record; drops none."""
        record.msg, record.args = self._redact(record.getMessage()), None
        if record.exc_info and not record.exc_text:
            record.exc_text = logging.Formatter().formatException(record.exc_info)
        if record.exc_text:
            record.exc_text = self._redact(record.exc_text)
        if record.stack_info:
            record.stack_info = self._redact(record.stack_info)
        return True
