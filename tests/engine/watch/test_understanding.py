"""Exchanges become turns of conversations: placed, compared, counted, foretold, priced."""

from __future__ import annotations

from tests.fakes.passing import answered, messages, passed, said, text, tool, understanding
from tests.fakes.tokenizer import WordTokenizer
from workbench.engine.watch.understanding import json_line, summary

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


def test_the_texts_of_a_long_conversation_are_counted_once():
    """Counting every request from its start would take hours for a long session."""
    words = WordTokenizer()
    watch = understanding(words)
    talk, relations = [said("user", "Why?")], []
    for n in range(1, 101):
        turn = watch.take(
            passed(n, "anthropic", messages(*talk, system=SYSTEM, tools=[tool("Read")]), answered())
        )
        relations += [None if turn is None else turn.against.relation]
        talk += [said("assistant", f"It is so, for the reason {n}."), said("user", f"And {n}?")]

    assert relations == ["first", *["extended"] * 99]
    counted = sum(map(len, words.asked))
    assert counted < 3 * (len(SYSTEM[0]["text"]) + sum(len(str(one)) for one in talk))


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
