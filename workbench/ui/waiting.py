"""Awaits the user's actions in dialogs, without a second event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from PySide6.QtCore import QMetaObject, SignalInstance
from PySide6.QtWidgets import QDialog


async def first_of(**signals: SignalInstance) -> tuple[str, tuple[Any, ...]]:
    """Wait for the first of several signals; returns its keyword and its arguments."""
    heard: asyncio.Future[tuple[str, tuple[Any, ...]]] = asyncio.get_running_loop().create_future()

    def hears(name: str) -> Callable[..., None]:
        def note(*args: Any) -> None:
            if not heard.done():
                heard.set_result((name, args))

        return note

    held: list[tuple[SignalInstance, QMetaObject.Connection]] = [
        (signal, signal.connect(hears(name))) for name, signal in signals.items()
    ]
    try:
        return await heard
    finally:
        for signal, connection in held:
            signal.disconnect(connection)


@contextmanager
def opened(dialog: QDialog) -> Iterator[None]:
    """Keep a dialog open while the body of the `with` waits for it."""
    dialog.open()
    try:
        yield
    finally:
        dialog.accept()  # not close: that is the person's way to leave, and keeps the veil
        dialog.deleteLater()
