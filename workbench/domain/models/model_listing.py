"""A model as it is offered: its name, what is known about it, and whether it can be used now."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.domain.models.model import ModelCard


@dataclass(frozen=True, slots=True)
class ModelListing:
    """One line of a model picker; `advice` says what to do where it cannot be used now.

    Without a card the line stands for all models of a server (`openai:NAME`): what is known of them differs. `server`
    is whether the user gave its address; `via` is the proxy that it is asked through, if any.
    """

    name: str
    card: ModelCard | None
    usable: bool
    advice: str = ""
    server: bool = False
    via: str = ""


@dataclass(frozen=True, slots=True)
class ServerLook:
    """Whether a place that has models answers; `found` is what was seen, `advice` what to do where it does not.

    Attributes:
        name: builtin, ollama, a hosted provider's name, or the name that the user gave a server.
        asked: whether it was asked; the others are only listed.
        keyless: whether it answers only with a key, and none is kept for it.
    """

    name: str
    usable: bool
    found: str
    advice: str = ""
    asked: bool = True
    keyless: bool = False
