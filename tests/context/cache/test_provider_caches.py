"""What is foretold is what caches do, by simulations of them that share no code with the forecast."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.effort import tries
from tests.fakes.provider_caches import (
    BlockCache,
    MarkedCache,
    PrefixCache,
    SlotCache,
    Tokens,
    UnitCache,
    spelled,
    words,
)
from tests.fakes.turns import artifact, assistant, fake_builder, user
from workbench.context.outgoing import model_request
from workbench.domain.caching import CacheForecast, CacheRules
from workbench.domain.files.attachment import Artifact
from workbench.domain.message import Message
from workbench.domain.model import ModelCard
from workbench.domain.settings.context_settings import ContextSettings, HistorySettings
from workbench.domain.trajectory import Trajectory, TrajectoryTurn
from workbench.domain.turn import Tuning
from workbench.engine.assembly.prepare import Ask, Prepared, prepare_turn
from workbench.engine.conversation import Conversation, after_turn, reattach
from workbench.engine.replay import replay
from workbench.providers.anthropic.messages import request_body
from workbench.providers.cache_rules import Rulebook, load_rules
from workbench.providers.openai.body import openai_messages
from workbench.sources.resources import resource_path

CARD = replace(WORD_MODEL, reply_tokens=3, provider="fake", context_window_tokens=4000)
SHIPPED = load_rules(resource_path("cache-rules.toml"))
WORDS = [f"w{number}" for number in range(40)]


def rules_of(key: str, **changes: Any) -> CacheRules:
    return replace(SHIPPED.by_id[key], **changes)


class Talk:
    """A conversation that is held with a model whose cache goes by some rules."""

    def __init__(self, rules: CacheRules, settings: ContextSettings) -> None:
        card: ModelCard = replace(CARD, cache_rules=rules.id)
        self.builder = replace(fake_builder(card), rulebook=Rulebook({rules.id: rules}))
        self.settings = settings
        self.conversation = Conversation("talk")
        self.number = 0

    def ask(self, text: str, answer: str = "Well then.", **changes: Any) -> Prepared:
        """One turn; its request as it was foretold."""
        self.number += 1
        conversation = replace(self.conversation, **changes)
        asked = Ask(self.settings, user(f"q{self.number}", text))
        prepared = prepare_turn(conversation, asked, self.builder)
        self.conversation = after_turn(conversation, prepared.built, [assistant(f"a{self.number}", answer)])
        return prepared

    def step(self, random: Random, exclude: bool = True) -> Prepared:
        """A turn after something was attached, edited, detached, left out or set otherwise."""
        changes: dict[str, Any] = {}
        attached = self.conversation.attached
        what = random.choice(["attach", "edit", "detach", "exclude", "layout", "prompt", *["nothing"] * 6])
        if what == "attach" or (what == "edit" and not attached):
            changes["attached"] = reattach(attached, (), [self._file(random)])
        elif what == "edit":
            changed = replace(random.choice(attached), text=some_words(random, 30))
            changes["attached"] = reattach(attached, (), [changed])
        elif what == "detach" and attached:
            changes["attached"] = attached[1:]
        elif what == "exclude" and exclude and self.conversation.history:
            message = random.choice(self.conversation.history).id
            changes["tuning"] = Tuning(excluded=self.conversation.tuning.excluded ^ {message})
        elif what == "layout":
            self.settings = replace(self.settings, layout=random.choice(["layered", "append_only"]))
        elif what == "prompt":
            self.settings = replace(self.settings, system_prompt=some_words(random, 30))
        return self.ask(some_words(random, 10), some_words(random, 15), **changes)

    @staticmethod
    def _file(random: Random) -> Artifact:
        return artifact(f"f{random.randrange(4)}", some_words(random, 40))


def some_words(random: Random, number: int) -> str:
    return " ".join(random.choice(WORDS) for _ in range(random.randint(1, number)))


def sent(prepared: Prepared) -> Tokens:
    tokens, length = spelled(prepared.report["messages"])
    assert length == prepared.built.envelope.total_tokens
    return tokens


def foretold(prepared: Prepared) -> CacheForecast:
    found = prepared.forecast
    assert found is not None
    total = found.predicted_read_tokens + found.predicted_write_tokens + found.fresh_tokens
    assert total == prepared.built.envelope.total_tokens
    assert min(found.predicted_read_tokens, found.predicted_write_tokens, found.fresh_tokens) >= 0
    return found


LAYOUTS: list[Any] = ["layered", "append_only"]
SETTINGS = ContextSettings(model=CARD.name, system_prompt="Be brief and kind.")
CACHES: dict[str, Any] = {
    "openai": lambda: PrefixCache(32, 8),
    "gemini": lambda: PrefixCache(32),
    "llamacpp": SlotCache,
    "vllm": lambda: BlockCache(8),
    "deepseek": lambda: UnitCache(16),
}
RULES = {
    "openai": rules_of("openai", minimum_tokens=32, step_tokens=8),
    "gemini": rules_of("gemini", minimum_tokens=32),
    "llamacpp": rules_of("llamacpp"),
    "vllm": rules_of("vllm", minimum_tokens=8, step_tokens=8),
    "deepseek": rules_of("deepseek", minimum_tokens=16),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("key", CACHES)
def test_a_chat_that_goes_on_is_served_as_foretold(key: str, layout: Any):
    for seed in range(tries(20)):
        random, cache = Random(seed), CACHES[key]()
        talk = Talk(RULES[key], replace(SETTINGS, layout=layout))
        for _ in range(12):
            answer = some_words(random, 15)
            prepared = talk.ask(some_words(random, 10), answer)
            assert foretold(prepared).predicted_read_tokens == cache.ask(sent(prepared), words(answer))


@pytest.mark.parametrize("key", CACHES)
def test_whatever_is_changed_the_cache_never_serves_less_than_foretold(key: str):
    """Older requests than the newest three may have more in common with one; that is not promised."""
    exact = turns = 0
    for seed in range(tries(60)):
        random, cache = Random(seed), CACHES[key]()
        talk = Talk(RULES[key], SETTINGS)
        for _ in range(12):
            prepared = talk.step(random)
            answer = talk.conversation.history[-1]
            assert isinstance(answer, Message)
            served = cache.ask(sent(prepared), words(answer.text))
            assert foretold(prepared).predicted_read_tokens <= served
            exact += foretold(prepared).predicted_read_tokens == served
            turns += 1
    assert exact >= 0.95 * turns


def blocks_of(prepared: Prepared) -> list[tuple[Tokens, bool]]:
    """The blocks of the request as its adapter writes them, each with its tokens and whether it is marked."""
    body = request_body(model_request(prepared.built), "claude")
    found: list[tuple[Tokens, bool]] = []
    rows = [("system", body.get("system", []))]
    rows += [(message["role"], message["content"]) for message in body["messages"]]
    for role, blocks in rows:
        for place, block in enumerate(blocks):
            # Where within a message its framing stands is not known there.
            tokens: Tokens = [("open", 0), ("open", 1), ("role", role), ("close", None)] if place == 0 else []
            tokens += words(block["text"])
            found.append((tokens, "cache_control" in block))
    return found


@pytest.mark.parametrize("lookback", [20, 3])
def test_marks_are_read_and_written_as_foretold(lookback: int):
    rules = rules_of("anthropic", minimum_tokens=24, lookback=lookback)
    exact = turns = 0
    for seed in range(tries(60)):
        random, cache = Random(seed), MarkedCache(24, lookback)
        talk = Talk(rules, replace(SETTINGS, layout=random.choice(LAYOUTS)))
        for _ in range(12):
            # Two questions in a row are one message there, which costs less than was counted.
            prepared = talk.step(random, exclude=False)
            found = foretold(prepared)
            read, written = cache.ask(blocks_of(prepared))
            assert found.predicted_read_tokens <= read
            exact += found.predicted_read_tokens == read
            turns += 1
            if found.predicted_read_tokens == read:
                assert found.predicted_write_tokens == written
    assert exact >= 0.95 * turns


def marked_messages(prepared: Prepared) -> list[tuple[Tokens, bool]]:
    """The request to GPT-5.6 as it is written, in pieces that end at marks; the newest message is marked there."""
    request = model_request(prepared.built)
    rows = openai_messages(request, thoughts=False, marks=True)
    newest = max((n for n, row in enumerate(rows) if row["role"] != "assistant"), default=-1)
    found: list[tuple[Tokens, bool]] = []
    for number, row in enumerate(rows):
        content = row["content"]
        blocks = [{"text": content}] if isinstance(content, str) else content
        for place, block in enumerate(blocks):
            opened: Tokens = [("open", 0), ("open", 1), ("role", row["role"]), ("close", None)]
            is_last = place == len(blocks) - 1
            marked = "prompt_cache_breakpoint" in block or (number == newest and is_last)
            found.append(([*(opened if place == 0 else []), *words(block["text"])], marked))
    return found


def test_marks_of_newer_models_are_read_exactly_and_however_far_back():
    rules = rules_of("openai-5.6", minimum_tokens=24)
    exact = turns = 0
    for seed in range(tries(60)):
        random, cache = Random(seed), MarkedCache(24, 10_000)
        talk = Talk(rules, replace(SETTINGS, layout=random.choice(LAYOUTS)))
        for _ in range(12):
            prepared = talk.step(random)
            found = foretold(prepared)
            sent_pieces = marked_messages(prepared)
            assert sum(marked for _, marked in sent_pieces) <= rules.most_marks
            read, written = cache.ask(sent_pieces)
            assert found.predicted_read_tokens <= read
            exact += (found.predicted_read_tokens, found.predicted_write_tokens) == (read, written)
            turns += 1
    assert exact >= 0.95 * turns


# What the providers' own guides say.


def test_deepseek_serves_what_two_requests_had_in_common_only_the_third_time():
    rules = rules_of("deepseek", minimum_tokens=8)
    talk = Talk(rules, replace(SETTINGS, system_prompt=" ".join(WORDS)))
    reads = []
    for question in ("bbb", "ccc", "ddd"):
        # Each is a first question of its own, as in three chats with the same beginning.
        held = talk.conversation.held
        talk.conversation = Conversation("talk", held=held)
        reads.append(foretold(talk.ask(question)).predicted_read_tokens)
    assert reads[:2] == [0, 0]
    assert reads[2] >= len(WORDS)


def test_vllm_serves_full_blocks():
    rules = rules_of("vllm")
    # 24 tokens: 3 to open, 1 to close, 3 to open the answer, and 17 words.
    talk = Talk(rules, replace(SETTINGS, system_prompt=""))
    first = talk.ask(" ".join(WORDS[:17]))
    assert first.built.envelope.total_tokens == 24
    talk.conversation = Conversation("talk", held=talk.conversation.held)
    assert foretold(talk.ask(" ".join(WORDS[:17]))).predicted_read_tokens == 16


def test_openai_serves_nothing_below_1024_and_then_steps_of_128():
    rules = rules_of("openai")
    assert [rules.served(tokens) for tokens in (0, 1023, 1024, 1151, 1152, 2000)] == [
        0,
        0,
        1024,
        1024,
        1152,
        1920,
    ]


def test_anthropic_looks_back_over_twenty_blocks():
    """Ten blocks, fifteen, thirty-five, with one mark at the end: written, read at ten, not found."""
    cache = MarkedCache(1)
    made: list[tuple[Tokens, bool]] = [([("word", number)], False) for number in range(35)]

    def marked(number: int) -> list[tuple[Tokens, bool]]:
        return [*made[: number - 1], (made[number - 1][0], True)]

    assert [cache.ask(marked(number))[0] for number in (10, 15, 35)] == [0, 10, 0]


def test_what_lies_further_back_than_a_mark_is_looked_for_is_said():
    rules = rules_of("anthropic", minimum_tokens=4, lookback=2)
    talk = Talk(rules, replace(SETTINGS, layout="append_only"))
    talk.ask("one")
    history = tuple(user(f"u{n}") if n % 2 else assistant(f"s{n}") for n in range(8))
    later = replace(talk.conversation, history=(*talk.conversation.history, *history))
    talk.conversation = later
    found = foretold(talk.ask("two"))
    assert found.limit == "lookback_exceeded"


def test_a_request_below_the_minimum_says_so():
    talk = Talk(rules_of("openai"), SETTINGS)
    talk.ask("one")
    found = foretold(talk.ask("two"))
    assert (found.predicted_read_tokens, found.predicted_write_tokens, found.limit) == (0, 0, "below_minimum")


def test_a_cold_cache_serves_nothing_and_costs_nothing_to_break():
    talk = Talk(rules_of("llamacpp"), replace(SETTINGS, layout="append_only"))
    talk.ask("one")
    asked = Ask(talk.settings, user("q2", "two"), cold=True)
    prepared = prepare_turn(talk.conversation, asked, talk.builder)
    found = foretold(prepared)
    assert (found.predicted_read_tokens, found.limit, found.warm_s) == (0, "cold", 0.0)
    assert prepared.built.envelope.rebuilt == "cold"
    after = after_turn(talk.conversation, prepared.built, [])
    assert [one.built for one in after.held] == [prepared.built]


@pytest.mark.parametrize(
    ("then", "left_s", "cold"),
    [("12:00:00Z", 300, False), ("12:04:59Z", 1, False), ("12:05:00Z", 0, True), (None, None, False)],
)
def test_time_makes_a_cache_cold(then: str | None, left_s: float | None, cold: bool):
    rules = rules_of("openai", minimum_tokens=8, step_tokens=1)
    builder = Talk(rules, SETTINGS).builder
    moment = None if then is None else f"2026-01-01T{then}"
    first = TrajectoryTurn(
        SETTINGS, question=user("q1"), now="2026-01-01T12:00:00Z", reply=(assistant("a1"),)
    )
    second = TrajectoryTurn(SETTINGS, question=user("q2"), now=moment)
    report = replay(Trajectory("talk", turns=(first, second)), builder)["turns"][1]
    assert report["cache"]["warm_s"] == left_s
    assert (report["cache"]["predicted_read_tokens"] == 0) is cold


def test_trimming_history_is_foretold_too():
    history = HistorySettings(last_n_messages=4)
    for key, make in CACHES.items():
        cache = make()
        talk = Talk(RULES[key], replace(SETTINGS, history=history))
        for number in range(10):
            prepared = talk.ask(f"{number} " + " ".join(WORDS[:10]))
            assert foretold(prepared).predicted_read_tokens <= cache.ask(sent(prepared), words("Well then."))
