"""What may stand in the settings file, checked entry by entry, and how preferences are written there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from workbench.domain.app_preferences import Preferences
from workbench.domain.request import Timeouts
from workbench.settings.key_like import Place, cut

Complain = Callable[[Place, str], None]
Seconds = Annotated[float, Field(gt=0, le=86_400)]
Name = Annotated[str, Field(min_length=1)]

# TOML has no null. Where a setting may be none at all (as in: never trim), that is written as false.
_MAY_BE_NONE = {
    ("context_window",), ("reserved_output_tokens",), ("attachment_budget_tokens",), ("include_kinds",),
    ("include_only",), ("history", "threshold"), ("history", "last_n_messages"), ("history", "max_tokens"),
}  # fmt: skip


class _TimeoutsForm(BaseModel):
    model_config = ConfigDict(strict=True)

    connect_s: Seconds = 10.0
    first_token_s: Seconds | None = None
    idle_s: Seconds = 60.0


class _Form(BaseModel):
    """The whole file; every field has the default of `Preferences`."""

    model_config = ConfigDict(strict=True)

    model: Name = "builtin"
    context: dict[str, JsonValue] = {}
    timeouts: _TimeoutsForm = _TimeoutsForm()
    tools_enabled: list[Name] = []
    workspace: str = ""
    max_tool_rounds: Annotated[int, Field(ge=0, le=100)] = 8
    redaction: Literal["off", "warn", "replace"] = "warn"
    persona: str = ""
    servers: dict[Name, Name] = {}
    catalogue: str = ""


def read_form(entries: dict[str, Any], complain: Complain) -> Preferences:
    """The preferences in these entries; what cannot be used is taken out of them, so that its default holds."""
    while True:
        problems = _problems(entries)
        if not problems:
            return _preferences(_Form.model_validate(entries))
        for place, words in problems:
            complain(place, words)
            cut(entries, place)


def check_form(entries: Mapping[str, Any], complain: Complain) -> None:
    """Complain about everything that could not be read back."""
    for place, words in _problems(entries):
        complain(place, words)


def unknown_names(entries: Mapping[str, Any]) -> list[str]:
    """What stands in the file and is no setting."""
    named = [str(name) for name in entries if name not in _Form.model_fields]
    inside = entries.get("timeouts")
    waiting = inside if isinstance(inside, Mapping) else {}
    return named + [f"timeouts.{name}" for name in waiting if name not in _TimeoutsForm.model_fields]


def write_form(preferences: Preferences) -> dict[str, Any]:
    """The entries that these preferences are written as."""
    timeouts = preferences.timeouts
    waiting = {"connect_s": timeouts.connect_s, "idle_s": timeouts.idle_s}
    if timeouts.first_token_s is not None:
        waiting["first_token_s"] = timeouts.first_token_s
    return {
        "model": preferences.model,
        "workspace": preferences.workspace,
        "tools_enabled": list(preferences.tools_enabled),
        "max_tool_rounds": preferences.max_tool_rounds,
        "redaction": preferences.redaction,
        "persona": preferences.persona,
        "catalogue": preferences.catalogue,
        "timeouts": waiting,
        "servers": dict(preferences.servers),
        "context": _without_none(preferences.context),
    }


def _problems(entries: Mapping[str, Any]) -> list[tuple[Place, str]]:
    try:
        _Form.model_validate(entries)
    except ValidationError as found:
        # Without the input: what stands in the file is nobody's business but its owner's.
        errors = found.errors(include_input=False, include_url=False, include_context=False)
        return [(_existing(entries, error["loc"]), _words(error["msg"])) for error in errors]
    return []


def _preferences(form: _Form) -> Preferences:
    waiting = form.timeouts
    return Preferences(
        model=form.model,
        context=_with_none(form.context),
        timeouts=Timeouts(waiting.connect_s, waiting.first_token_s, waiting.idle_s),
        tools_enabled=tuple(form.tools_enabled),
        workspace=form.workspace,
        max_tool_rounds=form.max_tool_rounds,
        redaction=form.redaction,
        persona=form.persona,
        servers=form.servers,
        catalogue=form.catalogue,
    )


def _without_none(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _without_none(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_without_none(inner) for inner in value]
    return False if value is None else value


def _with_none(values: Mapping[str, Any], above: tuple[str, ...] = ()) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in values.items():
        place = (*above, name)
        if isinstance(value, Mapping):
            found[name] = _with_none(value, place)
        else:
            found[name] = None if value is False and place in _MAY_BE_NONE else value
    return found


def _existing(entries: Any, place: Place) -> Place:
    """As much of the place as is in the file: the checker also names the kind of value that it tried."""
    there: list[str | int] = []
    for step in place:
        try:
            entries = entries[step]
        except (KeyError, IndexError, TypeError):
            break
        there.append(step)
    return tuple(there)


def _words(message: str) -> str:
    """The checker's sentence, as ours go on with it."""
    return message[:1].lower() + message[1:]
