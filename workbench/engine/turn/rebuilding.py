"""When a provider's window turns out smaller than was thought: a request that fits it, offered and not sent."""

from __future__ import annotations

from dataclasses import replace

from workbench.domain.answer import Failure
from workbench.domain.errors import NotKept
from workbench.domain.outcome import TurnOutcome
from workbench.domain.settings.preferences import ContextSettings
from workbench.engine.assembly.prepare import Ask, prepare_turn
from workbench.engine.chats.changes import update_chat
from workbench.engine.events import RebuildProposed
from workbench.engine.intents import RegenerateAnswer
from workbench.engine.state import ChatState
from workbench.engine.turn.plan import TurnPlan
from workbench.engine.turn.planning import found_for, plan_regenerate
from workbench.engine.world import World

_WITHOUT_A_NUMBER = 0.75


async def propose_rebuild(plan: TurnPlan, outcome: TurnOutcome, world: World) -> RebuildProposed | None:
    """The same question in the window the provider named; None where that is not what failed."""
    failure = outcome.failure
    if failure is None or failure.kind != "context" or outcome.requests:
        return None  # after its tools ran, a question is not simply asked again
    turn = await world.store.last_turn(plan.chat)
    if turn is None or turn.question != plan.question.id:
        return None
    envelope = turn.built.envelope
    said, thought = failure.limit_tokens, envelope.budget.context_window_tokens
    window = _window(failure, thought, envelope.total_tokens)
    settings = narrowed(plan.settings, window)
    card = turn.built.inputs.model
    found = await found_for(replace(plan, settings=settings), card, world)
    ask = Ask(settings, plan.question, plan.now, plan.tool_results, card=card, found=found)
    rebuilt = prepare_turn(plan.conversation, ask, world.builder)
    if not rebuilt.built.envelope.fits:
        return None
    return RebuildProposed(plan.chat, rebuilt, named=said is not None and said < thought)


def _window(failure: Failure, window: int, total: int) -> int:
    """What the provider's window is in our tokens; smaller than was thought in any case."""
    named = failure.limit_tokens or window
    if failure.asked_tokens and failure.asked_tokens > total:
        # Their tokenizer makes more of the same text: our count must leave room for that.
        named = named * total // failure.asked_tokens
    return named if named < window else int(window * _WITHOUT_A_NUMBER)


def narrowed(settings: ContextSettings, window: int) -> ContextSettings:
    """The settings for another window; a reserve that somebody chose leaves room for a request in it."""
    reserve = settings.reserved_output_tokens
    smaller = None if reserve is None else min(reserve, window // 4)
    return replace(settings, context_window=window, reserved_output_tokens=smaller)


async def accept_rebuild(chat: str, state: ChatState | None, world: World) -> TurnPlan:
    """Ask the question again as proposed; the chat keeps the window it has learnt."""
    inputs = None if state is None or state.proposal is None else state.proposal.built.inputs
    if inputs is None or inputs.question is None:
        raise NotKept("There is no rebuilt request to accept.")
    learnt = inputs.settings
    # Only the window: what the request was built with beyond the chat's own settings is its workspace's.
    await update_chat(
        chat,
        world,
        lambda kept: replace(
            kept,
            settings=replace(
                kept.settings,
                context_window=learnt.context_window,
                reserved_output_tokens=learnt.reserved_output_tokens,
            ),
        ),
    )
    return await plan_regenerate(RegenerateAnswer(chat, inputs.question.id), world)
