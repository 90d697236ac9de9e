"""The window as its own tests have it: our look, English, nothing left open."""

from __future__ import annotations

from tests.ui.conftest import _appearance, appearance, let_go, qapp, same_surroundings

__all__ = ["_appearance", "appearance", "let_go", "qapp", "same_surroundings"]
