"""One question over variants, models and repeats: planned with its price, asked in an order that keeps caches warm."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from workbench.context.compare.compare import compare
from workbench.domain.answer import ModelFailed, TextGrew, UsageReported
from workbench.domain.change import Built
from workbench.domain.codec import decode, encode
from workbench.domain.errors import InvalidInput, WorkbenchError
from workbench.domain.experiment import Cell, Check, Experiment
from workbench.domain.record import Record, TurnRecord
from workbench.domain.request import ModelRequest
from workbench.domain.usage import Usage, cost_of
from workbench.domain.variant import Variant
from workbench.engine.assembly.prepare import foretell
from workbench.engine.comparing import AS_SENT, Branch
from workbench.engine.conversation import Asked, Conversation
from workbench.engine.influence.subject import Moved
from workbench.engine.rerun import Rerun
from workbench.engine.shown.inspection import counter_of
from workbench.engine.spending import Purse
from workbench.engine.tasks import Stopper
from workbench.engine.wire_forms import outgoing_request
from workbench.engine.world import World
from workbench.ports.history import HistoryStore

LONGEST_ANSWER = 2_048
"""So much of an answer is reserved under a cap where nothing else limits it."""
MOST_CELLS = 200


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be tried.

    Attributes:
        models: none: each variant's own. cap_usd: what all of it may cost; None: no end.
        longest_answer: tokens an answer may have.
    """

    variants: tuple[Variant, ...] = ()
    models: tuple[str, ...] = ()
    repeats: int = 1
    cap_usd: float | None = None
    checks: tuple[Check, ...] = ()
    longest_answer: int = LONGEST_ANSWER


@dataclass(frozen=True, slots=True)
class _Run:
    """A request that is asked `repeats` times: a row of cells."""

    variant: str
    model: str
    built: Built
    request: ModelRequest
    purse: Purse


class Trial:
    """One experiment; nothing is sent before `run`.

    Attributes:
        expected_usd, most_usd: its price with what caches serve counted in, and at most; None where one is unknown.
    """

    def __init__(self, branch: Branch, plan: Plan, world: World) -> None:
        self._branch, self._plan, self._world = branch, plan, world
        if plan.repeats < 1:
            raise InvalidInput("--repeats", f"expected 1 or more, got {plan.repeats}")
        self._runs = self._ordered([self._prepared(*pair) for pair in self._pairs()])
        cells = len(self._runs) * plan.repeats
        if cells > MOST_CELLS:
            raise InvalidInput("--repeats", f"{cells} requests; at most {MOST_CELLS} are asked at once")
        self.expected_usd = _sum(self._expected(run) for run in self._runs)
        each = [run.purse.most(run.built, plan.longest_answer) for run in self._runs]
        self.most_usd = _sum(None if one is None else one * plan.repeats for one in each)

    @property
    def requests(self) -> int:
        return len(self._runs) * self._plan.repeats

    @property
    def tokens(self) -> int:
        """What all requests have together."""
        return sum(run.built.envelope.total_tokens for run in self._runs) * self._plan.repeats

    async def run(self, stopper: Stopper, moved: Moved) -> Experiment:
        """Ask cell by cell; a stop, a failure or the cap keeps what is there."""
        clock, done = self._world.builder.clock, 0
        began = clock.monotonic_ms()
        cells: dict[tuple[str, str, int], Cell] = {}
        notes: list[str] = []
        moved(0, self.requests, None)
        for run in self._runs:
            if stopper.stopped():
                break
            for repeat in range(1, self._plan.repeats + 1):
                most = run.purse.most(run.built, self._plan.longest_answer)
                if not self._allows(most):
                    notes.append(self._over_cap(most, done))
                    break
                cell = await self._asked(run, repeat, most, stopper)
                if cell is None:
                    notes.append(
                        f"Stopped. {done} of {self.requests} requests were asked; their answers are kept."
                    )
                    break
                cells[run.variant, run.model, repeat], done = cell, done + 1
                left_s = (clock.monotonic_ms() - began) / 1000 / done * (self.requests - done)
                moved(done, self.requests, left_s)
        return self._result(cells, tuple(dict.fromkeys(notes)))

    def _pairs(self) -> list[tuple[Variant, str]]:
        variants = (Variant(AS_SENT), *self._plan.variants)
        keys = dict.fromkeys(one.key for turn in self._branch.turns for one in turn.attached)
        own = self._branch.turns[-1].settings.model
        found = [
            (variant.among(keys), model)
            for variant in variants
            for model in self._plan.models or (str(variant.settings.get("model", own)),)
        ]
        return list({(variant.name, model): (variant, model) for variant, model in found}.values())

    def _prepared(self, variant: Variant, model: str) -> _Run:
        world, own = self._world, self._branch.turns[-1].settings.model
        settings = {**variant.settings, "model": model} if model != own else variant.settings
        built = (
            Rerun(world.builder, replace(variant, settings=settings))
            .play(self._branch.turns, self._branch.times)
            .built
        )
        if not built.envelope.fits:
            over = built.envelope.over_by_tokens
            raise WorkbenchError(
                f"{variant.name} with {model} does not fit: it is over by {over:,} tokens. Nothing was asked."
            )
        card = built.inputs.model
        request = outgoing_request(built, world.parameters, {}, world.limits)
        most = min(self._plan.longest_answer, request.max_output_tokens or self._plan.longest_answer)
        purse = Purse(card, world.prices.price(card), self._plan.cap_usd)
        return _Run(variant.name, model, built, replace(request, max_output_tokens=most), purse)

    def _ordered(self, runs: Sequence[_Run]) -> list[_Run]:
        """Those of a model together, and of them those that begin alike."""
        return sorted(runs, key=lambda run: (run.model, [one.content for one in run.built.envelope.messages]))

    def _expected(self, run: _Run) -> float | None:
        """The first request as if nothing held it, repeats as it is cached then; answers as long as the sent one."""
        builder, built = self._world.builder, run.built
        price = self._world.prices.price(built.inputs.model)
        counter = counter_of(built, builder)
        chat = built.inputs.conversation
        held = Conversation(chat, previous=built, held=(Asked(built),))
        cases = ((Conversation(chat), 1), (held, self._plan.repeats - 1))
        total = 0.0
        for conversation, times in cases:
            change = compare(conversation.previous, built, counter)
            found = foretell(conversation, built, change, builder, None)
            read = 0 if found is None else found.predicted_read_tokens
            usage = Usage(built.envelope.total_tokens, read, completion_tokens=self._answer_tokens())
            most = run.purse.most(built, self._answer_tokens())
            cost = most if price is None or most in (None, 0.0) else cost_of(usage, price)
            if cost is None:
                return None
            total += times * (cost if isinstance(cost, float) else cost.usd)
        return total

    def _answer_tokens(self) -> int:
        told = (self._branch.sent.usage or {}).get("completion_tokens")
        return told if isinstance(told, int) else self._plan.longest_answer // 4

    def _allows(self, most: float | None) -> bool:
        cap = self._plan.cap_usd
        return cap is None or (self._spent() or 0.0) + (most or 0.0) <= cap

    def _spent(self) -> float | None:
        return _sum(run.purse.spent_usd for run in self._runs)

    def _over_cap(self, most: float | None, done: int) -> str:
        cap = self._plan.cap_usd or 0.0
        return (
            f"The next request may cost up to ${most or 0.0:.4f}, which could pass the cap of ${cap:g}. "
            f"{done} of {self.requests} requests were asked; their answers are kept."
        )

    async def _asked(self, run: _Run, repeat: int, most: float | None, stopper: Stopper) -> Cell | None:
        empty = Cell(run.variant, run.model, repeat)
        try:
            return await stopper.run("ask a cell", self._answered(run, empty, most), None)
        except (ModelFailed, WorkbenchError) as failed:
            words = failed.failure.message if isinstance(failed, ModelFailed) else str(failed)
            run.purse.pay(Usage(), most)  # what was read of it may have to be paid
            return replace(empty, state="failed", problem=words)

    async def _answered(self, run: _Run, empty: Cell, most: float | None) -> Cell:
        clock = self._world.builder.clock
        model = self._world.models.open(run.model)
        await model.ready(lambda what, part: None)
        began, first_ms = clock.monotonic_ms(), None
        text, usage = "", Usage()
        async with aclosing(model.stream(run.request)) as parts:
            async for part in parts:
                if isinstance(part, TextGrew):
                    first_ms = clock.monotonic_ms() - began if first_ms is None else first_ms
                    text += part.text
                usage = part.usage if isinstance(part, UsageReported) else usage
        before = run.purse.spent_usd
        run.purse.pay(usage, most)
        spent = None if before is None or run.purse.spent_usd is None else run.purse.spent_usd - before
        checks = tuple((check.words, check.holds(text)) for check in self._plan.checks)
        return replace(
            empty, state="complete", answer=text, prompt_tokens=usage.prompt_tokens,
            cached_tokens=usage.cached_tokens, completion_tokens=usage.completion_tokens, first_ms=first_ms,
            total_ms=clock.monotonic_ms() - began, usd=spent, checks=checks,
        )  # fmt: skip

    def _result(self, cells: dict[tuple[str, str, int], Cell], notes: tuple[str, ...]) -> Experiment:
        places = [
            (variant.name, model, repeat)
            for variant, model in self._pairs()
            for repeat in range(1, self._plan.repeats + 1)
        ]
        sent = self._branch.sent
        return Experiment(
            sent.chat, sent.number, tuple(cells.get(place) or Cell(*place) for place in places),
            self.expected_usd, self.most_usd, self._spent(), notes, self._world.utc.utc_now(),
        )  # fmt: skip


NOTE = "experiments"
_MOST_KEPT = 5


async def keep_experiment(found: Experiment, turn: TurnRecord, store: HistoryStore) -> None:
    """Keep an experiment with the turn's question, encrypted like all of the chat; the newest few stay."""
    record = await _question(turn, store)
    if record is not None and found.asked:
        kept = [encode(one) for one in (*kept_experiments(record), found)[-_MOST_KEPT:]]
        await store.annotate(turn.chat, record.id, {**record.metadata, NOTE: kept})


async def last_experiment(turn: TurnRecord, store: HistoryStore) -> Experiment | None:
    """What was tried last with a turn's question."""
    record = await _question(turn, store)
    found = () if record is None else kept_experiments(record)
    return found[-1] if found else None


def kept_experiments(record: Record) -> tuple[Experiment, ...]:
    """What is kept with a question and can be read, oldest first."""
    noted = record.metadata.get(NOTE)
    try:
        return tuple(decode(Experiment, one) for one in noted) if isinstance(noted, list) else ()
    except (InvalidInput, TypeError, ValueError):
        return ()  # from a file that somebody wrote, or from a later version


async def _question(turn: TurnRecord, store: HistoryStore) -> Record | None:
    found = await store.tail(turn.chat, 1, turn.question) if turn.question else ()
    return found[0] if found else None


def _sum(costs: Iterable[float | None]) -> float | None:
    found = list(costs)
    return None if None in found else sum(one or 0.0 for one in found)
