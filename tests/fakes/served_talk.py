"""A chat at a server that counts, held by the real engine: files come, go and are edited, and every figure is kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tests.fakes.attachments import MemoryAttachments
from tests.fakes.clock import SteppingClock
from tests.fakes.engine import Bench, fake_world
from tests.fakes.provider_keys import MemoryProviderKeys
from tests.fakes.turns import RENDERERS
from workbench.domain.outcome import TurnOutcome
from workbench.domain.secrets import Secret
from workbench.domain.settings.context_settings import ContextSettings
from workbench.engine.assembly.counters import Counters
from workbench.engine.assembly.prepare import Builder
from workbench.engine.intents import (
    AttachFiles,
    DetachArtifacts,
    EditDraft,
    RefreshArtifacts,
    SendMessage,
    StartChat,
    TurnIntent,
)
from workbench.providers.cache_rules import load_rules
from workbench.providers.catalogue import load_catalogue
from workbench.providers.named_models import NamedModels
from workbench.providers.tokenizer import TiktokenTokenizer
from workbench.providers.wire.endpoint import check_base_url, origin
from workbench.sources.resources import resource_path

WORDS = (
    "alpha", "beta", "gamma", "return", "value", "naïve", "漢字", "1729", "0x3fa2", "list", "of", "strings,",
    "then\n", "def", "f(x):", "<b>",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Turn:
    """What one turn was said to be, and what the server reported; `shown` is what stood there before it was sent."""

    counted: int
    exact: bool
    foretold: int | None
    sure: bool
    prompt: int | None
    cached: int | None
    state: str
    shown: int | None = None
    verdict: str | None = None
    rebuilt: str | None = None
    answer: str = ""


@dataclass
class ServedTalk:
    """One engine at one server; `name` is the model there."""

    name: str
    key: str = ""
    layout: str = "append_only"
    seed: int = 1
    answer_tokens: int = 24
    file_words: int = 120
    models: Any = None
    turns: list[Turn] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._words = self.seed
        catalogue = load_catalogue(resource_path("models.toml"))
        encodings = resource_path("encodings")
        builder = Builder(
            catalogue,
            Counters(lambda name: TiktokenTokenizer(name, encodings)),
            SteppingClock(),
            RENDERERS,
            rulebook=load_rules(resource_path("cache-rules.toml")),
        )
        keys = MemoryProviderKeys()
        if self.key:
            place = origin(check_base_url(self.name.partition(":")[2].partition("#")[0]))
            keys.kept[place] = Secret.of_text(self.key)
        self.models = self.models or NamedModels(catalogue, keys, no_builtin, lambda: "")
        self.files = MemoryAttachments({})
        world = fake_world(
            builder=builder,
            models=self.models,
            attachments=self.files,
            parameters={"temperature": 0.8},
        )
        self.bench = Bench(world)

    async def start(self, chat: str = "talk", **settings: Any) -> None:
        """Open a chat."""
        chosen: dict[str, Any] = {
            "layout": self.layout,
            "reserved_output_tokens": self.answer_tokens,
            **settings,
        }
        given = ContextSettings(model=self.name, system_prompt="You are brief.", **chosen)
        await self.bench.workbench.dispatch(StartChat(chat, given))

    async def turn(self, text: str, chat: str = "talk", *, typed: bool = False) -> Turn:
        """Ask something; what was said of the request before, and what was reported after it.

        What is `typed` is looked at before it is sent: the forecast is then the one that was shown.
        """
        shown = await self.look(text, chat) if typed else None
        return await self.ask(SendMessage(chat, text, drafted=typed), shown)

    async def look(self, text: str, chat: str = "talk") -> int | None:
        """Write a question and wait until nothing is counted any more; how much of it is said to be cached."""
        await self.bench.workbench.dispatch(EditDraft(chat, text))
        await self.bench.calm()
        view = self.bench.workbench.state.open[chat].view
        return None if view is None else view.cached_tokens

    async def ask(self, intent: TurnIntent, shown: int | None = None) -> Turn:
        """Have something answered."""
        outcome = (await self.bench.do(intent)).outcome
        assert outcome.failure is None, outcome.failure
        return await self.noted(intent.chat, outcome, shown)

    async def noted(self, chat: str, outcome: TurnOutcome, shown: int | None = None) -> Turn:
        """What a turn came to, beside what was said of it."""
        last = await self.bench.world.store.last_turn(chat)
        assert last is not None, outcome.failure
        envelope = last.built.envelope
        forecast = None if outcome.cache is None else outcome.cache.forecast
        found = Turn(
            envelope.total_tokens,
            envelope.exact,
            None if forecast is None else forecast.predicted_read_tokens,
            forecast is not None and forecast.exact,
            outcome.usage.prompt_tokens,
            outcome.usage.cached_tokens,
            outcome.state,
            shown,
            None if outcome.cache is None else outcome.cache.verdict,
            envelope.rebuilt,
            outcome.answer,
        )
        self.turns.append(found)
        return found

    async def restless_turn(self, number: int, chat: str = "talk") -> Turn:
        """A turn before which files were attached, edited or detached."""
        step = number % 4
        if step in (0, 1):
            path = f"{chat}-{number}.txt"
            self.files.files[path] = self.text(self.file_words)
            await self.bench.workbench.dispatch(AttachFiles(chat, (path,)))
        attached = [a.key for a in self.bench.workbench.state.open[chat].conversation.attached]
        if step == 2 and attached:
            path = attached[0]
            self.files.files[path] = self.files.files[path][:-20] + self.text(self.file_words // 10)
            await self.bench.workbench.dispatch(RefreshArtifacts(chat, (path,)))
        if step == 3 and len(attached) > 1:
            await self.bench.workbench.dispatch(DetachArtifacts(chat, (attached[-1],)))
        return await self.turn(f"Question {number}: {self.text(8)}", chat)

    async def close(self) -> None:
        """Let go of the server, once nothing is counted any more."""
        await self.bench.calm()
        await self.models.close()

    def text(self, words: int) -> str:
        """Words in an order that never comes twice."""
        chosen = []
        for _ in range(words):
            self._words = (self._words * 1103515245 + 12345) % 2**31
            chosen.append(WORDS[self._words >> 16 & 15])
        return " ".join(chosen)


def no_builtin(name: str) -> Any:
    """The built-in model of a talk that has none."""
    raise AssertionError(f"{name} is not part of this talk")
