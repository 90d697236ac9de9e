"""Presets: named settings, how a chat takes them over, and their file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import reduce
from typing import Annotated, Any, Literal, NoReturn, TypeVar

from workbench.domain.errors import InvalidInput
from workbench.domain.reading.constraints import Called, Name
from workbench.domain.reading.form import Kind, form_of
from workbench.domain.reading.json_text import json_or_text, load_json
from workbench.domain.reading.node import Node, join_path, show
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.translation import tr

# Settings of a request by their dotted names: read from a document, or set one by one.


_MOST_NEAR, _ALIKE = 3, 0.75
S = TypeVar("S", bound=ContextSettings)


def _keys(made: type[ContextSettings] = ContextSettings) -> dict[str, Kind]:
    """The names that `--set` takes."""
    return {".".join(place): kind for place, kind in form_of(made).places()}


def merge_settings(base: S, node: Node) -> S:
    """The base settings overridden by those given; nested objects merge."""
    return form_of(type(base)).read(node, base)


def merge_preferences(base: S, context: Mapping[str, Any]) -> S:
    """The base settings with the user's preferences on top; errors have the path in the settings file."""
    return merge_settings(base, Node(dict(context), "context")) if context else base


def parse_override(text: str) -> tuple[str, object]:
    """Split "KEY=VALUE"; the value is JSON where it parses as such, and a plain string otherwise."""
    key, equals, written = text.partition("=")
    if not equals or not key.strip():
        raise InvalidInput("--set", tr("expected KEY=VALUE, got {show}", show=show(text)))
    key = key.strip()
    value = json_or_text(written)
    # A model called 4 or a prompt that says true is text all the same.
    kind = _keys().get(key)
    return key, written if kind is not None and kind.is_text and not isinstance(value, str) else value


def apply_overrides(settings: S, overrides: Mapping[str, object]) -> S:
    """The settings with every override on top, in the order given."""
    for key, value in overrides.items():
        if key not in _keys(type(settings)):
            _refuse_unknown(key)
        inside: object = value
        for name in reversed(key.split(".")):
            inside = {name: inside}
        settings = merge_settings(settings, Node(inside, "settings"))
    return settings


def settings_by_name(settings: ContextSettings) -> dict[str, Any]:
    """Every setting that is not a table, by the name that `--set` takes, as written in a document."""
    form = form_of(ContextSettings)
    document = form.write(settings)
    places = (place for place, kind in form.places() if kind.form is None)
    return {".".join(place): reduce(lambda table, name: table[name], place, document) for place in places}


def differing(before: ContextSettings, after: ContextSettings) -> Iterator[tuple[str, Any, Any]]:
    """Every setting that differs, by name: its value before and after, as written in a document."""
    new = settings_by_name(after)
    return ((name, old, new[name]) for name, old in settings_by_name(before).items() if old != new[name])


def _refuse_unknown(key: str) -> NoReturn:
    path = f"settings.{key}" if key.isprintable() and len(key) <= 60 else join_path("settings", key)
    raise InvalidInput(
        path, tr("unknown setting;{near} `workbench settings keys` lists them", near=_near(key))
    )


def _near(key: str) -> str:
    """Hints for an unknown name: settings of a similar name, or of this name in another table."""
    last = key.rpartition(".")[2]
    same = [one for one in _keys() if last and one.rpartition(".")[2] == last]
    same += [one for one, kind in _keys().items() if kind.form is None and key.startswith(f"{one}.")]
    near = list(dict.fromkeys([*same, *get_close_matches(key, _keys(), n=_MOST_NEAR, cutoff=_ALIKE)]))
    return tr(" did you mean {map}?", map=" or ".join(map(show, near[:_MOST_NEAR]))) if near else ""


PresetsFormat = Literal["workbench-presets/1"]
PRESETS_FORMAT: PresetsFormat = "workbench-presets/1"
_LONG = 60


@dataclass(frozen=True, slots=True)
class PresetFile:
    """The contents of a preset file: settings by preset name, without tools."""

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
        """Whether it is compared as a text, line by line."""
        said = (self.before or "", self.after or "")
        return any("\n" in one or len(one) > _LONG for one in said)


def as_preset(settings: ContextSettings) -> ContextSettings:
    """A chat's settings reduced to what is meaningful in another chat.

    Without tools, which have side effects and need consent each time, and without ids of messages.
    """
    bare = replace(settings, tools=(), tool_guidelines="")
    return replace(bare, filters=replace(bare.filters, include_only=None))


def applied(preset: ContextSettings, settings: ContextSettings) -> ContextSettings:
    """A preset applied to a chat's settings; the chat's tools and what refers to its messages stay."""
    filters = replace(preset.filters, include_only=settings.filters.include_only)
    return replace(preset, tools=settings.tools, tool_guidelines=settings.tool_guidelines, filters=filters)


def with_persona(settings: ContextSettings, before: str, now: str) -> ContextSettings:
    """The settings with the default persona exchanged, which differs with and without tools; the user's own stays."""
    if settings.persona.default != before:
        return settings
    return replace(settings, persona=replace(settings.persona, default=now))


def preset_name(name: str) -> str:
    """A valid preset name, visible and typable; `InvalidInput` where it is not."""
    shown = " ".join(name.split())
    if not shown:
        raise InvalidInput("name", tr("a preset needs a name"))
    return shown


def free_name(name: str, taken: Mapping[str, object]) -> str:
    """The name, with a number where it is taken."""
    numbered = (f"{name} {number}" for number in range(2, len(taken) + 3))
    return name if name not in taken else next(one for one in numbered if one not in taken)


def setting_changes(before: ContextSettings, after: ContextSettings) -> tuple[SettingChange, ...]:
    """Every setting that differs, by its name in a trajectory."""
    pairs = differing(before, after)
    return tuple(SettingChange(name, _shown_value(a), _shown_value(b)) for name, a, b in pairs)


def presets_document(presets: Mapping[str, ContextSettings]) -> bytes:
    """The file with these presets."""
    kept = {name: as_preset(settings) for name, settings in presets.items()}
    document = form_of(PresetFile).write(PresetFile(PRESETS_FORMAT, kept))
    for settings in document["presets"].values():
        del settings["tools"], settings["tool_guidelines"], settings["include_only"]
    return (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode()


def read_presets(content: bytes) -> dict[str, ContextSettings]:
    """The presets of a file; `InvalidInput` says what is wrong with it and where."""
    found = form_of(PresetFile).read(Node(load_json(content), ""))
    return {preset_name(name): as_preset(settings) for name, settings in found.presets.items()}


def _shown_value(value: Any) -> str | None:
    if value is None or value == "":
        return None
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
