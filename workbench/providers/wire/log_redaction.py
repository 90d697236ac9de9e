"""Logs without secrets: the clients' own chatter is turned off, and known values are replaced in what is left."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from workbench.domain.secret import Secret
from workbench.providers.wire.redaction import Redactor

# They write whole URLs, headers and, at DEBUG, prompts.
CHATTY_LOGGERS = ("httpx", "httpx2", "httpcore", "httpcore2", "openai", "anthropic", "ollama")


def quiet_loggers() -> None:
    """Let the clients' loggers speak from WARNING on; called again after an import that may have undone it."""
    for name in CHATTY_LOGGERS:
        logging.getLogger(name).setLevel(logging.WARNING)


class SecretFilter(logging.Filter):
    """Put on a handler: every record it writes is without the known secrets, its traceback included."""

    def __init__(self) -> None:
        super().__init__()
        self._secrets: list[Secret] = []
        self._redact = Redactor()

    def know(self, secrets: Iterable[Secret]) -> None:
        """Replace these from now on, too."""
        self._secrets.extend(secrets)
        self._redact = Redactor(self._secrets)

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrite the record; nothing is dropped."""
        record.msg, record.args = self._redact(record.getMessage()), None
        if record.exc_info and not record.exc_text:
            record.exc_text = logging.Formatter().formatException(record.exc_info)
        if record.exc_text:
            record.exc_text = self._redact(record.exc_text)
        if record.stack_info:
            record.stack_info = self._redact(record.stack_info)
        return True
