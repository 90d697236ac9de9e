"""Side questions: kept beside their chat for some weeks, known to the forecast, made a turn on demand."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from workbench.domain.change import Built
from workbench.domain.errors import NotKept
from workbench.domain.message import Message
from workbench.domain.outcome import TurnOutcome
from workbench.domain.record import Record, Standing, TurnRecord
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.side import KEPT_DAYS, SideQuestion
from workbench.domain.translation import tr
from workbench.engine.assembly.building import prepare_nonblocking
from workbench.engine.assembly.prepare import Ask
from workbench.engine.conversation import Asked, Conversation, after_turn, age_between
from workbench.engine.stored_conversation import load_conversation
from workbench.engine.world import World

_HELD_S = 3600.0
"""No provider's cache of a request that nobody repeats lasts longer."""


async def keep_side(built: Built, outcome: TurnOutcome, asked_utc: str, world: World) -> SideQuestion:
    """Keep a side question with its answer; those that are too old go."""
    inputs, usage, cache = built.inputs, outcome.usage, outcome.cache
    question = inputs.question
    assert question is not None
    problem = outcome.failure.message if outcome.failure is not None else ""
    side = SideQuestion(
        question.id, question.text, outcome.answer, asked_utc, inputs.settings.model,
        inputs.history[-1].id if inputs.history else "",
        usage.prompt_tokens, usage.cached_tokens, usage.completion_tokens,
        None if cache is None else cache.forecast.predicted_read_tokens,
        None if outcome.cost is None else outcome.cost.usd, outcome.timings.total_ms,
        problem or ("stopped" if outcome.state == "stopped" else ""),
    )  # fmt: skip
    chat = inputs.conversation
    async with world.locks.of(chat):
        known = await world.store.sides(chat)
        now = world.utc.utc_now()
        await world.store.save_sides(chat, (side, *(one for one in known if not is_old(one, now))))
    return side


def is_old(side: SideQuestion, now_utc: str) -> bool:
    """Whether a side question is no longer kept."""
    try:
        age = datetime.fromisoformat(now_utc) - datetime.fromisoformat(side.asked_utc)
    except (ValueError, TypeError):
        return False
    return age > timedelta(days=KEPT_DAYS)


async def kept_sides(chat: str, world: World, known: tuple[SideQuestion, ...]) -> tuple[SideQuestion, ...]:
    """Those side questions of a chat that are still kept, the newest first; those that are too old go for good."""
    now = world.utc.utc_now()
    if not any(is_old(one, now) for one in known):
        return known
    async with world.locks.of(chat):
        left = tuple(one for one in await world.store.sides(chat) if not is_old(one, now))
        await world.store.save_sides(chat, left)
    return left


async def with_side(
    conversation: Conversation, world: World, sides: tuple[SideQuestion, ...]
) -> Conversation:
    """The conversation with the side question that was asked after its last message, which a cache may hold.

    One of another session is built anew: it has the chat's own beginning, which is what a cache serves.
    """
    chat, now = conversation.id, world.utc.utc_now()
    known = world.sides.get(chat)
    if known is None:
        newest = next(iter(sides), None)
        age_s = None if newest is None else age_between(newest.asked_utc, now)
        if newest is None or age_s is None or age_s > _HELD_S or newest.after != conversation.last:
            return conversation
        settings = await _settings(conversation, world)
        if settings.model != newest.model:
            return conversation
        ask = Ask(settings, Message(newest.id, "user", (newest.question,)))
        made = await prepare_nonblocking(conversation, ask, world.builder)
        known = world.sides[chat] = Asked(made.built, newest.asked_utc)
    history = known.built.inputs.history
    if (history[-1].id if history else "") != conversation.last:
        return conversation  # a turn has been asked since, which the cache holds instead
    return replace(conversation, beside=known)


async def _settings(conversation: Conversation, world: World) -> ContextSettings:
    chat = await world.store.chat(conversation.id)
    await world.workspaces.ready()
    return world.workspaces.effective(chat, chat.settings, conversation.attached)


async def make_turn(chat: str, side: str, world: World) -> None:
    """Put a side question and its answer into the chat, as its newest turn; it leaves the list."""
    known = await world.store.sides(chat)
    found = next((one for one in known if one.id == side), None)
    if found is None or not found.answer:
        raise NotKept(tr("This side question is gone, or has no answer. Nothing was changed."))
    conversation = await load_conversation(world.store, chat)
    settings = await _settings(conversation, world)
    question = Message(world.new_id(), "user", (found.question,))
    answer = Message(world.new_id(), "assistant", (found.answer,))
    built = (await prepare_nonblocking(conversation, Ask(settings, question), world.builder)).built
    after, now = after_turn(conversation, built, (answer,)), world.utc.utc_now()
    parent = conversation.history[-1].id if conversation.history else None
    turn = TurnRecord(
        chat, conversation.turn + 1, parent, question.id, built,
        Standing(after.attached, after.library, after.trim), found.asked_utc,
    )  # fmt: skip
    used = {
        "prompt_tokens": found.prompt_tokens,
        "cached_tokens": found.cached_tokens,
        "completion_tokens": found.completion_tokens,
        "cost": None if found.cost_usd is None else {"usd": found.cost_usd},
        "request": {"asked_utc": found.asked_utc, "model": found.model},
    }
    keys = tuple(one.key for one in conversation.attached)
    async with world.locks.of(chat):
        await world.store.begin_turn(turn, Record(chat, question, found.asked_utc, parent, attached=keys))
        ended = replace(
            turn, state="complete", finished_utc=now, reply=answer.id,
            usage={name: value for name, value in used.items() if value is not None},
        )  # fmt: skip
        await world.store.finish_turn(ended, [Record(chat, answer, now, question.id)])
        await world.store.save_sides(chat, tuple(one for one in known if one.id != side))
    world.sides.pop(chat, None)
