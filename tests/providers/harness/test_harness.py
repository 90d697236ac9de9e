"""What every provider's stream is wrapped in."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import pytest

from tests.fakes.answers import PATIENT, Kept, keep, question
from tests.fakes.loop import in_loop
from workbench.domain.answer import (
    CallMade,
    Failure,
    FailureKind,
    Finished,
    ModelFailed,
    Progressed,
    Retrying,
    TextGrew,
    ThinkingGrew,
    UsageReported,
)
from workbench.domain.message import ToolCall
from workbench.domain.request import RequestMessage, Timeouts
from workbench.domain.usage import Usage
from workbench.providers.harness.failures import AttemptFailed, Explainer
from workbench.providers.harness.harness import (
    CallGrew,
    Discovery,
    EndSeen,
    Harness,
    RawPart,
    Waits,
    with_own_ids,
)
from workbench.providers.wire.endpoint import Endpoint

HASTY = Timeouts(first_token_s=0.3, idle_s=0.2)
A, END = TextGrew("a"), Finished("stop")
Step = RawPart | Exception | float
explain = Explainer(Endpoint("https://host.example", "m"))


class Attempts:
    """Attempts that play steps: parts are given, numbers waited for, errors raised."""

    def __init__(self, *attempts: list[Step]) -> None:
        self._attempts = list(attempts)
        self.made = 0
        self.closed = 0

    async def __call__(self) -> AsyncGenerator[RawPart, None]:
        steps = self._attempts[min(self.made, len(self._attempts) - 1)]
        self.made += 1
        try:
            for step in steps:
                if isinstance(step, Exception):
                    raise step
                if isinstance(step, float):
                    await asyncio.sleep(step)
                else:
                    yield step
        finally:
            self.closed += 1


def failing(
    kind: FailureKind = "server", *, again: bool = True, after_s: float | None = None
) -> AttemptFailed:
    return AttemptFailed(Failure(kind, "m", retry_after_s=after_s), again=again)


async def played(
    *attempts: list[Step], timeouts: Timeouts = PATIENT, local: bool = False, **harness: Any
) -> tuple[Kept, Attempts, list[float]]:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    made = Attempts(*attempts)
    kept = await keep(Harness(explain, local, Waits(sleep=sleep), **harness).stream(made, timeouts))
    return kept, made, slept


@in_loop
async def test_parts_are_given_on_in_order():
    parts: list[Step] = [
        Progressed("x"),
        ThinkingGrew("t"),
        A,
        CallMade(ToolCall("i", "n", "{}")),
        UsageReported(Usage(1)),
        END,
    ]
    kept, made, _ = await played(parts)
    assert kept.parts == parts
    assert (made.made, made.closed) == (1, 1)


@in_loop
async def test_what_comes_after_the_end_is_not_read():
    kept, made, _ = await played([A, END, TextGrew("late"), END])
    assert (kept.text, made.closed) == ("a", 1)


@in_loop
async def test_a_stream_without_an_end_is_cut_off():
    kept, _, slept = await played([A])
    assert (kept.state, kept.kind, slept) == ("interrupted", "protocol", [])


@pytest.mark.parametrize(
    "nothing", [[], [UsageReported(Usage(1))], [TextGrew("")], [ThinkingGrew("")], [EndSeen()]]
)
def test_an_end_without_anything_is_a_failure(nothing: list[RawPart]):
    async def run() -> Kept:
        return (await played([*nothing, END]))[0]

    assert asyncio.run(run()).kind == "empty"


@pytest.mark.parametrize("something", [TextGrew(" "), ThinkingGrew("x"), CallMade(ToolCall("i", "n", "{}"))])
def test_text_thoughts_or_calls_are_something(something: RawPart):
    async def run() -> Kept:
        return (await played([something, END]))[0]

    assert asyncio.run(run()).state == "complete"


@in_loop
async def test_before_the_first_content_it_tries_again_and_says_so():
    kept, made, slept = await played([Progressed("p"), failing()], [failing("rate")], [A, END])
    assert (kept.text, made.made, made.closed, slept) == ("a", 3, 3, [0.5, 1.0])
    assert kept.retries == [
        Retrying(1, 0.5, Failure("server", "m"), 3),
        Retrying(2, 1.0, Failure("rate", "m"), 3),
    ]


@in_loop
async def test_after_two_retries_it_gives_up():
    kept, made, _ = await played([failing()])
    assert (kept.kind, made.made) == ("server", 3)


@pytest.mark.parametrize("content", [A, ThinkingGrew("t"), CallGrew(1), CallMade(ToolCall("i", "n", "{}"))])
def test_after_content_it_never_tries_again(content: RawPart):
    """The text is there already: another attempt would say it twice, and cost it twice."""

    async def run() -> int:
        return (await played([content, failing()]))[1].made

    assert asyncio.run(run()) == 1


@in_loop
async def test_what_cannot_go_better_is_not_tried_again():
    assert (await played([failing("auth", again=False)]))[1].made == 1


@pytest.mark.parametrize(
    ("after_s", "slept"), [(0.0, [0.0]), (3.0, [3.0]), (10.0, [10.0]), (10.1, []), (3600.0, [])]
)
def test_a_wait_is_kept_to_up_to_ten_seconds_and_refused_beyond(after_s: float, slept: list[float]):
    async def run() -> tuple[Kept, Attempts, list[float]]:
        return await played([failing("rate", after_s=after_s)], [A, END])

    kept, _, waited = asyncio.run(run())
    assert waited == slept
    assert kept.failure is None if slept else kept.failure == Failure("rate", "m", retry_after_s=after_s)


@in_loop
async def test_the_first_content_has_its_own_deadline():
    kept, made, _ = await played([0.1, Progressed("p"), 5.0, A], timeouts=HASTY)
    assert (kept.state, kept.kind, made.made, made.closed) == ("failed", "timeout", 1, 1)
    assert "within 0.3 s" in (kept.failure or Failure("empty", "")).message


@in_loop
async def test_between_content_the_idle_deadline_counts():
    kept, _, _ = await played([A, 5.0, A, END], timeouts=HASTY)
    assert (kept.state, kept.kind, kept.text) == ("interrupted", "timeout", "a")


@pytest.mark.parametrize(
    "silent", [TextGrew(""), ThinkingGrew(""), UsageReported(Usage(1)), Progressed("x"), CallGrew(0)]
)
def test_what_says_nothing_moves_no_deadline(silent: RawPart):
    steps: list[Step] = [A, *[0.05, silent] * 30, A, END]

    async def run() -> Kept:
        return (await played(steps, timeouts=HASTY))[0]

    assert asyncio.run(run()).kind == "timeout"


@pytest.mark.parametrize("content", [A, ThinkingGrew("t"), CallGrew(1), EndSeen()])
def test_content_moves_the_deadline(content: RawPart):
    patient = Timeouts(first_token_s=5, idle_s=1.0)

    async def run() -> Kept:
        return (await played([A, *[0.3, content] * 5, END], timeouts=patient))[0]

    assert asyncio.run(run()).state == "complete"


@in_loop
async def test_a_slow_reader_does_not_use_up_the_providers_time():
    made = Attempts([A, 0.05, A, END])
    async with aclosing(Harness(explain, False).stream(made, Timeouts(idle_s=0.6))) as parts:
        seen = []
        async for part in parts:
            seen.append(part)
            await asyncio.sleep(0.7)
    assert seen == [A, A, END]


def test_a_local_model_may_take_longer_before_its_first_token():
    waits = Timeouts()
    assert [waits.until_first_token_s(local=local) for local in (True, False)] == [600.0, 120.0]
    assert (waits.connect_s, waits.idle_s) == (10.0, 60.0)


@in_loop
async def test_a_timeout_inside_a_library_is_not_mistaken_for_ours():
    kept, made, _ = await played([TimeoutError("of the system")])
    assert (kept.kind, made.made) == ("network", 3)


@in_loop
async def test_whatever_is_raised_becomes_a_failure_without_a_past():
    kept, _, _ = await played([A, ZeroDivisionError()])
    assert (kept.kind, kept.text) == ("protocol", "a")
    assert kept.error is not None
    assert (type(kept.error), kept.error.__cause__, kept.error.__context__) == (ModelFailed, None, None)


@pytest.mark.parametrize("part", [TextGrew("x" * 60), ThinkingGrew("x" * 60), CallGrew(60)])
def test_an_answer_without_end_is_refused(part: RawPart):
    async def run() -> Kept:
        return (await played([A, part, part, END], longest_chars=100))[0]

    assert asyncio.run(run()).kind == "too_big"


@in_loop
async def test_a_character_in_two_halves_is_joined():
    kept, _, _ = await played([TextGrew("\ud83c"), TextGrew("\udf0d"), TextGrew("\ud83c"), END])
    assert kept.text == "🌍\ufffd"


@in_loop
async def test_a_signature_comes_through_even_without_text():
    kept, _, _ = await played([ThinkingGrew("t"), ThinkingGrew("", "signed"), A, END])
    assert kept.parts[1] == ThinkingGrew("", "signed")


@in_loop
async def test_closing_closes_the_attempt_at_once():
    made = Attempts([A, 60.0, END])
    stream = Harness(explain, False).stream(made, PATIENT)
    assert await anext(stream) == A
    await stream.aclose()
    assert made.closed == 1


@in_loop
async def test_cancelling_closes_the_attempt_and_is_not_swallowed():
    made = Attempts([A, 60.0, END])
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            await keep(Harness(explain, False).stream(made, PATIENT))
    assert made.closed == 1


@in_loop
async def test_an_attempt_that_cannot_be_closed_does_not_spoil_the_answer():
    class Stubborn(Attempts):
        async def __call__(self) -> AsyncGenerator[RawPart, None]:
            try:
                yield A
                yield END
            finally:
                raise OSError

    kept = await keep(Harness(explain, False).stream(Stubborn(), PATIENT))
    assert kept.state == "complete"


def test_waits_are_short_by_default():
    waits: Callable[[], Waits] = Waits
    assert (waits().retries_s, waits().longest_retry_after_s) == ((0.5, 1.0), 10.0)


# Ids for tool calls that came without one.


NAMELESS = ToolCall("", "look", "{}")


def test_an_id_that_was_given_is_kept():
    assert with_own_ids([ToolCall("a", "n", "{}")], question()) == [ToolCall("a", "n", "{}")]


def test_a_missing_id_is_made_the_same_way_every_time():
    once, again = (
        with_own_ids([NAMELESS, NAMELESS], question()),
        with_own_ids([NAMELESS, NAMELESS], question()),
    )
    assert once == again
    assert len({call.id for call in once}) == 2
    assert all(call.id.startswith("call_") for call in once)


def test_an_id_that_is_taken_is_replaced():
    """Some servers call every call `call_1`; a result would then belong to several of them."""
    said = RequestMessage("a", "assistant", "", tool_calls=(ToolCall("call_1", "n", "{}"),))
    request = replace(question(), messages=(*question().messages, said))
    calls = with_own_ids(
        [ToolCall("call_1", "n", "{}"), ToolCall("b", "n", "{}"), ToolCall("b", "n", "{}")], request
    )
    assert len({"call_1", *(call.id for call in calls)}) == 4


def test_ids_of_different_turns_differ():
    later = replace(question(), messages=question().messages * 2)
    assert with_own_ids([NAMELESS], question()) != with_own_ids([NAMELESS], later)


# Asking a server about its models: briefly, rarely, and without ever failing a turn.


class Server:
    """Answers, fails or keeps silent."""

    def __init__(self, answer: dict[str, Any] | Exception | None) -> None:
        self.answer = answer
        self.asked = 0

    async def __call__(self) -> dict[str, Any]:
        self.asked += 1
        if self.answer is None:
            await asyncio.sleep(60)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer or {}


@in_loop
async def test_what_was_said_is_remembered():
    server = Server({"a": 1})
    discovery = Discovery(server)
    assert [await discovery.known(), await discovery.known()] == [{"a": 1}, {"a": 1}]
    assert server.asked == 1


@in_loop
async def test_an_error_is_nothing_and_the_server_is_left_alone_for_a_while():
    server = Server(ValueError())
    discovery = Discovery(server)
    assert [await discovery.known(), await discovery.known()] == [{}, {}]
    assert server.asked == 1


@in_loop
async def test_a_silent_server_is_not_waited_for():
    server = Server(None)
    discovery = Discovery(server, patience_s=0.05)
    async with asyncio.timeout(250):
        assert await discovery.known() == {}


@in_loop
async def test_it_asks_anew_when_told_to():
    server = Server(OSError())
    discovery = Discovery(server)
    await discovery.known()
    server.answer = {"a": 1}
    discovery.forget()
    assert await discovery.known() == {"a": 1}


@in_loop
async def test_loading_the_client_does_not_use_up_the_time_to_ask():
    """Two seconds of importing were two of the three seconds; on a busy machine the server was never asked."""
    server = Server({"a": 1})

    async def load() -> None:
        await asyncio.sleep(0.3)

    assert await Discovery(server, load, patience_s=0.1).known() == {"a": 1}


@in_loop
async def test_what_a_server_said_stands_in_while_it_is_silent():
    learnt: dict[str, dict[str, Any]] = {}
    await Discovery(Server({"window": 8192}), learnt=learnt, about="here").known()
    silent = Discovery(Server(OSError()), learnt=learnt, about="here")
    assert await silent.known() == {"window": 8192}
    assert await Discovery(Server(OSError()), learnt=learnt, about="elsewhere").known() == {}
