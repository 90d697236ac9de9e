"""Logs without secrets."""

from __future__ import annotations

import logging
import sys

from workbench.domain.secrets import Secret
from workbench.providers.wire.redaction import CHATTY_LOGGERS, SecretFilter, quiet_loggers

KEY = "canary-7f3a9c51e0b2d846aa0917"


def test_the_clients_loggers_speak_from_warning_on():
    logging.getLogger("openai").setLevel(logging.DEBUG)
    quiet_loggers()
    assert {logging.getLogger(name).level for name in CHATTY_LOGGERS} == {logging.WARNING}
    assert not logging.getLogger("openai._base_client").isEnabledFor(logging.INFO)


def test_known_secrets_are_replaced_in_messages_arguments_and_tracebacks():
    guard = SecretFilter()
    guard.know([Secret.of_text(KEY)])
    try:
        raise ValueError(f"with {KEY}")
    except ValueError:
        record = logging.LogRecord("x", logging.ERROR, "f.py", 1, "%s and %s", (KEY, 7), sys.exc_info())
    record.stack_info = f"stack {KEY}"
    assert guard.filter(record)
    written = logging.Formatter().format(record)
    assert KEY not in written
    assert record.getMessage() == "[key] and 7"
    assert "ValueError: with [key]" in written


def test_a_secret_that_comes_later_is_known_too():
    guard = SecretFilter()
    guard.know([Secret.of_text(KEY)])
    guard.know([Secret.of_text("another-secret-value")])
    record = logging.LogRecord("x", logging.INFO, "f.py", 1, f"{KEY} another-secret-value", None, None)
    guard.filter(record)
    assert record.getMessage() == "[key] [key]"


def test_a_record_without_a_secret_stays_as_it_is():
    record = logging.LogRecord("x", logging.INFO, "f.py", 1, "a %s", ("b",), None)
    assert SecretFilter().filter(record)
    assert record.getMessage() == "a b"
