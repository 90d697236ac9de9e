"""Rules while they run: whose they are, which conversation they know, and how they end."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.passing import PATHS, STARTED, passed, understanding
from workbench.context.watch.lines import json_line
from workbench.domain.watch.exchange import Exchange, WatchedFormat
from workbench.domain.watch.request import Finding
from workbench.domain.watch.rules import (
    NO_GAIN,
    NOT_UNDERSTOOD,
    WAITING,
    Changed,
    ProgramRules,
    Rule,
    parse_rule,
)
from workbench.engine.watch.ruling import Ruling

TOOLS: list[Any] = [
    {"name": name, "description": "many words " * 50, "input_schema": {}} for name in ("Read", "Cron")
]


def asking(
    n: int, *said: str, session: str = "s", system: str = "You help.", **about: Any
) -> tuple[Exchange, bytes]:
    messages = [
        {"role": "assistant" if place % 2 else "user", "content": one} for place, one in enumerate(said)
    ]
    body = {"model": "claude-sonnet-4-5", "tools": TOOLS, "system": system, "messages": messages}
    raw = json.dumps(body).encode()
    headers = (("user-agent", "claude-cli/2.1"), ("x-claude-code-session-id", session))
    return replace(passed(n, "anthropic", b"", headers=headers), **about), raw


def ruling(*rules: str) -> Ruling:
    return Ruling((ProgramRules("Claude Code", tuple(map(parse_rule, rules))),))


def test_rules_are_those_of_the_program_that_asks():
    rules = ruling("tools.without=Cron")
    exchange, raw = asking(1, "Hi")
    other = replace(exchange, headers=(("user-agent", "codex_exec/0.1"),))
    assert b"Cron" not in (rules.change(exchange, raw).body or b"")
    assert rules.change(other, raw) == Changed()
    assert rules.change(replace(exchange, path="/v1/messages/count_tokens"), raw) == Changed()
    assert rules.change(exchange, None).outcomes[0].why == NOT_UNDERSTOOD
    rules.keep(ProgramRules("Claude Code", (parse_rule("tools.without=Read"),)))
    assert b"Cron" in (rules.change(exchange, raw).body or b"")
    rules.keep(ProgramRules("Claude Code"))
    assert not rules.is_on()


def test_a_rule_that_is_off_is_said_and_changes_nothing():
    rules = Ruling((ProgramRules("Claude Code", (replace(parse_rule("tools.without=Cron"), on=False),)),))
    changed = rules.change(*asking(1, "Hi"))
    assert changed.body is None
    assert [one.state for one in changed.outcomes] == ["off"]


def test_conversations_are_told_apart_by_their_session_or_first_message():
    rules = ruling("text.freeze=system")
    for session, first, system, frozen in (
        ("a", "Hi", "Monday", "Monday"), ("a", "Hi", "Tuesday", "Monday"), ("b", "Hi", "Tuesday", "Tuesday"),
        ("", "Hi", "Friday", "Friday"), ("", "Hi", "Sunday", "Friday"), ("", "Ho", "Sunday", "Sunday"),
    ):  # fmt: skip
        exchange, raw = asking(1, first, session=session, system=system)
        body = json.loads(rules.change(exchange, raw).body or raw)
        assert body["system"] == frozen


def test_results_wait_for_a_cold_cache():
    rules = ruling("results.shorten=tokens=50,after=1")
    kind: WatchedFormat = "anthropic"
    result = {"type": "tool_result", "tool_use_id": "t", "content": "a line\n" * 200}
    call = {"type": "tool_use", "id": "t", "name": "Read", "input": {}}
    said: list[Any] = [
        {"role": "user", "content": "x" * 20_000}, {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result]},
        {"role": "assistant", "content": "So."},
    ]  # fmt: skip
    states = []
    for n, (at, more) in enumerate(((0, 1), (60, 2), (90, 3), (90 + 3601, 4))):
        talk = [
            *said,
            *({"role": "assistant" if turn % 2 else "user", "content": "y"} for turn in range(2 * more - 1)),
        ]
        raw = json.dumps({"model": "m", "messages": talk}).encode()
        exchange = replace(
            passed(n, kind, b"", headers=(("user-agent", "claude-cli/2"),)), started_at=STARTED + at
        )
        states.append(rules.change(exchange, raw).outcomes[0])
    assert [one.state for one in states] == ["skipped", "skipped", "skipped", "applied"]
    assert states[2].why == WAITING


def test_no_secret_leaves_with_a_message_that_looks_like_one_that_had_none():
    """What is known of messages must be of these messages, and of all secrets by then."""
    rules, key = ruling("secrets.redact"), "ghp_a8Kd93jfLs02kfjAAlq39dkfLLqpZ0183jfk"
    cited = {"type": "text", "text": "Yes.", "citations": [{"cited_text": f"the key {key}"}]}
    said: list[dict[str, Any]] = [{"role": "user", "content": f"Use {key[8:]} please"}]
    for answer in ({"type": "text", "text": "Yes."}, cited, cited):
        said = [*said, {"role": "assistant", "content": [answer]}, {"role": "user", "content": f"See {key}"}]
        exchange, _ = asking(len(said), "Hi")
        sent = rules.change(exchange, json.dumps({"model": "m", "messages": said}).encode()).body
        assert sent is not None
        assert key.encode() not in sent
        assert sent.count(b"REDACTED_") == sum(key in json.dumps(one) for one in said)


def answered(read: int) -> bytes:
    usage = {"input_tokens": 2400 - read, "cache_read_input_tokens": read, "output_tokens": 1}
    return json.dumps(
        {"type": "message", "id": "m", "content": [], "stop_reason": "end_turn", "usage": usage}
    ).encode()


@pytest.mark.parametrize(("read", "why"), [(0, NO_GAIN), (2200, "")])
def test_a_forecast_that_fails_three_times_is_no_gain(read: int, why: str):
    rules, watch, told = (
        ruling("tools.without=Cron", "cache.mark"),
        understanding(),
        list[tuple[str, tuple[Rule, ...]]](),
    )
    rules.on_change = lambda program, changed: told.append((program, changed))
    said, turn = ["word " * 2000], None
    for n in range(1, 6):
        exchange, raw = asking(n, *said)
        changed = rules.change(exchange, raw)
        answer = answered(read if n > 1 else 0)
        exchange = replace(
            exchange, request=changed.body or raw, came_in=raw, rules=changed.outcomes, sent_bytes=1, answer=answer,
            answer_bytes=len(answer),
        )  # fmt: skip
        turn = watch.take(exchange)
        rules.ended(exchange, turn)
        said += ["yes", "go on"]
    assert turn is not None
    assert {one.why for one in rules.rules("Claude Code")} == {why}
    assert len(told) == bool(why)
    line: Any = json_line(turn)
    assert line["rules"][0]["tokens_saved"] > 50
    assert line["rules"][0]["usd_saved"] > 0
    assert line["bytes_sent"] == 1


@pytest.mark.parametrize(
    ("before", "now", "off"),
    [
        (["tools.without=Cron"], ["tools.without=Cron", "cache.mark"], ["cache.mark"]),
        (["tools.without=Cron"], ["tools.without=Read", "cache.mark"], ["tools.without", "cache.mark"]),
        (["tools.without=Cron", "cache.mark"], ["tools.without=Cron", "cache.mark"], ["tools.without", "cache.mark"]),
        ([], ["tools.without=Cron", "cache.mark"], ["tools.without", "cache.mark"]),
    ],
)  # fmt: skip
def test_a_refusal_switches_off_the_rules_that_no_server_had_taken(
    before: list[str], now: list[str], off: list[str]
):
    """All rules of a refused request went off once, also those that had worked for days."""
    rules = ruling(*before)
    exchange, raw = asking(1, "Hi")
    went = replace(exchange, rules=rules.change(exchange, raw).outcomes, status=200)
    rules.ended(went, None)
    rules.keep(ProgramRules("Claude Code", tuple(map(parse_rule, now))))
    changed = rules.change(exchange, raw)
    assert {one.state for one in changed.outcomes} == {"applied"}
    told = rules.refused(exchange, changed, accepted=True)
    assert [one.name for one in rules.rules("Claude Code") if not one.on] == off
    assert [one.name for one in told.outcomes if one.state == "off"] == off
    assert [one.state for one in told.outcomes if one.name not in off] == ["skipped"] * (2 - len(off))


def test_a_rule_switched_on_or_off_is_named_where_it_changed_the_start():
    rules, watch, said, found = Ruling(), understanding(), ["word " * 2000], list[tuple[Finding, ...]]()
    steps = ((), ("tools.without=Cron",), ("tools.without=Cron",), (), (), "moved")
    for n, step in enumerate(steps, 1):
        rules.keep(ProgramRules("Claude Code", () if step == "moved" else tuple(map(parse_rule, step))))
        exchange, raw = asking(n, *said)
        raw = json.dumps({**json.loads(raw), "tools": TOOLS[::-1]}).encode() if step == "moved" else raw
        changed = rules.change(exchange, raw)
        turn = watch.take(
            replace(exchange, request=changed.body or raw, came_in=raw, rules=changed.outcomes, sent_bytes=1)
        )
        assert turn is not None
        found.append(tuple(one for one in turn.findings if one.kind == "prefix_lost"))
        said += ["yes", "go on"]
    assert [len(some) for some in found] == [0, 1, 0, 1, 0, 1]
    for some in (found[1], found[3]):
        assert "Your rule tools.without changed the start once." in some[0].words
        assert not some[0].advice
    assert "rule" not in found[5][0].words
    assert found[5][0].advice.startswith("Keep the tools")


def test_a_step_in_which_a_rule_shortens_results_is_not_laid_to_the_program():
    """“Leave earlier messages as they were sent” was said of what our own rule had cut."""
    rules, watch, found = ruling("results.shorten=tokens=50,after=1"), understanding(), list[Finding]()
    said: list[Any] = [{"role": "user", "content": "Hi there, look at them"}]
    for n in range(1, 6):
        exchange, _ = asking(n, "Hi")
        raw = json.dumps({"model": "claude-sonnet-4-5", "tools": TOOLS, "messages": said}).encode()
        changed = rules.change(exchange, raw)
        turn = watch.take(
            replace(exchange, request=changed.body or raw, came_in=raw, rules=changed.outcomes, sent_bytes=1)
        )
        assert turn is not None
        found += [one for one in turn.findings if one.kind == "prefix_lost"]
        call = {"type": "tool_use", "id": f"t{n}", "name": "Read", "input": {"file_path": f"{n}.py"}}
        result = {"type": "tool_result", "tool_use_id": f"t{n}", "content": f"a line of {n}\n" * 2000}
        said += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    assert found
    assert all("Your rule results.shorten changed the start once." in one.words for one in found)
    assert not any(one.advice for one in found)


PARTS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from(["", "user", "tool", "text", "tool_result", "Read"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "role",
                    "content",
                    "type",
                    "text",
                    "name",
                    "input",
                    "function",
                    "tool_calls",
                    "parts",
                    "output",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
KEYS = (
    "tools",
    "system",
    "messages",
    "input",
    "instructions",
    "contents",
    "functions",
    "tool_choice",
    "model",
)


@given(name=st.sampled_from([*PATHS]), body=st.dictionaries(st.sampled_from(KEYS), PARTS, max_size=5))
def test_whatever_a_body_holds_it_passes_changed_or_as_it_came(name: WatchedFormat, body: dict[str, Any]):
    """A system prompt that was a number raised an error once, and the client got no answer."""
    rules = (
        "tools.without=*",
        "text.freeze=system",
        "results.shorten",
        "secrets.redact",
        "block.drop=system[0]",
        "cache.mark",
    )
    exchange = passed(1, name, b"", headers=(("user-agent", "claude-cli/2"),))
    changed = ruling(*rules).change(exchange, json.dumps(body).encode())
    assert changed == Changed() or len(changed.outcomes) == len(rules)
    if changed.body is not None:
        json.loads(changed.body)
