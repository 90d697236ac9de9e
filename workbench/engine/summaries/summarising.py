"""Summaries on demand: what one would cost, one that is being made, and one to be looked at before it is applied."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace

from workbench.context.request_cost import whole_message_tokens
from workbench.context.shorten.check import Enforced, Original, check, enforced
from workbench.context.shorten.outline import SummaryMessage, original_of, outline
from workbench.context.text.chunk_renderers import RendererRegistry
from workbench.domain.errors import WorkbenchError
from workbench.domain.segment import Segment
from workbench.domain.settings.preferences import ContextSettings
from workbench.domain.shown.summary_view import SummaryView
from workbench.domain.summary import OUTLINE, Summary, SummaryWish
from workbench.engine.conversation import Conversation
from workbench.engine.events import ProgramShown
from workbench.engine.keeping import load_conversation
from workbench.engine.program_intents import EndSummary, MakeSummary, OfferSummary
from workbench.engine.store import StateStore
from workbench.engine.summaries.planning import Part, Plan, material_of, part_request, plan_summary
from workbench.engine.turn.aside import AsideRequest, ask_aside
from workbench.engine.world import World

_TRIES = 2
_WORTH_MERGING = 2
"""Summaries of parts are written as one where they are together longer than this part of the original."""

Moved = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Made:
    """What came of it; `text` is there to be read also where it was refused."""

    text: str
    verdict: Enforced


async def make_summary(plan: Plan, chat: str, world: World, moved: Moved) -> Made:
    """Make it; `WorkbenchError` says why a model gave nothing."""
    material = plan.material
    if material.summary.made_by == OUTLINE:
        found = await asyncio.to_thread(outline, material.said)
        return Made(found.text or "", found)
    work = _Asking(plan, chat, world)
    texts: list[str] = []
    for number, (part, request) in enumerate(zip(plan.parts, plan.requests, strict=True), start=1):
        moved(number)
        one = len(plan.parts) == 1
        made = await work.asked(part, request, material.original if one else original_of(part), whole=one)
        if made.verdict.text is None:
            return made
        texts.append(made.verdict.text)
    joined = "\n".join(texts)
    verdict = await asyncio.to_thread(enforced, joined, material.original)
    merged = await work.merged(joined) if len(texts) > 1 else None
    if merged is not None and merged.verdict.text is not None:
        return merged
    return Made(joined, verdict)


def _judged(said: str, original: Original, whole: bool) -> Enforced:
    """The verdict on what a model wrote; of a part only its facts count, all parts together pass the door."""
    if whole:
        return enforced(said, original)
    checked = check(said, original)
    return Enforced(said if checked.holds else None, checked.words, checked)


@dataclass(frozen=True, slots=True)
class _Asking:
    """A model that is asked for one summary after the other."""

    plan: Plan
    chat: str
    world: World

    async def asked(self, part: Part, request: AsideRequest, original: Original, *, whole: bool) -> Made:
        """The summary of a part; where it is refused, once more with what was wrong."""
        made = Made("", Enforced(None, "The model answered without words."))
        for attempt in range(_TRIES):
            if attempt:
                model = self.plan.material.summary.made_by
                refusal = made.verdict.refusal.rstrip(".")
                request = await part_request(part, model, self.chat, self.world, refusal)
            try:
                said = clean(await ask_aside(request, self.world))
            except WorkbenchError as problem:
                raise WorkbenchError(f"No summary was made; nothing was changed. {problem}") from problem
            if said:
                made = Made(said, await asyncio.to_thread(_judged, said, original, whole))
            if made.verdict.text is not None:
                break
        return made

    async def merged(self, joined: str) -> Made | None:
        """Summaries of parts as one, where they are long together; None where that is not worth it or does not fit."""
        original = self.plan.material.original
        if len(joined) * _WORTH_MERGING < original.chars:
            return None
        part = (SummaryMessage("", joined),)
        model = self.plan.material.summary.made_by
        request = await part_request(part, model, self.chat, self.world)
        if not request.prepared.built.envelope.fits:
            return None
        return await self.asked(part, request, original, whole=True)


def clean(said: str) -> str:
    """What a model wrote without what is no part of a summary: an opening line, marks that nobody can see."""
    printable = "".join(c if c.isprintable() or c == "\n" else " " for c in said)
    lines = [line.rstrip() for line in printable.strip().splitlines() if line.strip()]
    if len(lines) > 1 and lines[0].endswith(":") and "summar" in lines[0].lower():
        lines = lines[1:]
    return "\n".join(lines)


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
                self._states.emit(ProgramShown({"summary": None}))
            elif shown.stage == "working":
                self._states.emit(ProgramShown({"summary": replace(shown, stage="failed", problem=STOPPED)}))
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
        self._states.emit(ProgramShown({"summary": view}))

    async def _made(self, view: SummaryView, plan: Plan, settings: ContextSettings) -> SummaryView:
        def moved(part: int) -> None:
            self._states.emit(ProgramShown({"summary": replace(view, stage="working", part=part)}))

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
