"""The log and the trace, files that an environment variable names; else a window prints its errors."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.domain.errors import InvalidInput
from workbench.domain.translation import tr
from workbench.ports.tracing import Trace
from workbench.providers.wire.redaction import SecretFilter, quiet_loggers

if TYPE_CHECKING:  # a log is there before the first paint, which needs neither
    from workbench.domain.secrets import Secret
    from workbench.ports.keys import ProviderKeys

VARIABLE, TRACE = "WORKBENCH_LOG", "WORKBENCH_TRACE"


class Log:
    """The program's log, for finding faults; secrets are filtered out."""

    def __init__(self) -> None:
        self._filter = SecretFilter()
        self._close: Callable[[], None] = lambda: None

    def open(self, *, aloud: bool = False) -> bool:
        """Writes to the file that WORKBENCH_LOG names; returns whether it names one.

        If not, errors would be invisible; with `aloud` they go to standard error.
        """
        quiet_loggers()
        place = os.environ.get(VARIABLE)
        if place:
            self._use(logging.getLogger(), _file(place))
            logging.getLogger("workbench").setLevel(logging.INFO)
        else:
            self._use(logging.getLogger("workbench"), _standard_error() if aloud else logging.NullHandler())
        return bool(place)

    def close(self) -> None:
        self._close()
        self._close = lambda: None

    def _use(self, logger: logging.Logger, handler: logging.Handler) -> None:
        handler.addFilter(self._filter)
        logger.addHandler(handler)

        def close() -> None:
            logger.removeHandler(handler)
            handler.close()

        self._close = close

    def masking(self, keys: ProviderKeys, hide: Callable[[str], None]) -> ProviderKeys:
        """Wraps keys so that each one found is from then on masked in the log and in what is sent."""
        return _MaskedKeys(keys, self._filter, hide)


def _file(place: str) -> logging.Handler:
    try:
        Path(place).touch(mode=0o600)
        handler = logging.FileHandler(place, encoding="utf-8")
    except OSError as problem:
        raise InvalidInput(
            VARIABLE, tr("{place} cannot be written: {strerror}", place=place, strerror=problem.strerror)
        ) from problem
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    return handler


def _standard_error() -> logging.Handler:
    """Returns a handler that prints errors that the window does not show."""
    handler = logging.StreamHandler()
    handler.setLevel(logging.ERROR)
    handler.addFilter(lambda record: not getattr(record, "shown", False))
    handler.addFilter(_without_messages)
    return handler


def _without_messages(record: logging.LogRecord) -> bool:
    """Names where an error happened, as a crash report does: desktops write what a program prints to their journal."""
    error = record.exc_info[1] if record.exc_info else None
    if error is not None:
        from workbench.ui.program.crash import error_places  # Qt is loaded by then

        record.exc_text = "\n".join(error_places(error))
    return True


class _MaskedKeys:
    """Registers every key that is found for masking → ProviderKeys."""

    def __init__(self, keys: ProviderKeys, secrets: SecretFilter, hide: Callable[[str], None]) -> None:
        self._keys, self._secrets, self._hide = keys, secrets, hide

    async def find(self, origin: str) -> Secret | None:
        """Returns the key for an origin."""
        key = await self._keys.find(origin)
        self._watch(key)
        return key

    async def keep(self, origin: str, key: Secret | None) -> None:
        """Stores a key, or removes it."""
        self._watch(key)
        await self._keys.keep(origin, key)

    async def origins(self) -> tuple[str, ...]:
        """Returns the origins that have keys."""
        return await self._keys.origins()

    def _watch(self, key: Secret | None) -> None:
        if key:
            self._secrets.know([key])
            self._hide(key.reveal_text())


@contextmanager
def open_trace() -> Iterator[Trace | None]:
    """Opens the trace of the window's steps in the file that WORKBENCH_TRACE names; None where it names none."""
    place = os.environ.get(TRACE)
    if not place:
        yield None
        return
    from workbench.sources.trace_file import ChromeTrace

    try:
        trace = ChromeTrace(Path(place))
    except OSError as problem:
        raise InvalidInput(
            TRACE, tr("{place} cannot be written: {strerror}", place=place, strerror=problem.strerror)
        ) from problem
    with closing(trace):
        yield trace
