"""A variant: a named patch of settings and attachments under which the same requests are built."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from workbench.domain.errors import InvalidInput
from workbench.domain.files.attachment import PRIORITY_ESSENTIAL, PRIORITY_LOW, Artifact
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.settings.preset import apply_overrides, differing, parse_override
from workbench.domain.translation import tr
from workbench.domain.turn import TurnInputs

MOST_VARIANTS = 6
AS_SENT, NEXT = tr("As sent"), tr("Next request")
"""What the request is called that variants stand beside: a sent one, or one that is not sent yet."""
INSTRUCTIONS = "persona.user"
"""The setting that `instructions` is short for: the chat's own instructions."""
_NEXT = re.compile(r",(?=\s*[a-z_]+(?:\.[^=,]+)?=)")


@dataclass(frozen=True, slots=True)
class Variant:
    """A patch: settings by name, priorities of artifacts, and which of them are attached.

    Attributes:
        name: what its column is called.
        settings: values by the names that `--set` takes.
        priorities: by the artifact's key. attached: False leaves an artifact out, True puts one back.
    """

    name: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    priorities: Mapping[str, int] = field(default_factory=dict)
    attached: Mapping[str, bool] = field(default_factory=dict)

    @property
    def patch(self) -> tuple[tuple[str, str], ...]:
        """What it changes, by name, as the user would write it."""
        said = [(name, str(value)) for name, value in self.settings.items()]
        said += [(f"priority.{key}", str(value)) for key, value in self.priorities.items()]
        return (*said, *((f"attach.{key}", "in" if on else "out") for key, on in self.attached.items()))

    def apply_to_settings(self, settings: ContextSettings) -> ContextSettings:
        """The settings with its own on top; `InvalidInput` names one that cannot be set."""
        return apply_overrides(settings, self.settings)

    def apply_to(self, inputs: TurnInputs, settings: ContextSettings | None = None) -> TurnInputs:
        """A turn's inputs, patched; the caller sets the model's card.

        `settings` may pass the patched settings, where they are known.
        """
        excluded = inputs.tuning.excluded
        out = frozenset(key for key, on in self.attached.items() if not on)
        back = frozenset(key for key, on in self.attached.items() if on)
        tuning = replace(inputs.tuning, excluded=(excluded | out) - back) if self.attached else inputs.tuning
        attached = tuple(map(self._ranked, inputs.attached)) if self.priorities else inputs.attached
        settings = self.apply_to_settings(inputs.settings) if settings is None else settings
        return replace(inputs, settings=settings, tuning=tuning, attached=attached)

    def with_full_keys(self, keys: Collection[str]) -> Variant:
        """The variant with full artifact keys; `InvalidInput` where it names something that is not attached."""
        named = {name: _full(name, keys) for name in (*self.priorities, *self.attached)}
        return replace(
            self,
            priorities={named[name]: value for name, value in self.priorities.items()},
            attached={named[name]: on for name, on in self.attached.items()},
        )

    def _ranked(self, artifact: Artifact) -> Artifact:
        wanted = self.priorities.get(artifact.key)
        return artifact if wanted is None else replace(artifact, priority=wanted, essential=wanted == 0)


def variant_between(name: str, before: ContextSettings, after: ContextSettings) -> Variant:
    """The variant that changes one set of settings into another."""
    return Variant(name, {key: value for key, _, value in differing(before, after)})


def parse_variant(text: str) -> Variant:
    """Parse a variant: NAME=KEY=VALUE,KEY=VALUE."""
    name, equals, rest = text.partition("=")
    if not name.strip() or not equals or "=" not in rest:
        raise InvalidInput("--variant", tr("expected NAME=KEY=VALUE,…, got {text!r}", text=text))
    settings: dict[str, Any] = {}
    priorities: dict[str, int] = {}
    attached: dict[str, bool] = {}
    for part in _NEXT.split(rest):
        key, _, value = part.strip().partition("=")
        kind, _, subject = key.partition(".")
        if kind == "priority" and subject:
            priorities[subject] = _priority(subject, value)
        elif kind == "attach" and subject:
            attached[subject] = _is_in(subject, value)
        else:
            key = INSTRUCTIONS if key == "instructions" else key
            settings |= [parse_override(f"{key}={value}")]
    variant = Variant(name.strip(), settings, priorities, attached)
    variant.apply_to_settings(ContextSettings())  # a wrong name is said before anything is built
    return variant


def _full(name: str, keys: Collection[str]) -> str:
    """The key that a name means: itself, or the only one that ends with it."""
    found = [key for key in keys if key == name] or [key for key in keys if key.endswith(f"/{name}")]
    if len(found) == 1:
        return found[0]
    if found:
        raise InvalidInput(name, tr("{n} attachments end so; give more of the path", n=len(found)))
    there = ", ".join(sorted(keys)) or "nothing"
    raise InvalidInput(name, tr("not attached in this chat; attached: {there}", there=there))


def _priority(key: str, value: str) -> int:
    if value.isascii() and value.isdigit() and PRIORITY_ESSENTIAL <= int(value) <= PRIORITY_LOW:
        return int(value)
    raise InvalidInput(
        "--variant", tr("priority.{key} is a number from 0 to 10, not {value!r}", key=key, value=value)
    )


def _is_in(key: str, value: str) -> bool:
    if value in ("in", "out"):
        return value == "in"
    raise InvalidInput("--variant", tr("attach.{key} is in or out, not {value!r}", key=key, value=value))
