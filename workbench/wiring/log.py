"""The log and the trace, where somebody asked for them: files without secrets; else a window says its errors aloud."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.domain.errors import InvalidInput
from workbench.ports.tracing import Trace
from workbench.providers.wire.redaction import SecretFilter, quiet_loggers

if TYPE_CHECKING:  # a log is there before the first paint, which needs neither
    from workbench.domain.secrets import Secret
    from workbench.ports.keys import ProviderKeys

VARIABLE, TRACE = "WORKBENCH_LOG", "WORKBENCH_TRACE"


class Log:
    """Where the program writes what it does, for whoever looks for a fault."""

    def __init__(self) -> None:
        self._filter = SecretFilter()
        self._close: Callable[[], None] = lambda: None

    def open(self, *, aloud: bool = False) -> bool:
        """Write to the file that the environment names; whether it names one.

        Where it does not, errors that nobody is shown are nowhere to be seen; `aloud` they go to standard error.
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

    def watching(self, keys: ProviderKeys, hide: Callable[[str], None]) -> ProviderKeys:
        """The same keys; each that is found is kept out of the log, and out of what is sent, from then on."""
        return _WatchedKeys(keys, self._filter, hide)


def _file(place: str) -> logging.Handler:
    try:
        Path(place).touch(mode=0o600)
        handler = logging.FileHandler(place, encoding="utf-8")
    except OSError as problem:
        raise InvalidInput(VARIABLE, f"{place} cannot be written: {problem.strerror}") from problem
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    return handler


def _standard_error() -> logging.Handler:
    """For errors that are not shown in the window."""
    handler = logging.StreamHandler()
    handler.setLevel(logging.ERROR)
    handler.addFilter(lambda record: not getattr(record, "shown", False))
    return handler


class _WatchedKeys:
    """Tells of every key that is found → ProviderKeys."""

    def __init__(self, keys: ProviderKeys, secrets: SecretFilter, hide: Callable[[str], None]) -> None:
        self._keys, self._secrets, self._hide = keys, secrets, hide

    async def find(self, origin: str) -> Secret | None:
        """The key for that origin."""
        key = await self._keys.find(origin)
        self._watch(key)
        return key

    async def keep(self, origin: str, key: Secret | None) -> None:
        """Keep a key, or forget it."""
        self._watch(key)
        await self._keys.keep(origin, key)

    async def origins(self) -> tuple[str, ...]:
        """For which origins there are keys."""
        return await self._keys.origins()

    def _watch(self, key: Secret | None) -> None:
        if key:
            self._secrets.know([key])
            self._hide(key.reveal_text())


@contextmanager
def opened_trace() -> Iterator[Trace | None]:
    """What takes note of each step of the window, into the file that the environment names."""
    place = os.environ.get(TRACE)
    if not place:
        yield None
        return
    from workbench.sources.trace_file import ChromeTrace

    try:
        trace = ChromeTrace(Path(place))
    except OSError as problem:
        raise InvalidInput(TRACE, f"{place} cannot be written: {problem.strerror}") from problem
    with closing(trace):
        yield trace
