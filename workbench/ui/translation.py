"""Translation of the strings of a module that has no QObject to ask."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QCoreApplication


def translator(context: str) -> Callable[[str], str]:
    """A function that translates a string in the given context, as `QObject.tr` does in its class."""
    return partial(QCoreApplication.translate, context)
