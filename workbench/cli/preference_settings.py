"""The settings of a new chat as the user prefers them, in the names of a trajectory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.cli.replay.reading import Node
from workbench.cli.replay.settings import merge_settings
from workbench.domain.preferences import ContextSettings


def merge_preferences(base: ContextSettings, context: Mapping[str, Any]) -> ContextSettings:
    """The base with what is preferred on top; what is wrong is said with its path in the settings file."""
    return merge_settings(base, Node(dict(context), "context")) if context else base
