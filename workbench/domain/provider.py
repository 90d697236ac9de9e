"""The table of model providers, which everything that lists, names or asks them follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Interface = Literal["local", "scripted", "ollama", "openai", "anthropic", "gemini", "completion"]
"""How a model is asked: within this program, or in a server's protocol; `providers/named_models.py` has them."""


@dataclass(frozen=True, slots=True)
class Provider:
    """A provider of models, by the prefix of their names.

    Attributes:
        name: the prefix; the whole name where nothing follows it.
        form: what follows the prefix.
        place: on this computer, at a vendor that wants a key, or wherever the address in the name leads.
        title: its name for people; empty where it is not listed by itself.
        url: its own address; empty where it has none.
        gateway: the setting with an address to use in place of its own (`Preferences`); empty where there is none.
    """

    name: str
    interface: Interface
    form: Literal["", "PATH", "FILE", "NAME", "NAME@URL", "URL#NAME"]
    place: Literal["here", "hosted", "anywhere"]
    title: str = ""
    url: str = ""
    gateway: str = ""

    @property
    def example(self) -> str:
        """The form of its models' names, at its shortest."""
        return f"{self.name}:{self.form.partition('@')[0]}" if self.form else self.name


PROVIDERS = (
    Provider("builtin", "local", "", "here"),
    Provider("gguf", "local", "PATH", "here"),
    Provider("ollama", "ollama", "NAME@URL", "here", "Ollama", "http://127.0.0.1:11434"),
    Provider("openai", "openai", "NAME", "hosted", "OpenAI", "https://api.openai.com", "openai_url"),
    Provider("anthropic", "anthropic", "NAME", "hosted", "Anthropic", "https://api.anthropic.com", "anthropic_url"),
    Provider("gemini", "gemini", "NAME", "hosted", "Gemini", "https://generativelanguage.googleapis.com", "gemini_url"),
    Provider("server", "openai", "URL#NAME", "anywhere"),
    Provider("completion", "completion", "URL#NAME", "anywhere"),
    Provider("scripted", "scripted", "FILE", "here"),
)  # fmt: skip

BY_NAME = {one.name: one for one in PROVIDERS}
HOSTED = tuple(one for one in PROVIDERS if one.place == "hosted")
KEYED = tuple(one.name for one in HOSTED)
"""The names of those that require a key."""

RUN_HERE = frozenset(one.name for one in PROVIDERS if one.place == "here")


def provider_of(model: str) -> Provider | None:
    """The provider of a model, by the prefix of its name."""
    return BY_NAME.get(model.partition(":")[0])
