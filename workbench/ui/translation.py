"""Translation of the strings of a module that has no QObject to ask, and of tables."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QCoreApplication


def translator(context: str) -> Callable[[str], str]:
    """A function that translates a string in the given context, as `QObject.tr` does in its class."""
    return partial(QCoreApplication.translate, context)


def N_(text: str) -> str:
    """Mark a string of a table, as in gettext: it is translated where it is used."""
    return text
