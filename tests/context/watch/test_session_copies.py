"""Sessions written anew: what goes, what stays, and that the program will read a whole conversation."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.fakes.session_files import LONG, SESSION, THREAD, claude_lines, codex_lines
from workbench.context.watch.session_copies import copied_session
from workbench.domain.errors import InvalidInput
from workbench.domain.watch.session_copy import SessionCopy, SessionTuning
from workbench.domain.watch.switch import SessionKind

WHOLE = SessionTuning()
LINES = {"claude": claude_lines, "codex": codex_lines}


def copied(kind: SessionKind, tuning: SessionTuning = WHOLE, seed: str = "seed") -> SessionCopy:
    return copied_session(kind, LINES[kind](), tuning, seed)


def messages(copy: SessionCopy) -> list[dict[str, Any]]:
    body = json.loads(copy.request)
    found: list[dict[str, Any]] = body["messages" if copy.kind == "claude" else "input"]
    return found


def texts(copy: SessionCopy) -> list[str]:
    """Everything that is said, called or given back, in order and in short."""
    return [text[:24] for one in messages(copy) for text in _texts(one)]


def _texts(message: dict[str, Any]) -> list[str]:
    content = message.get("content", message)
    if isinstance(content, str):
        return [content]
    parts = content if isinstance(content, list) else [content]
    return [
        one.get("text") or one.get("thinking") or one.get("content") or one.get("output") or one["type"]
        for one in parts
    ]


def test_claude_code_s_attachments_stand_around_the_question_before_them():
    """As the real program sends them: what only it knows would otherwise seem to be missing, and not be predicted."""
    first, second = messages(copied("claude"))[:2]

    assert [one["text"] for one in first["content"]] == [
        "<system-reminder>\n# gitStatus\nClean.\n</system-reminder>", "What does long.txt hold?",
    ]  # fmt: skip
    assert second == {"role": "system", "content": "# Environment\nA folder.\n\nToday is Thursday."}


@pytest.mark.parametrize("kind", ["claude", "codex"])
def test_a_turn_goes_with_its_calls_and_results(kind: SessionKind):
    whole, copy = copied(kind), copied(kind, SessionTuning(frozenset({2})))
    gone = [one for one in texts(whole) if one not in texts(copy)]

    assert [one.stays for one in copy.turns] == [True, False, True]
    assert gone[0] == "And a.py?"
    assert gone[-1] == "Nothing."
    assert '"t2"' not in "".join(copy.lines)
    assert '"c2"' not in "".join(copy.lines)
    assert copy.chars < copy.chars_before == whole.chars


@pytest.mark.parametrize("kind", ["claude", "codex"])
def test_every_call_keeps_its_result(kind: SessionKind):
    for tuning in (
        WHOLE,
        SessionTuning(frozenset({1})),
        SessionTuning(shorten_chars=500),
        SessionTuning(frozenset({1, 3})),
    ):
        said = "".join(copied(kind, tuning).lines)
        assert said.count('"tool_use_id":"t') == said.count('"type":"tool_use"')
        assert said.count('"type":"function_call"') == said.count('"type":"function_call_output"')


@pytest.mark.parametrize("kind", ["claude", "codex"])
def test_long_results_of_older_turns_are_shortened_and_the_screen_s_copy_goes(kind: SessionKind):
    copy = copied(kind, SessionTuning(shorten_chars=500))
    said = "".join(copy.lines)

    assert copy.shortened == 1
    assert f"[shortened from {len(LONG):,} characters]" in said
    assert "200 a line of a long file" not in said
    assert copy.chars < 0.5 * copy.chars_before
    assert copied(kind, SessionTuning(shorten_chars=500, keep_last=3)).shortened == 0
    assert copied(kind, SessionTuning(shorten_chars=1)).shortened <= 1


@pytest.mark.parametrize("kind", ["claude", "codex"])
def test_a_summary_stands_for_turns(kind: SessionKind):
    copy = copied(kind, SessionTuning(summary="In short: lines and nothing.", summarised=(1, 2)))

    asked = ["In short: lines and nothi", "And now?"]
    assert [one for one in texts(copy) if one[:8] in ("In short", "And now?")] == [one[:24] for one in asked]
    assert [one.stays for one in copy.turns] == [False, False, True]


def test_lines_of_claude_code_form_one_chain_under_new_ids():
    lines = [json.loads(one) for one in copied("claude", SessionTuning(frozenset({2}))).lines]
    old = {json.loads(one).get("uuid") for one in claude_lines()}
    copy = copied("claude")

    assert [one["parentUuid"] for one in lines] == [None, *(one["uuid"] for one in lines[:-1])]
    assert not old & {one["uuid"] for one in lines}
    assert {one["sessionId"] for one in lines} == {copy.id}
    assert copy.id != SESSION
    assert {one["type"] for one in lines} == {"user", "assistant", "attachment"}


def test_lines_of_codex_are_numbered_and_know_the_new_id_alone():
    copy = copied("codex", SessionTuning(frozenset({1})))
    lines = [json.loads(one) for one in copy.lines]

    assert [one["ordinal"] for one in lines] == list(range(len(lines)))
    assert lines[0]["payload"]["id"] == lines[0]["payload"]["session_id"] == copy.id
    assert THREAD not in "".join(copy.lines)
    # What the program itself told stays: without it, it would tell the same again, in another place.
    assert "Be brief." in texts(copy)
    assert {"world_state", "turn_context"} <= {one["type"] for one in lines}


def test_a_seed_makes_another_session_of_the_same_words():
    one, other = copied("claude", seed="a"), copied("claude", seed="b")

    assert one.request == other.request
    assert one.id != other.id
    assert (one.command, other.version) == (f"claude --resume {one.id}", "2.1.327")
    assert copied("codex").command.startswith("codex resume 01a1f14a-cd55-")


def test_only_the_branch_that_would_be_resumed_is_copied():
    lines = claude_lines()
    asked = next(one for one in map(json.loads, lines) if one.get("message", {}).get("content") == "And now?")
    edited = {**asked, "uuid": "other", "message": {"role": "user", "content": "Or rather?"}}
    copy = copied_session("claude", [*lines, json.dumps(edited)], WHOLE, "seed")

    assert "Or rather?" in texts(copy)
    assert "And now?" not in texts(copy)


@pytest.mark.parametrize(
    ("kind", "more", "tuning", "said"),
    [
        ("claude", {}, SessionTuning(frozenset({4})), "there is no turn 4; the session has 3"),
        ("claude", {}, SessionTuning(summarised=(3, 9), summary="x"), "there is no turn 9"),
        ("codex", {}, SessionTuning(frozenset({1, 2, 3})), "would be empty"),
        ("codex", {"type": "compacted"}, WHOLE, "it was compacted"),
    ],
)
def test_what_is_refused(kind: SessionKind, more: dict[str, Any], tuning: SessionTuning, said: str):
    with pytest.raises(InvalidInput, match=said):
        copied_session(kind, [*LINES[kind](), *([json.dumps(more)] if more else [])], tuning, "seed")


def test_a_compacted_session_of_claude_code_is_refused():
    """Its beginning is kept aside, in a form of which not all is known."""
    lines = [json.loads(one) for one in claude_lines()]
    cut = next(n for n, one in enumerate(lines) if one.get("parentUuid"))
    lines[cut] |= {"type": "system", "subtype": "compact_boundary", "parentUuid": None}
    with pytest.raises(InvalidInput, match="it was compacted"):
        copied_session("claude", map(json.dumps, lines), WHOLE, "seed")


@pytest.mark.parametrize("kind", ["claude", "codex"])
@pytest.mark.parametrize(
    "lines", [[], ["{cut", "[]", "1", '{"type": "user"}', '{"uuid": 3, "parentUuid": []}']]
)
def test_what_is_no_session_is_refused(kind: SessionKind, lines: list[str]):
    with pytest.raises(InvalidInput, match="no message"):
        copied_session(kind, lines, WHOLE, "seed")


def test_a_session_of_codex_with_a_short_id_is_refused():
    """The id is replaced wherever it occurs: one of a single letter would be found in every word."""
    lines = [one.replace(THREAD, "s") for one in codex_lines()]
    odd = [one.replace('["user.text"]', "7") for one in codex_lines()]
    for some in (lines, odd):
        with pytest.raises(InvalidInput, match="no message"):
            copied_session("codex", some, WHOLE, "seed")
