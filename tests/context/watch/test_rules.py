"""Rules on parsed bodies: what each changes in each protocol, and what none may ever do."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.context.watch.acting import Acted, Remembered, act, changed_body, understood
from workbench.context.watch.redacting import Redactor, Restorer
from workbench.context.watch.splicing import Bodies, Draft, path_of, value_at
from workbench.domain.watch.exchange import WatchedFormat
from workbench.domain.watch.rules import NO_CHANGE, WAITING, Rule, parse_rule

KEY = "ghp_a8Kd93jfLs02kfjAAlq39dkfLLqpZ0183jfk"
ALL = (
    "tools.without=Cron,Bash", "text.freeze=PLACE", "results.shorten=tokens=50,after=1", "secrets.redact",
    "block.drop=BLOCK", "cache.mark",
)  # fmt: skip
PLACES: dict[WatchedFormat, tuple[str, str]] = {
    "anthropic": ("system[1].text", "system[0]"), "openai": ("messages[0].content", "messages[1].content"),
    "responses": ("instructions", "input[0].content[0]"), "ollama": ("messages[0].content", "messages[1].content"),
    "gemini": ("systemInstruction.parts[1].text", "systemInstruction.parts[0]"),
}  # fmt: skip


def body_of(
    name: WatchedFormat, date: str = "2026-11-18", turns: int = 3, result: str = "", key: str = KEY
) -> Any:
    """A conversation of so many turns with a call of Read each, as each protocol writes it."""
    tools, said = ("Read", "Cron", "Bash"), list[Any]()
    system: list[Any]
    defined: list[Any]
    result = result or "\n".join(f"line {n} of a long log" for n in range(200))
    for turn in range(turns):
        question, told = f"Question {turn} {key}" if not turn else f"Question {turn}", {"key": key, "n": turn}
        match name:
            case "anthropic":
                call = {"type": "tool_use", "id": f"t{turn}", "name": "Read", "input": told}
                back = {
                    "type": "tool_result",
                    "tool_use_id": f"t{turn}",
                    "content": [{"type": "text", "text": result}],
                }
                said += [
                    {"role": "user", "content": [{"type": "text", "text": question}]},
                    {
                        "role": "assistant",
                        "content": [{"type": "thinking", "thinking": key, "signature": key}, call],
                    },
                    {"role": "user", "content": [back]},
                ]
            case "openai" | "ollama":
                given = told if name == "ollama" else json.dumps(told)
                call = {
                    "id": f"t{turn}",
                    "type": "function",
                    "function": {"name": "Read", "arguments": given},
                }
                said += [
                    {"role": "user", "content": question},
                    {"role": "assistant", "content": None, "tool_calls": [call]},
                    {"role": "tool", "tool_call_id": f"t{turn}", "content": result},
                ]
            case "responses":
                call = {
                    "type": "function_call",
                    "call_id": f"t{turn}",
                    "name": "Read",
                    "arguments": json.dumps(told),
                }
                said += [
                    {
                        "type": "message",
                        "role": "user",
                        "content": [{"type": "input_text", "text": question}],
                    },
                    call,
                    {"type": "function_call_output", "call_id": f"t{turn}", "output": result},
                ]
            case "gemini":
                said += [
                    {"role": "user", "parts": [{"text": question}]},
                    {"role": "model", "parts": [{"functionCall": {"name": "Read", "args": told}}]},
                    {
                        "role": "user",
                        "parts": [{"functionResponse": {"name": "Read", "response": {"output": result}}}],
                    },
                ]
    first, second = "A reminder of who you are.", f"You help.\nToday is {date}.\nBe brief."
    match name:
        case "anthropic":
            system = [{"type": "text", "text": first}, {"type": "text", "text": second}]
            defined = [{"name": one, "description": "d", "input_schema": {}} for one in tools]
            return {"model": "m", "tools": defined, "system": system, "messages": said, "stream": True}
        case "openai" | "ollama":
            defined = [{"type": "function", "function": {"name": one, "parameters": {}}} for one in tools]
            system = [{"role": "system", "content": second}, {"role": "system", "content": first}]
            return {"model": "m", "messages": [*system, *said], "tools": defined}
        case "responses":
            defined = [{"type": "function", "name": one, "parameters": {}} for one in tools]
            about = {
                "type": "message",
                "role": "developer",
                "content": [{"type": "input_text", "text": first}],
            }
            return {"model": "m", "instructions": second, "input": [about, *said], "tools": defined}
        case "gemini":
            defined = [{"functionDeclarations": [{"name": one} for one in tools]}]
            parts = [{"text": first}, {"text": second}]
            return {"systemInstruction": {"parts": parts}, "contents": said, "tools": defined}


def rules_for(name: WatchedFormat, written: Sequence[str] = ALL) -> tuple[Rule, ...]:
    place, block = PLACES[name]
    return tuple(parse_rule(one.replace("PLACE", place).replace("BLOCK", block)) for one in written)


def strictly_parsed(text: str) -> Any:
    return Bodies(strict=True).parsed(text)[0]


def redactor() -> Redactor:
    return Redactor(b"salt")


def acted(name: WatchedFormat, body: Any, *rules: Rule, memory: Remembered | None = None) -> Acted:
    return act(body, name, rules, memory or Remembered(), redactor())


@pytest.mark.parametrize("name", PLACES)
def test_each_rule_in_each_protocol(name: WatchedFormat):
    body = body_of(name)
    first = acted(name, body, *rules_for(name))
    second = acted(name, body_of(name, "2026-11-19"), *rules_for(name), memory=first.memory)
    state = {one.name: one.state for one in second.outcomes}
    text = json.dumps(second.draft.result())
    assert state["tools.without"] == "applied"
    assert '"Cron"' not in text
    assert '"Bash"' not in text
    assert '"Read"' in text
    assert state["text.freeze"] == "applied"
    assert value_at(second.draft.result(), ()) is not None
    assert "Today is 2026-11-18." in text
    assert 'is now \\"Today is 2026-11-19.\\"]' in text.replace('\\\\\\"', '\\"')
    assert state["block.drop"] == "applied"
    assert "A reminder of who you are." not in text
    assert state["secrets.redact"] == "applied"
    assert text.count(KEY) == (
        6 if name == "anthropic" else 0
    )  # in thoughts and their signatures, which are checked
    assert state["results.shorten"] == ("skipped" if name == "gemini" else "applied")
    assert state["cache.mark"] == ("applied" if name == "anthropic" else "skipped")


@pytest.mark.parametrize("name", PLACES)
@given(data=st.data())
def test_bytes_are_what_the_rules_made_of_the_value_and_twice_is_once(
    name: WatchedFormat, data: st.DataObject
):
    """Bytes and values went two ways once: a secret in a line that another rule had added stayed in the bytes."""
    chosen = rules_for(name, data.draw(st.lists(st.sampled_from(ALL), unique=True)))
    turns, indent = data.draw(st.integers(1, 4)), data.draw(st.sampled_from([None, 1]))
    memory = Remembered()
    for date in data.draw(
        st.lists(st.sampled_from(["2026-11-18", "2026-11-19", KEY]), min_size=1, max_size=3)
    ):
        body = body_of(name, date, turns)
        text = json.dumps(body, indent=indent, ensure_ascii=data.draw(st.booleans()))
        made = acted(name, understood(text, name, Bodies(strict=True))[0], *chosen, memory=memory)
        assert made.draft.result() == strictly_parsed(made.draft.spliced(text))
        assert _pairs(made.draft.result()) == _pairs(body)
        for known in (made.memory, Remembered()):
            again = acted(name, made.draft.result(), *chosen, memory=known)
            assert again.draft.result() == made.draft.result()
        memory = made.memory


def _pairs(value: Any) -> list[tuple[str, str]]:
    """Ids of calls and results, and what is called, in their order."""
    if isinstance(value, dict):
        own = [(key, value[key]) for key in ("id", "call_id", "tool_use_id", "tool_call_id") if key in value]
        return own + [pair for key, one in value.items() if key != "tools" for pair in _pairs(one)]
    return [pair for one in value for pair in _pairs(one)] if isinstance(value, list) else []


@given(
    value=st.recursive(
        st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=4),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
        max_leaves=15,
    ).filter(lambda one: isinstance(one, dict | list)),
    data=st.data(),
)
def test_any_edits_of_any_json_are_spliced_as_they_are_made(value: Any, data: st.DataObject):
    text = json.dumps(
        value, indent=data.draw(st.sampled_from([None, 2])), ensure_ascii=data.draw(st.booleans())
    )
    draft = Draft(strictly_parsed(text))
    for _ in range(data.draw(st.integers(0, 4))):
        at: tuple[Any, ...] = ()
        inside = draft.body
        while isinstance(inside, dict | list) and (not at or data.draw(st.booleans())):
            keys = [*inside, "new"] if isinstance(inside, dict) else [*range(len(inside) + 1)]
            at = (*at, data.draw(st.sampled_from(keys)))
            inside = value_at(draft.body, at)
        if _has(value, at) and _has(draft.body, at) and data.draw(st.booleans()):
            draft.remove(at)
        else:
            draft.put(at, data.draw(st.sampled_from(["é", "\ud800", {"a": [1]}, 3])))
    assert strictly_parsed(draft.spliced(text)) == draft.result()


def _has(value: Any, at: tuple[Any, ...]) -> bool:
    """Whether a place was there from the beginning: what an edit added is not removed by another one."""
    inside = value_at(value, at[:-1])
    return (
        (at[-1] in inside) if isinstance(inside, dict) else isinstance(inside, list) and _in(at[-1], inside)
    )


def _in(place: Any, some: list[Any]) -> bool:
    return isinstance(place, int) and place < len(some)


@pytest.mark.parametrize("name", PLACES)
def test_the_prefix_is_stable_from_the_first_changed_request_on(name: WatchedFormat):
    """A line that was sent with a message must stand there in the next request, too, or its cache is lost."""
    rules, memory, sent = rules_for(name, ALL[:4]), Remembered(), []
    for turns, date in ((1, "18"), (2, "19"), (3, "19"), (4, "20")):
        made = acted(name, body_of(name, date, turns, result="short"), *rules, memory=memory)
        memory = made.memory
        sent.append(made.draft.result())
    key = {"responses": "input", "gemini": "contents"}.get(name, "messages")
    for before, after in pairwise(sent[1:]):
        assert after[key][: len(before[key])] == before[key]
        assert {one: before[one] for one in before if one != key} == {
            one: after[one] for one in after if one != key
        }


def test_a_tool_that_was_called_or_is_chosen_stays_also_after_a_compaction():
    rule = parse_rule("tools.without=*")
    first = acted("anthropic", body_of("anthropic"), rule)
    short = {**body_of("anthropic", turns=0), "messages": [{"role": "user", "content": "It was summed up."}]}
    chosen = {**short, "tool_choice": {"type": "tool", "name": "Bash"}}
    assert _names(first) == ["Read"]
    assert _names(acted("anthropic", short, rule, memory=first.memory)) == ["Read"]
    assert _names(acted("anthropic", chosen, rule)) == ["Bash"]
    assert _names(acted("anthropic", short, rule)) == []
    found = [
        {
            "type": "tool_result",
            "tool_use_id": "x",
            "content": [{"type": "tool_reference", "tool_name": "Cron"}],
        }
    ]
    assert _names(acted("anthropic", {**short, "messages": [{"role": "user", "content": found}]}, rule)) == [
        "Cron"
    ]


def _names(made: Acted) -> list[str]:
    return [one["name"] for one in made.draft.result().get("tools", [])]


def test_a_list_of_tools_that_would_be_empty_leaves_where_that_is_allowed():
    rule = parse_rule("tools.without=*")
    body = {**body_of("openai", turns=0), "messages": [{"role": "user", "content": "Hi"}]}
    assert "tools" not in acted("openai", body, rule).draft.result()
    made = acted("openai", {**body, "tool_choice": "auto"}, rule)
    assert made.outcomes[0].state == "skipped"
    assert len(made.draft.result()["tools"]) == 3


def test_the_mark_of_a_tool_that_leaves_goes_to_the_one_before_it():
    body = body_of("anthropic")
    body["tools"][2]["cache_control"] = {"type": "ephemeral", "ttl": "1h"}
    made = acted("anthropic", body, parse_rule("tools.without=Cron,Bash"))
    assert made.draft.result()["tools"] == [
        {**body["tools"][0], "cache_control": {"type": "ephemeral", "ttl": "1h"}}
    ]


def test_results_are_cut_at_a_rebuild_and_not_one_a_request():
    rule, memory, states = parse_rule("results.shorten=tokens=50,after=1"), Remembered(), []
    system, body = {"role": "system", "content": "x" * 90_000}, dict[str, Any]()
    for turns in (2, 3, 4, 5):
        body = {"messages": [system, *body_of("openai", turns=turns)["messages"]]}
        made = acted("openai", body, rule, memory=memory)
        states.append((made.outcomes[0].state, made.outcomes[0].note or made.outcomes[0].why))
        memory = made.memory
    rewritten = {"messages": [system, {"role": "user", "content": "A summary."}, *body["messages"][4:]]}
    made = acted("openai", rewritten, rule, memory=memory)
    assert states == [
        ("skipped", NO_CHANGE),
        ("skipped", WAITING),
        ("skipped", WAITING),
        ("skipped", WAITING),
    ]
    assert made.outcomes[0].note == "3 results"


def test_the_billing_header_is_never_touched_towards_anthropic():
    header = "x-anthropic-billing-header: cc_version=2.1; cch=12ab;"
    body = body_of("anthropic")
    body["system"][0]["text"] = header
    rules = tuple(map(parse_rule, ("text.freeze=system[0].text", "block.drop=system[0]")))
    away = act(body, "anthropic", rules, Remembered(), redactor(), to_vendor=True)
    assert not away.draft.is_changed
    assert {"never changed" in one.why for one in away.outcomes} == {True}
    assert header not in json.dumps(acted("anthropic", body, *rules).draft.result())


def test_only_instructions_and_reminders_leave_and_no_message_becomes_empty():
    reminder = "<system-reminder>\nBe brief.\n</system-reminder>"
    body = body_of("anthropic", turns=1)
    body["messages"][0]["content"].insert(0, {"type": "text", "text": reminder})
    gone = acted("anthropic", body, parse_rule("block.drop=messages[0].content[0]"))
    kept = acted("anthropic", body, parse_rule("block.drop=messages[0].content[1]"))
    alone = {**body, "messages": [{"role": "user", "content": [{"type": "text", "text": reminder}]}]}
    assert reminder not in json.dumps(gone.draft.result())
    assert kept.outcomes[0].why == "Only instructions and reminders can leave."
    assert (
        acted("anthropic", alone, parse_rule("block.drop=messages[0].content[0]")).outcomes[0].state
        == "skipped"
    )
    other = acted("anthropic", body, parse_rule("block.drop=system[0]~Another text"))
    assert other.outcomes[0].why == NO_CHANGE


def test_marks_stand_where_they_will_hit_and_at_most_four():
    made = acted("anthropic", body_of("anthropic"), parse_rule("cache.mark")).draft.result()
    marks = json.dumps(made).count('"cache_control"')
    assert marks == 4
    assert "cache_control" in made["tools"][-1]
    assert "cache_control" in made["system"][-1]
    assert "cache_control" in made["messages"][-1]["content"][-1]
    assert (
        acted("anthropic", made, parse_rule("cache.mark")).outcomes[0].why == "The program sets marks itself."
    )


@pytest.mark.parametrize("name", ["openai", "responses", "ollama", "gemini", "anthropic"])
def test_what_a_call_says_of_a_placeholder_is_the_secret_again(name: WatchedFormat):
    held = "REDACTED_token_0123456789ab"
    secret = 'a"b\\c-' + KEY
    text = json.dumps({"x": held})
    whole: dict[WatchedFormat, Any] = {
        "openai": {
            "choices": [{"message": {"content": held, "tool_calls": [{"function": {"name": "f", "arguments": text}}]}}]
        },
        "responses": {"output": [{"type": "function_call", "name": "f", "arguments": text}]},
        "ollama": {"message": {"tool_calls": [{"function": {"name": "f", "arguments": {"x": held}}}]}},
        "gemini": {"candidates": [{"content": {"parts": [{"functionCall": {"name": "f", "args": {"x": held}}}]}}]},
        "anthropic": {
            "content": [{"type": "text", "text": held}, {"type": "tool_use", "name": "f", "input": {"x": held}}]
        },
    }  # fmt: skip
    told = json.loads(Restorer(name, {held: secret}).whole(json.dumps(whole[name]).encode()))
    inner = json.dumps(told).count(json.dumps(secret)[1:-1])
    arguments = value_at(told, path_of("choices[0].message.tool_calls[0].function.arguments")) or value_at(
        told, path_of("output[0].arguments")
    )
    assert (inner == 1) if arguments is None else json.loads(arguments) == {"x": secret}
    assert json.dumps(told).count(held) == (name in ("openai", "anthropic"))
    assert Restorer(name, {held: secret}).whole(b'{"content": "x"}') == b'{"content": "x"}'


@pytest.mark.parametrize("name", ["openai", "responses", "anthropic"])
@given(cuts=st.lists(st.integers(0, 60), max_size=12))
def test_a_placeholder_split_anywhere_is_put_back(name: WatchedFormat, cuts: list[int]):
    held, text = "REDACTED_token_0123456789ab", '{"x":"REDACTED_token_0123456789ab","y":"REDA"}'
    ends = sorted({*(one for one in cuts if one < len(text)), 0, len(text)})
    restorer, arguments = Restorer(name, {held: KEY}), ""
    events = [_delta(name, text[a:b]) for a, b in pairwise(ends)]
    said = "".join(restorer.event(f"data: {json.dumps(one)}\n\n") for one in events) + restorer.rest()
    for line in said.splitlines():
        if line.startswith("data: "):
            arguments += _piece(name, json.loads(line[6:]))
    assert json.loads(arguments) == {"x": KEY, "y": "REDA"}


def _delta(name: WatchedFormat, piece: str) -> Any:
    if name == "anthropic":
        return {
            "type": "content_block_delta",
            "index": 2,
            "delta": {"type": "input_json_delta", "partial_json": piece},
        }
    if name == "responses":
        return {"type": "response.function_call_arguments.delta", "output_index": 2, "delta": piece}
    return {
        "choices": [{"index": 0, "delta": {"tool_calls": [{"index": 2, "function": {"arguments": piece}}]}}]
    }


def _piece(name: WatchedFormat, event: Any) -> str:
    paths = {"anthropic": "delta.partial_json", "responses": "delta"}
    return str(value_at(event, path_of(paths.get(name, "choices[0].delta.tool_calls[0].function.arguments"))))


@pytest.mark.parametrize("name", ["openai", "responses", "anthropic"])
def test_a_beginning_that_is_none_is_given_back_at_the_end_whatever_the_events_lack(name: WatchedFormat):
    restorer, event = Restorer(name, {"REDACTED_x": KEY}), _delta(name, '{"x":"REDAC')
    for part in (event, event.get("choices", [{}])[0].get("delta", {}).get("tool_calls", [{}])[0]):
        for key in ("index", "output_index"):
            part.pop(key, None)
    first = restorer.event(f"data: {json.dumps(event)}\n\n")
    assert "REDAC" not in first
    assert '"REDAC"' in restorer.event("data: [DONE]\n\n")
    assert restorer.rest() == ""


def test_other_events_and_lines_are_passed_as_they_came():
    restorer = Restorer("anthropic", {"REDACTED_x": KEY})
    for event in (
        ": ping\n\n",
        "event: x\n\n",
        'data: {"type":"ping"}\n\n',
        "data: [DONE]\n\n",
        "data: {broken\n\n",
    ):
        assert restorer.event(event) == event


def test_placeholders_differ_by_conversation_and_nothing_else_is_put_back():
    name: WatchedFormat = "anthropic"
    one = act(body_of(name), name, rules_for(name, ["secrets.redact"]), Remembered(), Redactor(b"one"))
    other = act(body_of(name), name, rules_for(name, ["secrets.redact"]), Remembered(), Redactor(b"other"))
    assert one.restore.keys() != other.restore.keys()
    assert list(one.restore.values()) == [KEY]
    without = act(
        body_of(name, key="none"), name, rules_for(name, ["secrets.redact"]), one.memory, Redactor(b"one")
    )
    assert dict(without.restore) == {}


def test_a_body_that_no_rule_changes_is_the_same_bytes():
    raw = json.dumps(body_of("anthropic", key="none", turns=1), indent=3).encode()
    off = tuple(Rule(one.name, one.values, on=False) for one in rules_for("anthropic"))
    known = lambda _body: (Remembered(), redactor())  # noqa: E731
    assert changed_body(raw, "anthropic", off, known)[0].body is None
    assert changed_body(raw, "anthropic", rules_for("anthropic", ALL[2:4]), known)[0].body is None


@given(data=st.data(), strict=st.booleans())
def test_a_body_that_repeats_another_is_parsed_as_it_is_alone(data: st.DataObject, strict: bool):
    """Places and values are those of this text, whatever was read before it."""
    piece = st.sampled_from(["a", "é", '"', "\n"]).map(lambda one: one * 50) | st.integers(-9, 99)
    bodies, members = (
        Bodies(strict=strict),
        st.lists(piece | st.dictionaries(st.just("k"), piece), max_size=6),
    )
    said, ahead, behind = data.draw(members), data.draw(members), data.draw(members)
    for _ in range(4):
        said = said[: data.draw(st.integers(0, len(said)))] + data.draw(members)
        behind = data.draw(st.just(behind) | members)
        body = {"ahead": ahead, "said": said, "n": data.draw(st.integers(0, 2)), "behind": behind}
        text = json.dumps(body, indent=data.draw(st.sampled_from([None, 1])))
        assert bodies.parsed(text) == Bodies(strict=strict).parsed(text)
        assert bodies.parsed(text)[0] == body
