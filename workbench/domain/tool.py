"""Tools: how the model is told of them, what a call would do, and what it did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from workbench.domain.reading.constraints import AsJson, Called, Name


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool the model may call; the schema is kept as compact JSON, the form that is counted and sent."""

    name: Name
    description: str = ""
    schema_json: Annotated[str, Called("input_schema"), AsJson()] = "{}"


@dataclass(frozen=True, slots=True)
class ToolPreview:
    """What a call is about to do, for a person to allow or refuse.

    Attributes:
        diff: unified, where a text would change.
        outside: the paths it names outside the workspace's folder, where nothing holds it inside.
        reads: whether it changes nothing; of a server's tool, what the server says.
    """

    summary: str
    diff: str = ""
    outside: tuple[str, ...] = ()
    reads: bool = False


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """What a call gave back.

    Attributes:
        text: what the model is told.
        failed: whether the text says why it did not work.
        undo: JSON values from which the effect can be taken back; None where there was none.
    """

    text: str
    failed: bool = False
    undo: Mapping[str, Any] | None = None
