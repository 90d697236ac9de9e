"""Summaries on demand: what one would cost, one that is being made, and one to be looked at before it is applied."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from workbench.context.explain.segment_costs import whole_message_tokens
from workbench.context.text.chunk_renderers import RendererRegistry
from workbench.domain.errors import WorkbenchError
from workbench.domain.segment import Segment
from workbench.domain.settings.preferences import ContextSettings
from workbench.domain.shown.summary_view import SummaryView
from workbench.domain.summary import OUTLINE, Summary, SummaryWish
from workbench.engine.conversation import Conversation
from workbench.engine.keeping import load_conversation
from workbench.engine.program_intents import EndSummary, MakeSummary, OfferSummary
from workbench.engine.shown_events import program_shows
from workbench.engine.store import StateStore
from workbench.engine.summaries.making import Made, make_summary
from workbench.engine.summaries.planning import Plan, material_of, plan_summary
from workbench.engine.world import World

BROKEN = "The program failed. Nothing was changed; with WORKBENCH_LOG=FILE it writes down why."
STOPPED = "Stopped. No summary was made; nothing was changed."

_ID_LETTERS = 8


class Summarising:
    """Makes one summary at a time; the newest wish ends the one before it."""

    def __init__(self, world: World, states: StateStore) -> None:
        self._world, self._states = world, states
        self._task: asyncio.Task[None] | None = None

    def do(self, intent: OfferSummary | MakeSummary | EndSummary) -> None:
        """Begin one, or end the one that is shown; it goes on by itself."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
        if isinstance(intent, EndSummary):
            shown = self._states.state.summary
            if intent.forget or shown is None:
                self._states.emit(program_shows(summary=None))
            elif shown.stage == "working":
                self._states.emit(program_shows(summary=replace(shown, stage="failed", problem=STOPPED)))
            return
        work = self._run(intent.chat, intent.wish, make=isinstance(intent, MakeSummary))
        self._task = self._world.tasks.spawn(f"summary of {intent.chat}", work)

    async def _run(self, chat: str, wish: SummaryWish, *, make: bool) -> None:
        view = SummaryView(chat, wish, "failed", problem=BROKEN)
        try:
            conversation, settings = await standing(chat, self._states, self._world)
            plan = await plan_summary(
                material_of(conversation, settings, wish, self._world), chat, self._world
            )
            view = offered(chat, wish, plan)
            if make:
                view = await self._made(view, plan, settings)
        except WorkbenchError as problem:
            view = replace(view, stage="failed", problem=str(problem))
        except asyncio.CancelledError:
            return  # whoever ended it has said so
        self._states.emit(program_shows(summary=view))

    async def _made(self, view: SummaryView, plan: Plan, settings: ContextSettings) -> SummaryView:
        def moved(part: int) -> None:
            self._states.emit(program_shows(summary=replace(view, stage="working", part=part)))

        moved(0)
        made = await make_summary(plan, view.chat, self._world, moved)
        return result(view, plan, made, (settings, self._world))


async def standing(chat: str, states: StateStore, world: World) -> tuple[Conversation, ContextSettings]:
    """A chat as it stands: as it is open, else as it is kept."""
    opened = states.state.open.get(chat)
    if opened is not None:
        return opened.conversation, opened.chat.settings
    kept = await world.store.chat(chat)
    return await load_conversation(world.store, chat), kept.settings


def offered(chat: str, wish: SummaryWish, plan: Plan) -> SummaryView:
    """What a summary would stand for and cost."""
    material = plan.material
    summary, by_model = material.summary, material.summary.made_by != OUTLINE
    return SummaryView(
        chat,
        wish,
        "offered",
        what=summary.replaces[0] if summary.of_artifact else summary.what,
        first_turn=summary.first_turn,
        last_turn=summary.last_turn,
        most_turn=material.most_turn,
        original=material.text,
        original_tokens=material.original_tokens,
        model=summary.made_by if by_model else "",
        ask_tokens=plan.tokens,
        cost_usd=plan.cost_usd if by_model else None,
        parts=len(plan.parts),
    )


def result(view: SummaryView, plan: Plan, made: Made, around: tuple[ContextSettings, World]) -> SummaryView:
    """What came of it, ready to be applied where it was not refused."""
    settings, world = around
    if made.verdict.text is None:
        return replace(view, stage="refused", text=made.text, problem=made.verdict.refusal)
    # It stands in every request from now on: a short id is known as well in its chat.
    key = f"summary-{world.new_id()[:_ID_LETTERS]}"
    summary = replace(plan.material.summary, id=key, text=made.verdict.text, compacted_at=world.utc.utc_now())
    card = world.builder.catalogue.find(settings.model)
    counter = world.builder.counters.counter(settings.counter, card)
    tokens = whole_message_tokens([_segment(summary, world.builder.renderers)], counter)
    view = replace(view, text=summary.text, text_tokens=tokens)
    if tokens >= view.original_tokens:
        return replace(view, stage="refused", problem="It would cost no less than what it replaces.")
    return replace(view, stage="ready", summary=summary)


def _segment(summary: Summary, renderers: RendererRegistry) -> Segment:
    """The summary as it will stand on the wire, tags and all."""
    text = summary.text if summary.of_artifact else renderers.render(summary.chunk).text
    return Segment(summary.id, "L4_STRIP", "working_flow", text, "")
