"""One turn, read from top to bottom: build the request, keep it, ask the model, keep the answer. Start reading here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from workbench.context.cache.forecast import MOST_HELD
from workbench.context.count.calibration import truncated
from workbench.domain.answer import Failure, ModelFailed
from workbench.domain.errors import WorkbenchError
from workbench.domain.message import Message
from workbench.domain.model import ModelCard, beginning_for, not_continued_words
from workbench.domain.outcome import TurnOutcome
from workbench.domain.record import TurnRecord
from workbench.domain.request import ModelRequest
from workbench.domain.translation import tr
from workbench.engine.answers.side import keep_side
from workbench.engine.assembly.building import prepare_nonblocking
from workbench.engine.assembly.exact_counts import nothing_held, prepare_exactly
from workbench.engine.assembly.prepare import Ask, Prepared, is_cold, without_unsupported_tools
from workbench.engine.conversation import Asked, Conversation, age_between, asked_last
from workbench.engine.events import (
    EnvelopeBuilt,
    ModelProgressed,
    NoticeGiven,
    TurnBegan,
    TurnEnded,
    TurnProgressed,
)
from workbench.engine.learning import cut_off_words, last_report
from workbench.engine.metering import expected_of
from workbench.engine.tasks import Stopper
from workbench.engine.turn.answering import Answering
from workbench.engine.turn.outcome import (
    TurnStopwatch,
    begin_turn,
    finish_turn,
    last_answer_id,
    more_left_out,
    not_continued,
    outcome_of,
    refused,
)
from workbench.engine.turn.planning import Front, Sending, TurnPlan, found_for
from workbench.engine.turn.tools import ToolUse, run_commands
from workbench.engine.wire_forms import outgoing_request
from workbench.engine.world import World
from workbench.ports.models import ChatModel

_GO_ON = (
    "Go on with your last answer exactly where it stops. Do not repeat any of it and do not comment on this."
)


async def run_turn(plan: TurnPlan, world: World, front: Front, stopper: Stopper) -> TurnOutcome:
    """Run a turn to its end; whatever happens once it is begun, what arrived is kept."""
    watch = TurnStopwatch(world.builder.clock)
    plan = replace(plan, over_cap=world.spending is not None and world.spending.take_pass(plan.chat))
    model = world.models.open(plan.settings.model)
    front.emit(TurnProgressed(plan.chat, "starting"))
    trouble = await _start(model, plan, front, stopper)
    known = world.builder.catalogue.find(plan.settings.model).lasting(plan.settings.cache_lifetime)
    card = await stopper.run(f"ask about the model of {plan.chat}", model.card(known), known)
    plan = _with_beginning(_without_tools(plan, card, front), card, front)
    if plan.begun is not None and plan.begins == "must" and not card.prefill:
        return _end(plan, front, not_continued(card, watch))
    front.emit(TurnProgressed(plan.chat, "commands"))
    plan = await stopper.run(f"commands of {plan.chat}", run_commands(plan, world, front.commands), plan)
    plan = replace(plan, found=await stopper.run(f"recall for {plan.chat}", found_for(plan, card, world), ()))
    front.emit(TurnProgressed(plan.chat, "counting"))
    before = last_answer_id(await world.store.turn_lines(plan.chat, newest=MOST_HELD))
    line = _Line(plan, card, model, world, stopper, before)
    first = await line.first()
    watch.built()
    front.emit(EnvelopeBuilt(plan.chat, first.prepared))
    if not first.prepared.built.envelope.fits:
        return _end(plan, front, refused(first.prepared, watch))
    unseen = more_left_out(plan, first.prepared, watch)
    if unseen is not None:
        return _end(plan, front, unseen)
    if plan.dry:
        return _end(plan, front, TurnOutcome("complete", timings=watch.timings(None)))
    too_dear = None if world.spending is None else await world.spending.refusal(first.request)
    if too_dear is not None:
        return _end(plan, front, TurnOutcome("failed", failure=too_dear, timings=watch.timings(None)))
    turn = await _begin(plan, first.prepared, world, front)
    front.emit(TurnBegan(plan.chat, plan.number, plan.question.id, plan.begun.text if plan.begun else ""))
    answering = Answering(plan, world, front, _tools(plan, world, front, stopper), stopper)
    answering.failure = trouble
    if trouble is None:
        await answering.run(model, first, partial(line.next, front, answering))
    price = world.prices.price(card)
    outcome = outcome_of(answering, first.prepared, watch, price, front.foretold_tokens)
    outcome = _with_report(outcome, answering.sent or first.prepared, front)
    try:
        await (
            finish_turn(turn, answering, outcome, world)
            if turn
            else _keep_side(answering, first, outcome, world)
        )
    except WorkbenchError as problem:
        outcome = replace(outcome, state="failed", failure=Failure("store", str(problem)))
    return _end(plan, front, outcome)


async def _begin(plan: TurnPlan, prepared: Prepared, world: World, front: Front) -> TurnRecord | None:
    """Store the question and its request; of a side question nothing but what is left of the draft."""
    left, turn = front.draft_left(), None
    if not plan.side:
        turn = await begin_turn(plan, prepared, world, left)
    elif left is not None:
        await world.store.save_draft(plan.chat, left)
    await front.question_kept()
    return turn


async def _keep_side(answering: Answering, first: Sending, outcome: TurnOutcome, world: World) -> None:
    """Keep a side question beside its chat, and its last request for the forecast of the next one."""
    sent = answering.sent
    asked_utc = answering.asked_utc or world.utc.utc_now()
    if sent is not None and outcome.usage.prompt_tokens is not None:
        world.sides[sent.built.inputs.conversation] = Asked(sent.built, asked_utc)
    await keep_side(first.prepared.built, outcome, asked_utc, world)


@dataclass(slots=True)
class _Line:
    """Builds the requests of one turn, each with what was said so far and the cuts of the one before."""

    plan: TurnPlan
    card: ModelCard
    model: ChatModel
    world: World
    stopper: Stopper
    compare_with: str = ""
    _standing: Conversation | None = None

    async def first(self) -> Sending:
        """The question, and after it the answer to be continued, where there is one."""
        return await self._build((*self.plan.rounds, *self._answer_to_continue()))

    async def next(self, front: Front, answering: Answering, said: tuple[Message, ...]) -> Sending:
        """The request after tools ran; one that no longer fits ends the turn with what there is."""
        self.compare_with = answering.answer_id or self.compare_with
        sending = await self._build(said)
        envelope = sending.prepared.built.envelope
        if not envelope.fits:
            raise ModelFailed(
                Failure(
                    "context",
                    tr(
                        "What the tools gave back makes the request {over_by_tokens} tokens too long.",
                        over_by_tokens=envelope.over_by_tokens,
                    ),
                    limit_tokens=envelope.budget.context_window_tokens,
                    asked_tokens=envelope.total_tokens,
                )
            )
        front.emit(EnvelopeBuilt(self.plan.chat, sending.prepared))
        return sending

    async def _build(self, rounds: tuple[Message, ...]) -> Sending:
        plan, builder = self.plan, self.world.builder
        conversation = self._standing or plan.conversation
        ask = Ask(
            plan.settings, plan.question, plan.now, plan.tool_results, rounds, self.card, found=plan.found
        )
        if self._standing is None:
            asked_at = asked_last(conversation, plan.settings.model)
            age_s = age_between(asked_at, self.world.utc.utc_now())
            cold = is_cold(builder.cache_rules(self.card), age_s) if plan.cold is None else plan.cold
            ask = replace(ask, cold=cold, age_s=age_s)
            conversation = replace(conversation, current=None) if cold else conversation
        elif conversation.current is not None:
            # The whole turn found it so; what its rounds hold is their own. What was quoted stays, and nothing else.
            sent = conversation.current.inputs
            ask = replace(ask, cold=sent.cold, found=sent.found)
        prepared = await self._counted(conversation, ask)
        if plan.cold is None and self._standing is None and nothing_held(prepared):
            # Nobody was shown another request, and its server has nothing of the last one: beginning anew is free.
            conversation = replace(conversation, current=None)
            prepared = await self._counted(conversation, replace(ask, cold=True))
        prepared = replace(prepared, compare_with=self.compare_with)
        # What was cut stays cut as it was sent: choosing anew would throw the provider's cache away at every round.
        built = prepared.built
        self._standing = replace(conversation, trim=built.envelope.cuts.trim, current=built.without_beginning)
        return Sending(prepared, request_for(prepared, plan, self.world))

    async def _counted(self, conversation: Conversation, ask: Ask) -> Prepared:
        plan, builder = self.plan, self.world.builder
        counting = prepare_exactly(conversation, ask, self.model, builder, self.world.store)
        prepared = await self.stopper.run(f"count the request of {plan.chat}", counting, None)
        return prepared or await prepare_nonblocking(conversation, ask, builder)

    def _answer_to_continue(self) -> tuple[Message, ...]:
        """The answer to continue: as a prefix of the new one, or with an instruction if the model cannot do that."""
        begun = self.plan.begun
        if begun is None:
            return ()
        go_on = Message(f"{begun.id}:go-on", "user", (_GO_ON,))
        return (begun,) if self.card.prefill else (begun, go_on)


def _with_report(outcome: TurnOutcome, sent: Prepared, front: Front) -> TurnOutcome:
    """The outcome with its report about the model, and a warning if the server read far less than was sent."""
    if outcome.state == "failed":
        return outcome
    report = last_report(sent, outcome)
    outcome, cut = replace(outcome, report=report), truncated(report)
    if cut is None:
        return outcome
    envelope = sent.built.envelope
    chat, window = sent.built.inputs.conversation, envelope.budget.context_window_tokens
    front.emit(NoticeGiven(chat, cut_off_words(cut, window)))
    return replace(outcome, truncated=cut)


def request_for(prepared: Prepared, plan: TurnPlan, world: World) -> ModelRequest:
    """The request to send: the envelope's messages with the chat's parameters."""
    parameters = {**world.parameters, **plan.parameters}
    request = outgoing_request(
        prepared.built, parameters, plan.pictures, world.limits, prepared.compare_with or ""
    )
    return replace(request, expected=expected_of(prepared, plan.workspace, over_cap=plan.over_cap))


async def _start(model: ChatModel, plan: TurnPlan, front: Front, stopper: Stopper) -> Failure | None:
    """Get the model ready; a failure is reported once the question is stored, not before."""

    def progress(what: str, fraction: float | None) -> None:
        front.emit(ModelProgressed(plan.chat, what, fraction))

    try:
        await stopper.run(f"start the model for {plan.chat}", model.ready(progress), None)
    except ModelFailed as failed:
        return failed.failure
    return None


def _without_tools(plan: TurnPlan, card: ModelCard, front: Front) -> TurnPlan:
    """The plan without tools, if the model does not support them."""
    settings = without_unsupported_tools(plan.settings, card)
    if settings is plan.settings:
        return plan
    front.emit(
        NoticeGiven(
            plan.chat,
            tr("{model} cannot use tools; the question is asked without them.", model=plan.settings.model),
        )
    )
    return replace(plan, settings=settings)


def _with_beginning(plan: TurnPlan, card: ModelCard, front: Front) -> TurnPlan:
    """The plan with the beginning of its answer as this model takes it; without one, if it need not have it."""
    if plan.begun is None or plan.begins == "asked":
        return plan
    if card.prefill:
        text = beginning_for(card, plan.begun.text)
        return replace(plan, begun=replace(plan.begun, texts=(text,)) if text else None)
    if plan.begins == "must":
        return plan
    front.emit(
        NoticeGiven(
            plan.chat, tr("{card}: the question is asked without it.", card=not_continued_words(card))
        )
    )
    return replace(plan, begun=None)


def _tools(plan: TurnPlan, world: World, front: Front, stopper: Stopper) -> ToolUse:
    wanted = {tool.name for tool in plan.settings.tools}
    box = world.toolbox_in(world.workspaces.find(plan.workspace))
    found = box.tools if box is not None else ()
    tools = {tool.definition.name: tool for tool in found if tool.definition.name in wanted}
    return ToolUse(plan, tools, world, front, stopper)


def _end(plan: TurnPlan, front: Front, outcome: TurnOutcome) -> TurnOutcome:
    front.emit(TurnEnded(plan.chat, plan.number, outcome))
    return outcome
