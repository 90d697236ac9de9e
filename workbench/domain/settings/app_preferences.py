"""The program's preferences, in a file that can be edited by hand, without any secret.

The class declares that file (`reading/form.py`): plain entries come before tables, as TOML requires.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from workbench.domain.errors import InvalidInput
from workbench.domain.files.attached import AttachLimits
from workbench.domain.model import ModelFacts, session_problem
from workbench.domain.provider import HOSTED
from workbench.domain.reading.constraints import Between, Name, Sound
from workbench.domain.request import Timeouts
from workbench.domain.spending import SpendCaps
from workbench.domain.translation import tr
from workbench.domain.watch.request import WatchLimits

SessionWay = Annotated[str, Sound(session_problem)]
Language = Literal["", "en", "de", "zh_CN"]
Redaction = Literal["off", "warn", "replace"]
SYSTEM_PROXY = "system"


@dataclass(frozen=True, slots=True)
class Preferences:
    """The defaults that apply unless a chat or a command overrides them.

    Attributes:
        model: the model of a new chat.
        context: settings of a new chat by the names of a trajectory's; JSON values, checked where they are used.
        tools_enabled: the names of the tools that a model may be told of; none unless chosen.
        workspace: the folder that tools are bound to; empty where none was chosen.
        max_tool_rounds: how often a turn may call tools before it must answer.
        redaction: what happens to secrets in a request.
        check_facts: whether the facts of answers are looked for in the requests they were made from.
        language: that of windows and commands; empty for the system's.
        notify: whether the desktop tells of answers and approvals while the window is behind others.
        spelling: whether words that no dictionary has are underlined in the message field.
        spelling_languages: the dictionaries by their tags, en_US; empty for the system's languages and English.
        tray: whether an icon in the tray keeps the program running when its last window is closed.
        summon_key: whether a key of the desktop's brings the program to the front.
        lock_after_minutes: idle time after which the window locks; 0 for never.
        persona: the name of the preset that new chats start with; empty for the program's own settings.
        openai_url, anthropic_url, gemini_url: where `openai:`, `anthropic:` and `gemini:` are asked instead of the
            providers themselves, for gateways; empty for the providers. Each needs a key of its own.
        proxy: the address of a proxy for everything that leaves this computer; empty for none, "system" for what the
            system says (HTTPS_PROXY and NO_PROXY).
        ca_file: a file of certificates that are believed beside the usual ones; empty for none.
        search: who searches the web: the address of a SearXNG server, brave, tavily, mcp:SERVER/TOOL; empty for nobody.
        embeddings: the model whose vectors are searched beside the words of followed folders: ollama:NAME or
            server:URL#NAME; empty for words alone.
        offline: whether nothing leaves this computer; what runs on it, such as the built-in model, still answers.
        plain_http: addresses of servers in one's own network that may be asked without encryption;
            plain_http_with_key: those that may get their key that way, too.
        servers: addresses of model servers by the name they are shown under.
        sessions: how a server's router is given the chat's id, by the server's name (or openai): the name of
            a header, or prompt_cache_key or user, which are fields of the body.
        shortcuts: keys of commands by their ids, where they are not the program's own; empty for none.
        models: the user's declarations about models that are not known well enough, by name.
        catalogue: the path of a model catalogue of one's own, from the data folder; empty for its models.toml, if it
            has one. Its entries win over those of the shipped one.
        favourite_models: those that are marked with a star, in the order in which they were.
        recent_models: those that were asked last, the newest first.
        attach: how much may be attached before it is refused, or asked about.
        watch: how long watched conversations are kept, and in how much room.
        spend: how much may be spent before nothing is sent.
        keep_warm_most: how often in a row a chat's cache is kept warm, where somebody wants that.
    """

    model: Name = "builtin"
    workspace: str = ""
    tools_enabled: tuple[Name, ...] = ()
    max_tool_rounds: Annotated[int, Between(0, 100)] = 8
    redaction: Redaction = "warn"
    check_facts: bool = True
    language: Language = ""
    notify: bool = True
    spelling: bool = True
    spelling_languages: tuple[Name, ...] = ()
    tray: bool = False
    summon_key: bool = False
    lock_after_minutes: Annotated[int, Between(0, 1440)] = 0
    persona: str = ""
    catalogue: str = ""
    favourite_models: tuple[Name, ...] = ()
    recent_models: tuple[Name, ...] = ()
    openai_url: str = ""
    anthropic_url: str = ""
    gemini_url: str = ""
    proxy: str = ""
    ca_file: str = ""
    search: str = ""
    embeddings: str = ""
    offline: bool = False
    plain_http: tuple[Name, ...] = ()
    plain_http_with_key: tuple[Name, ...] = ()
    timeouts: Timeouts = field(default_factory=Timeouts)
    attach: AttachLimits = field(default_factory=AttachLimits)
    watch: WatchLimits = field(default_factory=WatchLimits)
    spend: SpendCaps = field(default_factory=SpendCaps)
    keep_warm_most: Annotated[int, Between(1, 100)] = 6
    servers: Mapping[Name, Name] = field(default_factory=dict)
    sessions: Mapping[Name, SessionWay] = field(default_factory=dict)
    models: Mapping[Name, ModelFacts] = field(default_factory=dict)
    shortcuts: Mapping[Name, str] = field(default_factory=dict)
    context: Mapping[str, Any] = field(default_factory=dict)

    @property
    def reached(self) -> tuple[object, ...]:
        """What decides which models can be reached: when it changes, they are listed again."""
        leave = (self.plain_http, self.plain_http_with_key)
        return (self.servers, self.models, self.proxy, self.ca_file, self.offline, *leave)

    @property
    def addresses(self) -> dict[str, str]:
        """Addresses used instead of the providers' own, by provider name."""
        given = {one.name: getattr(self, one.gateway) for one in HOSTED if one.gateway}
        return {provider: url for provider, url in given.items() if url}


# What is wrong with the settings file, where, and whether anything may be sent before that is mended.


@dataclass(frozen=True, slots=True)
class SettingsProblem:
    """One error in the settings file.

    Attributes:
        path: the file's. words: what is wrong, without a full stop and without the values in the file.
        line, column: where, counted from 1; 0 where the whole file is meant.
        blocks: whether nothing may be sent: a request might go elsewhere, or hold more, than the owner set.
    """

    path: str
    words: str
    line: int = 0
    column: int = 0
    blocks: bool = True

    @property
    def where(self) -> str:
        """The location, in the form of editors and terminals."""
        return f"{self.path}:{self.line}:{self.column}" if self.line else self.path

    def __str__(self) -> str:
        tail = tr(" Nothing is sent until the file is corrected; it was not changed.") if self.blocks else ""
        return tr(
            "{where}: {words}{words_2}{tail}",
            where=self.where,
            words=self.words,
            words_2="" if self.words.endswith("?") else ".",
            tail=tail,
        )


class SendingOff(InvalidInput):
    """The error that nothing is sent, because the settings file may mean something other than what was read."""

    def __init__(self, problem: SettingsProblem) -> None:
        advice = tr("Nothing was sent, and the file was not changed. Correct it, and try again.")
        super().__init__(problem.where, tr("{words}. {advice}", words=problem.words, advice=advice))


class SavingOff(InvalidInput):
    """The error that the settings file must be corrected by hand before anything is written to it."""

    def __init__(self, problem: SettingsProblem) -> None:
        advice = tr("Nothing was saved, and the file was not changed. Correct it, and save again.")
        super().__init__(problem.where, tr("{words}. {advice}", words=problem.words, advice=advice))


def blocking(problems: tuple[SettingsProblem, ...]) -> SettingsProblem | None:
    """The first problem that blocks sending."""
    return next((one for one in problems if one.blocks), None)


def check_sending(problems: tuple[SettingsProblem, ...]) -> None:
    """Raise `SendingOff` where a problem blocks sending."""
    found = blocking(problems)
    if found is not None:
        raise SendingOff(found)
