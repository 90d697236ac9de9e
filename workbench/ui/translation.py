"""Translation for modules without a `QObject`, and for tables of strings."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QCoreApplication

from workbench.domain.text import N_

__all__ = ("N_", "setting_tr", "translator")


def translator(context: str) -> Callable[[str], str]:
    """A function that translates strings in a context, as `QObject.tr` does in its class."""
    return partial(QCoreApplication.translate, context)


setting_tr = translator("Setting")
"""Translates the texts declared beside a setting (`domain/settings/control.py`)."""
