"""How a setting is shown, declared beside its field, for Settings, What if, Compare and a chat's popup.

Texts are marked with `N_` and translated where they are shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field, fields, replace
from functools import reduce
from typing import Any, Literal, NamedTuple, TypeVar

from workbench.domain.reading.form import form_of
from workbench.domain.translation import N_

T = TypeVar("T")
Group = Literal["request", "history", "recall", "cache"]
GROUPS: Mapping[Group, str] = {
    "request": "",
    "history": N_("History"),
    "recall": N_("Recall"),
    "cache": N_("The provider’s cache"),
}
"""The cards of the page in Settings, from top to bottom, with their headings."""
LAST = 99
_CONTROL = "control"


class Words(NamedTuple):
    """A label and a sentence about it."""

    label: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class WhatIf:
    """How a setting is tried in What if: a number by a slider, anything else by a menu.

    Attributes:
        place: its position, four in a row; the first row is always visible.
        low, high: the ends of the slider; without `high` it is a number of tokens, up to what there is room for.
        choices: what each value is called, and what it does.
    """

    label: str
    hint: str
    _: KW_ONLY
    place: int = LAST
    low: int = 0
    high: int | None = None
    choices: Mapping[Any, Words] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Control:
    """How people see and change a setting.

    Attributes:
        label, hint: in Settings; without a label it is not there. group, place: on which card, and where on it.
        unset: what None is called. choices: what each value is called, where there are a few.
        most, step: the largest number that can be typed, and how far an arrow goes. percent: whether it is a share.
        needs: the name of the switch without which it changes nothing.
        in_chat: makes it one of the settings of a chat; its words there, where they are others than in Settings.
        what_if: how it is tried out, where it is.
        changed, cleared: what a variant says that has another value, or None: `trim at {value}`, `no trimming`.
    """

    label: str = ""
    hint: str = ""
    _: KW_ONLY
    group: Group = "request"
    place: int = LAST
    unset: str = ""
    choices: Mapping[str, str] = field(default_factory=dict)
    most: int = 1_000_000
    step: int = 1
    percent: bool = False
    needs: str = ""
    in_chat: Words | None = None
    what_if: WhatIf | None = None
    changed: str = ""
    cleared: str = ""


def setting(default: T, control: Control) -> T:
    """A dataclass field with its control."""
    made: T = field(default=default, metadata={_CONTROL: control})
    return made


@dataclass(frozen=True, slots=True)
class Setting:
    """A shown field: its name for `--set`, and its attribute path from the outermost dataclass."""

    name: str
    path: tuple[str, ...]
    default: Any
    optional: bool
    control: Control

    @property
    def is_switch(self) -> bool:
        """Whether it is a boolean."""
        return isinstance(self.default, bool)

    def value(self, settings: object) -> Any:
        """Its value in the given settings."""
        return reduce(getattr, self.path, settings)

    def with_value(self, settings: T, value: object) -> T:
        """The settings with this one changed."""
        owners: list[Any] = [settings]
        for attribute in self.path[:-1]:
            owners.append(getattr(owners[-1], attribute))
        changed: Any = value
        for owner, attribute in zip(reversed(owners), reversed(self.path), strict=True):
            changed = replace(owner, **{attribute: changed})
        made: T = changed
        return made

    def shown(self, value: Any) -> Any:
        """A stored value as people read it: a fraction in percent."""
        return round(value * 100) if self.control.percent and value is not None else value

    def stored(self, shown: Any) -> Any:
        """The stored value for what people read."""
        return shown / 100 if self.control.percent and shown is not None else shown


def settings_of(made: type) -> tuple[Setting, ...]:
    """All shown fields of a settings dataclass and of nested ones, in the order of declaration."""
    by_name = {one.name: one for one in fields(made)}
    found: list[Setting] = []
    for entry in form_of(made).entries:
        if entry.kind.form is not None:
            before = "" if entry.inline else f"{entry.name}."
            inner = settings_of(entry.kind.form.made)
            found += (
                replace(one, name=before + one.name, path=(entry.attribute, *one.path)) for one in inner
            )
        declared = by_name[entry.attribute]
        control = declared.metadata.get(_CONTROL)
        if control is not None:
            path = (entry.attribute,)
            found.append(Setting(entry.name, path, declared.default, entry.kind.may_be_none, control))
    return tuple(found)
