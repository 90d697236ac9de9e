"""One turn: gathered, built, compared and reported, with nothing sent and nothing changed."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.turns import artifact, assistant, fake_builder, user
from workbench.context.assembly.memory import BuildMemory
from workbench.context.outgoing import model_request
from workbench.domain.caching import CacheRules
from workbench.domain.chunk import EnvironmentChunk
from workbench.domain.model import CacheLifetime
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.tool import ToolDefinition
from workbench.domain.turn import Tuning
from workbench.engine.assembly.prepare import Ask, prepare_turn, without_unsupported_tools
from workbench.engine.conversation import Conversation, after_turn
from workbench.providers.cache_rules import load_rules
from workbench.providers.catalogue import load_catalogue
from workbench.providers.prices import load_prices
from workbench.sources.resources import resource_path

SETTINGS = ContextSettings(model="word-1")


def test_a_turn_is_built_from_the_conversation_and_what_is_asked():
    conversation = Conversation(
        "talk", turn=2, history=(user("m"),), attached=(artifact("a"),), tuning=Tuning(frozenset({"m"}))
    )
    inputs = prepare_turn(conversation, Ask(SETTINGS, user("q"), "noon"), fake_builder()).built.inputs
    assert (inputs.conversation, inputs.turn, inputs.settings, inputs.model.name) == (
        "talk",
        3,
        SETTINGS,
        "word-1",
    )
    assert (inputs.history, inputs.attached) == (conversation.history, conversation.attached)
    assert (inputs.question, inputs.now, inputs.tuning) == (user("q"), "noon", conversation.tuning)


def test_the_report_is_about_the_very_request():
    prepared = prepare_turn(Conversation("talk"), Ask(SETTINGS, user("q", "two words")), fake_builder())
    # 4 for the message, 2 words, 2 to open the answer.
    assert prepared.report["total_tokens"] == prepared.built.envelope.total_tokens == 8
    assert prepared.report["messages"] == [{"id": "q", "role": "user", "content": "two words"}]
    assert prepared.report["violations"] == []


def test_the_phases_are_timed():
    prepared = prepare_turn(Conversation("talk"), Ask(SETTINGS), fake_builder())
    assert prepared.report["metrics"]["build_ms"] == {
        "library": 1.0, "process": 1.0, "compact": 1.0, "render": 1.0,
    }  # fmt: skip


def test_preparing_twice_gives_the_same_report():
    builder = fake_builder()
    conversation = Conversation("talk", history=(user("m"), assistant("n")), attached=(artifact("a"),))
    first, second = (prepare_turn(conversation, Ask(SETTINGS, user("q")), builder) for _ in range(2))
    assert first.report == second.report


def test_a_turn_is_compared_with_the_one_before():
    builder = fake_builder()
    first = prepare_turn(Conversation("talk"), Ask(SETTINGS, user("q")), builder)
    conversation = after_turn(Conversation("talk"), first.built, [assistant("r")])
    second = prepare_turn(conversation, Ask(SETTINGS, user("q2")), builder)
    assert (first.change.change, second.change.change, second.change.causes) == ("first", "extended", ())


def test_a_model_unknown_to_the_catalogue_is_estimated():
    prepared = prepare_turn(
        Conversation("talk"), Ask(ContextSettings(model="new-1"), user("q")), fake_builder()
    )
    assert prepared.report["count"] == "estimated"


def test_results_of_this_turn_stand_with_the_question_and_never_in_the_system_message():
    """What tools bring changes every turn, and would break the prefix a provider keeps."""
    settings = ContextSettings(model="word-1", system_prompt="Be brief.")
    result = EnvironmentChunk("r1", "found it", "tool_result", "search", "c1", success=True)
    ask = Ask(settings, user("q", "Where?"), tool_results=(result,))
    system, question = prepare_turn(Conversation("talk"), ask, fake_builder()).report["messages"]
    assert system["content"] == "Be brief."
    opening, body, _closing, *rest = question["content"].splitlines()
    assert opening.startswith('<tool_result id="r1" tool="search" call_id="c1" success="true" fence="')
    assert (body, rest) == ("found it", ["[User query]:", "Where?"])


def test_a_model_that_cannot_be_told_of_tools_is_not():
    settings = ContextSettings(model="word-1", tools=(ToolDefinition("read"),), tool_guidelines="Be careful.")
    assert without_unsupported_tools(settings, WORD_MODEL) is settings
    assert without_unsupported_tools(settings, replace(WORD_MODEL, tools=False)) == ContextSettings(
        model="word-1"
    )
    assert without_unsupported_tools(SETTINGS, replace(WORD_MODEL, tools=False)) is SETTINGS


def test_the_lifetime_of_the_cache_that_a_chat_chose_is_asked_for_foretold_and_priced():
    """Writing for an hour costs twice the input instead of a quarter more."""
    builder = replace(
        fake_builder(),
        catalogue=load_catalogue(resource_path("models.toml")),
        rulebook=load_rules(resource_path("cache-rules.toml")),
        prices=load_prices(resource_path("prices.toml")),
    )
    asked = ContextSettings(model="anthropic:claude-opus-5", system_prompt="word " * 3000, counter="chars4")
    costs = []
    cases: tuple[tuple[CacheLifetime | None, str], ...] = (
        (None, "anthropic"),
        ("1h", "anthropic-1h"),
        ("5m", "anthropic"),
    )
    for lifetime, rules in cases:
        settings = replace(asked, cache_lifetime=lifetime)
        prepared = prepare_turn(Conversation("talk"), Ask(settings, user("q")), builder)
        assert model_request(prepared.built).cache_rules == rules
        assert prepared.forecast is not None
        costs.append(prepared.forecast.price_usd or 0)
    assert costs[0] == costs[2]
    assert round(costs[1] / costs[0], 1) == 1.6


def test_what_was_seen_of_a_cache_holds_also_for_what_is_built_beside_the_loop():
    builder, seen = fake_builder(), CacheRules("observed", "prefix", "", "", minimum_tokens=64)
    builder.observed_rules[WORD_MODEL.name] = seen
    for beside in (builder.copy(WORD_MODEL), replace(builder, memory=BuildMemory())):
        assert beside.cache_rules(WORD_MODEL) == seen
    builder.observed_rules.clear()
    assert builder.copy(WORD_MODEL).cache_rules(WORD_MODEL) is None
