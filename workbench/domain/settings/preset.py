"""Settings under a name: what of a chat's is kept, how another chat takes it over, and a file that people read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

from workbench.domain.errors import InvalidInput
from workbench.domain.reading.constraints import Called, Name
from workbench.domain.reading.form import form_of
from workbench.domain.reading.json_text import load_json
from workbench.domain.reading.node import Node
from workbench.domain.settings.overrides import differing
from workbench.domain.settings.preferences import ContextSettings

PresetsFormat = Literal["workbench-presets/1"]
PRESETS_FORMAT: PresetsFormat = "workbench-presets/1"
_LONG = 60


@dataclass(frozen=True, slots=True)
class PresetFile:
    """The whole of such a file: settings by name, in the names of a trajectory's, without tools."""

    form: Annotated[PresetsFormat, Called("format")]
    presets: Mapping[Name, ContextSettings] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SettingChange:
    """One setting that differs, by its name in a trajectory; None where it is not set."""

    name: str
    before: str | None
    after: str | None

    @property
    def is_text(self) -> bool:
        """Whether it is read as a text, line by line."""
        said = (self.before or "", self.after or "")
        return any("\n" in one or len(one) > _LONG for one in said)


def as_preset(settings: ContextSettings) -> ContextSettings:
    """What of a chat's settings means something in another one.

    Tools have side effects and are asked for each time; the ids of messages mean nothing in another chat.
    """
    bare = replace(settings, tools=(), tool_guidelines="")
    return replace(bare, filters=replace(bare.filters, include_only=None))


def applied(preset: ContextSettings, settings: ContextSettings) -> ContextSettings:
    """A chat's settings with a preset in their place; its tools and what is chosen by its messages stay."""
    filters = replace(preset.filters, include_only=settings.filters.include_only)
    return replace(preset, tools=settings.tools, tool_guidelines=settings.tool_guidelines, filters=filters)


def with_persona(settings: ContextSettings, before: str, now: str) -> ContextSettings:
    """The program's own persona is another one with tools than without; one that a person wrote stays."""
    if settings.persona.default != before:
        return settings
    return replace(settings, persona=replace(settings.persona, default=now))


def preset_name(name: str) -> str:
    """A name that can be seen and typed; `InvalidInput` where it is none."""
    shown = " ".join(name.split())
    if not shown:
        raise InvalidInput("name", "a preset needs a name")
    return shown


def free_name(name: str, taken: Mapping[str, object]) -> str:
    """The name, or the same with a number where it is taken."""
    numbered = (f"{name} {number}" for number in range(2, len(taken) + 3))
    return name if name not in taken else next(one for one in numbered if one not in taken)


def setting_changes(before: ContextSettings, after: ContextSettings) -> tuple[SettingChange, ...]:
    """Every setting that is another one, by its name in a trajectory."""
    pairs = differing(before, after)
    return tuple(SettingChange(name, _said(a), _said(b)) for name, a, b in pairs)


def presets_document(presets: Mapping[str, ContextSettings]) -> bytes:
    """The file of some presets."""
    kept = {name: as_preset(settings) for name, settings in presets.items()}
    document = form_of(PresetFile).write(PresetFile(PRESETS_FORMAT, kept))
    for settings in document["presets"].values():
        del settings["tools"], settings["tool_guidelines"], settings["include_only"]
    return (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode()


def read_presets(content: bytes) -> dict[str, ContextSettings]:
    """The presets of a file; `InvalidInput` says what is wrong with it and where."""
    found = form_of(PresetFile).read(Node(load_json(content), ""))
    return {preset_name(name): as_preset(settings) for name, settings in found.presets.items()}


def _said(value: Any) -> str | None:
    if value is None or value == "":
        return None
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
