"""A fact that was cut a hundred turns ago: the real model knows it when it is recalled, and only then."""

from __future__ import annotations

from dataclasses import replace

from tests.e2e.conftest import Run
from tests.fakes.chat_model import FakeModels
from tests.fakes.clock import SteppingClock
from tests.fakes.engine import fake_bench
from tests.fakes.history import MemoryHistory
from tests.fakes.turns import RENDERERS, assistant, user
from workbench.context.recall.near_words import NearWords
from workbench.domain.parameters import Parameters
from workbench.domain.record import Chat, Record
from workbench.domain.settings.context_settings import ContextSettings, HistorySettings
from workbench.engine.assembly.counters import Counters
from workbench.engine.assembly.prepare import Builder
from workbench.engine.intents import EditDraft, OpenChat, SendMessage
from workbench.engine.recall.finding import Recall
from workbench.providers.builtin.model import BuiltinModel
from workbench.providers.catalogue import load_catalogue
from workbench.providers.tokenizer import TiktokenTokenizer
from workbench.sources.resources import mapped_resource, resource_path

TURNS = 100
FACT = "By the way, the boat of my uncle is called Kormoran."
QUESTION = "What is the name of my uncle's boat? Answer with the name only."
RULES = HistorySettings(max_tokens=300, recall=True)


async def long_talk(settings: ContextSettings) -> MemoryHistory:
    """A hundred turns about other things after the fact was told."""
    store = MemoryHistory()
    await store.create_chat(Chat("talk", "2026-01-01T08:00:00Z", settings=settings))
    said = [user("fact", FACT), assistant("noted", "A nice name!")]
    for number in range(TURNS):
        said += [
            user(f"u{number}", f"What is {number} plus {number}?"),
            assistant(f"a{number}", f"{number} plus {number} is {number + number}."),
        ]
    parent = None
    for message in said:
        await store.append([Record("talk", message, "2026-01-01T08:00:00Z", parent)])
        parent = message.id
    return store


def test_a_fact_cut_a_hundred_turns_ago_is_known_only_with_recall(run: Run, model: BuiltinModel):
    async def asked(recall: bool) -> tuple[str, str, str]:
        settings = ContextSettings(
            model="builtin",
            system_prompt="You answer questions about what was said before.",
            history=replace(RULES, recall=recall),
            reserved_output_tokens=24,
            parameters=Parameters(temperature=0.0, seed=1),
        )
        encodings = Counters(lambda name: TiktokenTokenizer(name, resource_path("encodings")))
        builder = Builder(
            load_catalogue(resource_path("models.toml")), encodings, SteppingClock(), RENDERERS,
            recall=Recall(lambda: NearWords(mapped_resource("near-words.bin"))),
        )  # fmt: skip
        bench = fake_bench(builder=builder, models=FakeModels(model), store=await long_talk(settings))
        await bench.workbench.dispatch(OpenChat("talk"), EditDraft("talk", QUESTION))
        await bench.calm()
        shown = bench.workbench.state.open["talk"].prepared
        assert shown is not None
        ended = await bench.do(SendMessage("talk", QUESTION, drafted=True))
        turn = (await bench.world.store.turns("talk"))[-1]
        sent = turn.built.envelope.messages[-1].content
        assert ended.outcome.usage.prompt_tokens == turn.built.envelope.total_tokens
        return ended.outcome.answer, sent, shown.built.envelope.messages[-1].content

    with_it, sent, shown = run(asked(recall=True))
    without, bare, _ = run(asked(recall=False))
    assert FACT in sent
    assert sent == shown
    assert FACT not in bare
    assert "Kormoran" in with_it
    assert "Kormoran" not in without
