"""Strings are looked up in the context of their module."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QTranslator
from PySide6.QtWidgets import QApplication

from workbench.ui.translation import translator


class _Dictionary(QTranslator):
    def isEmpty(self) -> bool:
        return False

    def translate(self, context: str, text: str, _disambiguation: str = "", _n: int = -1) -> str:  # type: ignore[override]
        return "Senden" if (context, text) == ("Composer", "Send") else text


def test_a_string_is_translated_in_its_own_context(qapp: QApplication) -> None:
    dictionary = _Dictionary()
    QCoreApplication.installTranslator(dictionary)
    try:
        assert (translator("Composer")("Send"), translator("Letter")("Send")) == ("Senden", "Send")
    finally:
        QCoreApplication.removeTranslator(dictionary)
