"""Exchanges become turns of conversations: placed, compared, counted, foretold, priced."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType, FrameType

import pytest

from tests.fakes.passing import (
    Watch,
    answered,
    call,
    messages,
    passed,
    result,
    said,
    shipped,
    text,
    tool,
    understanding,
)
from tests.fakes.tokenizer import WordTokenizer
from workbench.context.watch.pieces import Pieces
from workbench.domain.text import digest_text
from workbench.domain.watch.exchange import Exchange, WatchedFormat
from workbench.domain.watch.request import WatchedRequest
from workbench.engine.watch.understanding import Knowledge, json_line, summary

LINE = {
    *(
        "n",
        "conversation",
        "parent",
        "client",
        "format",
        "model",
        "bytes",
        "tokens",
        "relation",
        "first_difference",
    ),
    *(
        "causes",
        "prefix_lost_tokens",
        "forecast",
        "reported",
        "cost_usd",
        "status",
        "first_byte_ms",
        "findings",
    ),
}
SYSTEM = [text("Be brief. " * 800, mark=True)]


def test_a_probe_and_a_count_are_no_turns():
    watch = understanding()
    probe = passed(1, "anthropic", b"", method="HEAD", path="/")
    asked = passed(2, "anthropic", messages(said("user", "quota"), max_tokens=1))
    counted = passed(
        3,
        "anthropic",
        messages(said("user", "Why?")),
        b'{"input_tokens": 5}',
        path="/v1/messages/count_tokens",
    )

    assert [watch.take(one) for one in (probe, asked, counted)] == [None, None, None]


def test_a_line_has_the_names_that_stay():
    watch = understanding()
    first = watch.take(passed(1, "anthropic", messages(said("user", "Why?"), system=SYSTEM), answered()))
    assert first is not None

    line = json_line(first)

    assert line.keys() >= LINE
    assert line["relation"] == "first"
    assert line["tokens"] == {
        "total": 1612,
        "exact": False,
        "tools": 0,
        "system": 1606,
        "history": 0,
        "new": 6,
    }


def test_a_request_that_goes_on_is_extended_and_read_from_the_cache():
    watch = understanding()
    talk = [said("user", text("Why?", mark=True))]
    first = watch.take(passed(1, "anthropic", messages(*talk, system=SYSTEM), answered("So.")))
    talk = [said("user", "Why?"), said("assistant", "So."), said("user", text("And now?", mark=True))]
    second = watch.take(
        passed(2, "anthropic", messages(*talk, system=SYSTEM), answered(cache_read_input_tokens=1609))
    )

    assert first is not None
    assert second is not None
    assert second.conversation == first.conversation
    assert second.against.relation == "extended"
    assert second.forecast is not None
    assert second.forecast.predicted_read_tokens == first.request.tokens
    assert second.verdict == "as_predicted"


class Calls:
    """Counts calls of functions while it is entered."""

    def __init__(self, *codes: CodeType) -> None:
        self._codes = {*codes}
        self.count = 0

    def __enter__(self) -> Calls:
        sys.setprofile(self._note)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def _note(self, frame: FrameType, event: str, _: object) -> None:
        self.count += event == "call" and frame.f_code in self._codes


@dataclass(frozen=True)
class Work:
    """Characters that were counted and held, pieces that were read, and digests that were made."""

    counted: int
    held: int
    read: int
    digested: int


def anthropic_request(n: int) -> Exchange:
    """A request that goes on from all before it, with a mark at its end."""
    talk = [said("user", "Why?")]
    for place in range(n):
        talk += [
            said("assistant", f"For the reason {place}.", call("Read", f"c{place}", file_path=f"{place}.py")),
            said("user", result(f"c{place}", f"Line {place}.", mark=place == n - 1)),
        ]
    body = messages(*talk, system=SYSTEM, tools=[tool("Read")])
    return passed(n + 1, "anthropic", body, answered())


def openai_request(n: int) -> Exchange:
    """A request that goes on from all before it."""
    talk: list[dict[str, object]] = [{"role": "user", "content": "Why?"}]
    for place in range(n):
        function = {"name": "Read", "arguments": json.dumps({"path": f"{place}.py"})}
        calls = [{"id": f"c{place}", "type": "function", "function": function}]
        talk += [
            {"role": "assistant", "content": f"For the reason {place}.", "tool_calls": calls},
            {"role": "tool", "tool_call_id": f"c{place}", "content": f"Line {place}."},
        ]
    return passed(n + 1, "openai", {"model": "gpt-4o", "messages": talk})


def work_of(requests: int, request: Callable[[int], Exchange]) -> Work:
    """The work of a conversation of so many requests that each go on."""
    words = WordTokenizer()
    watch, turns = understanding(words), []
    read, digested = Calls(Pieces.add.__code__), Calls(digest_text.__code__)
    for n in range(requests):
        with read:
            turns.append(watch.take(request(n)))
    again = understanding(WordTokenizer())
    for n in range(requests):
        with digested:
            again.take(request(n))
    found = [one for one in turns if one is not None]
    assert [one.against.relation for one in found] == ["first", *["extended"] * (requests - 1)]
    texts = {id(one.text): len(one.text) for turn in found for one in turn.request.pieces}
    return Work(sum(map(len, words.asked)), sum(texts.values()), read.count, digested.count)


@pytest.mark.parametrize("request_of", [anthropic_request, openai_request])
def test_a_conversation_twice_as_long_is_twice_the_work(request_of: Callable[[int], Exchange]):
    """Counting, reading or keeping every request from its start would be a thousand times as much for a thousand."""
    fixed, one, two = (work_of(requests, request_of) for requests in (1, 12, 24))

    for name in ("counted", "held", "read", "digested"):
        first, once, twice = (getattr(work, name) for work in (fixed, one, two))
        assert twice - first <= 2.2 * (once - first), name


def test_a_request_that_was_refused_is_in_no_cache():
    watch, body = understanding(), messages(said("user", text("Why?", mark=True)), system=SYSTEM)
    overloaded = b'{"type": "error", "error": {"message": "Overloaded"}}'
    watch.take(passed(1, "anthropic", body, overloaded, status=529))
    again = watch.take(passed(2, "anthropic", body, answered()))
    third = watch.take(passed(3, "anthropic", body, answered()))

    assert again is not None
    assert third is not None
    assert (again.against.relation, again.against.causes) == ("identical", ())
    assert again.forecast is not None
    assert third.forecast is not None
    assert again.forecast.predicted_read_tokens == 0
    assert third.forecast.predicted_read_tokens == third.request.tokens


def test_a_mark_that_no_longer_reaches_is_a_cause():
    watch = Watch()
    watch.take(said("user", text("Why?", mark=True)), system=SYSTEM)
    plain = [text("Be brief. " * 800)]
    second = watch.take(
        said("user", "Why?"), said("assistant", "So."), said("user", "And now?"), system=plain
    )

    assert second.against.relation == "extended"
    assert second.against.causes == ("mark",)
    assert second.against.words == ("No cache mark reaches what the last request wrote.",)


def test_a_count_that_was_asked_for_is_exact():
    """Claude Code asks its server to count what it is about to send."""
    watch, body = understanding(), messages(said("user", "one two three"), system="Be brief.")
    watch.take(passed(1, "anthropic", body, b'{"input_tokens": 17}', path="/v1/messages/count_tokens"))
    turn = watch.take(passed(2, "anthropic", body, answered()))

    assert turn is not None
    assert (turn.request.tokens, turn.request.exact) == (17, True)


def test_estimates_are_corrected_by_what_answers_report():
    """A model with a tokenizer of its own: after a few answers new texts are counted as it counts them."""
    watch = understanding()
    turns = []
    for n in range(5):
        words = f"{n} " + "word " * 1000
        counted = 1500 if n < 4 else 0
        turns.append(
            watch.take(
                passed(n + 1, "anthropic", messages(said("user", words)), answered(input_tokens=counted))
            )
        )
    last = turns[-1]

    assert last is not None
    assert not last.request.exact
    assert 1450 < last.request.tokens < 1550


def test_a_server_without_known_rules_is_foretold_by_what_it_was_seen_to_do():
    """Any server that reports what its cache served."""
    watch = understanding(upstreams={"openai": "http://127.0.0.1:8080"})
    talk = [{"role": "user", "content": "word " * 400}]
    turns = []
    for n, cached in enumerate((0, 400, 416, 432)):
        usage = {"prompt_tokens": 405 + 10 * n, "prompt_tokens_details": {"cached_tokens": cached}}
        answer = {"choices": [{"message": {"content": "So."}, "finish_reason": "stop"}], "usage": usage}
        turn = watch.take(
            passed(n + 1, "openai", {"model": "m", "messages": talk}, json.dumps(answer).encode())
        )
        assert turn is not None
        turns.append(turn)
        talk = [*talk, {"role": "assistant", "content": "So."}, {"role": "user", "content": "And?"}]

    assert turns[0].forecast is None
    assert turns[2].forecast is not None
    assert turns[2].forecast.observed
    assert turns[2].forecast.predicted_read_tokens == turns[1].request.tokens
    assert turns[3].cost is None


@pytest.mark.parametrize(
    ("name", "model", "upstream", "provider"),
    [
        ("anthropic", "claude-opus-4-8", "", "anthropic"),
        ("anthropic", "claude-opus-4-8", "https://api.anthropic.com", "anthropic"),
        ("anthropic", "claude-opus-4-8", "http://127.0.0.1:4000", "anthropic"),
        ("anthropic", "qwen3", "http://127.0.0.1:8080", "server"),
        ("openai", "gpt-4o", "https://gateway.example", "openai"),
        ("openai", "gpt-4o", "http://127.0.0.1:8080", "server"),
        ("responses", "gpt-5", "", "openai"),
        ("responses", "gpt-5", "http://127.0.0.1:4000", "openai"),
        ("ollama", "llama3.2", "http://127.0.0.1:9999", "ollama"),
    ],
)
def test_who_answers_decides_prices_and_rules(name: WatchedFormat, model: str, upstream: str, provider: str):
    knowledge = Knowledge(*shipped(), lambda encoding: WordTokenizer(), upstreams={name: upstream})

    assert knowledge.card(WatchedRequest(name, model, ())).provider == provider


def test_what_nobody_can_read_is_still_a_turn():
    turn = understanding().take(passed(1, "anthropic", b"", unread="too_large"))

    assert turn is not None
    assert turn.request.odd == ("The request is too large to look at, so it was passed on unread.",)
    assert json_line(turn)["odd"] == list(turn.request.odd)


def test_a_model_on_this_computer_costs_nothing():
    body = {"model": "llama3.2", "messages": [{"role": "user", "content": "Why?"}]}
    answer = b'{"message": {"content": "So."}, "done": true, "prompt_eval_count": 9, "eval_count": 2}'
    turn = understanding().take(passed(1, "ollama", body, answer))

    assert turn is not None
    assert turn.cost is not None
    assert turn.cost.usd == 0


def test_the_end_is_told_in_five_lines():
    watch = understanding()
    first = watch.take(passed(1, "anthropic", messages(said("user", "Why?"), system=SYSTEM), answered()))
    other = messages(said("user", "Why?"), system=[text("Be kind. " * 800, mark=True)])
    second = watch.take(passed(2, "anthropic", other, answered()))
    assert first is not None
    assert second is not None

    lines = summary([first, second])

    assert len(lines) == 5
    assert lines[0] == "2 requests in 1 conversation (claude-opus-4-8)"
    assert lines[4].startswith("Worst break: request 2 lost ")
