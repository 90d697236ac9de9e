"""Presets of `workbench ask`: what a new chat starts from, and what is saved of a chat."""

from __future__ import annotations

from dataclasses import dataclass, replace

from workbench.cli.open_history import has_store
from workbench.cli.services import Services
from workbench.cli.terminal import tell, visible_line
from workbench.domain.errors import InvalidInput
from workbench.domain.settings.preferences import ContextSettings
from workbench.domain.settings.preset import as_preset, with_persona
from workbench.ports.history import HistoryStore


@dataclass(frozen=True, slots=True)
class Wanted:
    """The preset that a new chat shall start from, and where it was named."""

    name: str
    where: str


def wanted_preset(asked: str | None, services: Services) -> Wanted | None:
    """The one asked for, else the one in the settings file; an empty name asks for none.

    Refused before a store is made: one that is not there has no presets.
    """
    wanted = Wanted(services.new_chat_preset(), "persona") if asked is None else Wanted(asked, "--preset")
    if not wanted.name:
        return None
    if not has_store(services):
        raise _unknown(wanted, ())
    return wanted


async def start_from(wanted: Wanted, store: HistoryStore, services: Services, tools: bool) -> ContextSettings:
    """The settings of a new chat that starts from a preset, with the tools this call asks for and no others."""
    presets = await store.presets()
    if wanted.name not in presets:
        raise _unknown(wanted, tuple(presets))
    plain, fresh = services.new_chat_settings(False), services.new_chat_settings(tools)
    tooling = fresh if tools else ContextSettings()
    preset = replace(presets[wanted.name], tools=tooling.tools, tool_guidelines=tooling.tool_guidelines)
    return with_persona(preset, plain.persona.default, fresh.persona.default)


async def keep_preset(name: str, chat: str, store: HistoryStore, services: Services, tools: bool) -> None:
    """Keep a chat's settings under a name, in place of what was kept there."""
    kept = name in await store.presets()
    settings = (await store.chat(chat)).settings
    plain, fresh = services.new_chat_settings(False), services.new_chat_settings(tools)
    settings = as_preset(settings)
    await store.save_preset(name, with_persona(settings, fresh.persona.default, plain.persona.default))
    tell(f"workbench: the preset {visible_line(name)} {'was replaced' if kept else 'is kept'}")


def _unknown(wanted: Wanted, known: tuple[str, ...]) -> InvalidInput:
    names = ", ".join(map(visible_line, known)) or "none yet; `ask --save-preset NAME` keeps one"
    named = "" if wanted.where == "--preset" else ", which the settings file names"
    return InvalidInput(
        wanted.where, f"there is no preset {visible_line(wanted.name)!r}{named}; known: {names}"
    )
