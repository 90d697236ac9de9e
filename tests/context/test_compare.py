"""Two consecutive requests: what became of the prefix, where it breaks, and how many tokens are shared."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.effort import tries
from tests.fakes.real_encodings import GPT_4O, O200K
from tests.fakes.turns import artifact, assistant, build, result, shelved, system, user, word_counter
from workbench.context.compare import compare
from workbench.context.count.counting import RfcCounter, TokenizerCounter
from workbench.domain.change import Built, Cause, Divergence, PrefixChange
from workbench.domain.message import Message
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.tool import ToolDefinition

SETTINGS = ContextSettings(model="word-1", system_prompt="Be kind.")
TALK = (user("u1", "one two"), assistant("a1", "three"))


def request(*history: Message, **changes: Any) -> Built:
    return build(changes.pop("settings", SETTINGS), history=history, **changes)


def step(before: Built, after: Built) -> PrefixChange:
    return compare(before, after, word_counter())


def test_a_first_request_is_just_that():
    assert compare(None, request(), word_counter()) == PrefixChange("first")


def test_the_same_request_again_is_identical_and_shares_everything():
    one, again = request(*TALK, question=user("q")), request(*TALK, question=user("q"))
    assert step(one, again) == PrefixChange("identical", reused_tokens=one.envelope.total_tokens)


def test_a_conversation_that_only_grew_is_extended_and_has_no_cause():
    before = request(question=user("u1", "one two"))
    after = request(*TALK, question=user("u2"))
    # The previous request opened the answer that now follows.
    assert step(before, after) == PrefixChange("extended", reused_tokens=before.envelope.total_tokens)


def test_growing_by_another_role_does_not_share_the_opening_of_an_answer():
    before, after = request(*TALK), request(*TALK, user("u2"))
    assert step(before, after).reused_tokens == before.envelope.total_tokens - 2


def test_a_question_typed_on_is_extended():
    before, after = request(question=user("q", "one")), request(question=user("q", "one two"))
    # System: 4 + 2. Question: its opening without its end, and one word.
    assert step(before, after) == PrefixChange("extended", reused_tokens=6 + 3 + 1)


def test_a_conversation_cut_short_is_shrunk():
    before, after = request(*TALK, question=user("q")), request(TALK[0])
    found = step(before, after)
    # 4 + 2 for the system, 4 + 2 for the question, and the opening of the answer that followed it.
    assert (found.change, found.diverges_at, found.reused_tokens) == ("shrunk", None, 6 + 6 + 2)
    assert found.causes == (Cause("history_edited", "a1"), Cause("history_edited", "q"))


def test_shrunk_to_an_answer_shares_no_opening():
    assert step(request(*TALK, question=user("q")), request(*TALK)).reused_tokens == 6 + 6 + 5


def test_an_edited_message_diverges_where_it_stands():
    edited = (user("u1", "one more"), TALK[1])
    found = step(request(*TALK), request(*edited))
    tokens = 6 + 3 + 1
    assert found == PrefixChange(
        "diverged", Divergence("L4_STRIP", "u1", tokens), (Cause("history_edited", "u1"),), tokens
    )


def test_a_changed_artifact_diverges_inside_the_library():
    library = (shelved(artifact("a", "alpha")), shelved(artifact("b", "beta one two")))
    before, after = (
        request(library=library, attached=(artifact("b", text),))
        for text in ("beta one two", "beta one three")
    )
    found = step(before, after)
    assert found.diverges_at is not None
    assert (found.diverges_at.layer, found.diverges_at.segment) == ("L2_PREVIOUS", "b")
    assert found.causes[0] == Cause("file_changed", "b")


def test_another_model_shares_nothing():
    other = request(*TALK, settings=ContextSettings(model="word-2", system_prompt="Be kind."))
    found = step(request(*TALK), other)
    assert (found.change, found.diverges_at, found.reused_tokens) == (
        "diverged",
        Divergence("L1_SYSTEM", "system", 0),
        0,
    )


@pytest.mark.parametrize(
    ("before", "after", "where", "tokens"),
    [
        ("read", "read ls", "tool:ls", 10),
        ("read ls", "read grep", "tool:grep", 10),
        ("read ls", "read", "system", 10),
        ("read", "", "system", 0),
        ("read ls", "ls read", "tool:ls", 0),
    ],
)
def test_a_change_of_tools_breaks_everything_after_the_equal_ones(
    before: str, after: str, where: str, tokens: int
):
    one, other = (
        request(settings=ContextSettings(model="word-1", system_prompt="p", tools=tools(names)))
        for names in (before, after)
    )
    found = step(one, other)
    assert found.diverges_at == Divergence("L1_SYSTEM", where, tokens)
    assert found.reused_tokens == tokens


def tools(names: str) -> tuple[ToolDefinition, ...]:
    return tuple(ToolDefinition(name) for name in names.split())


def test_shared_tools_are_reused():
    settings = ContextSettings(model="word-1", tools=tools("read"))
    one = request(question=user("q"), settings=settings)
    assert (
        step(one, request(question=user("q"), settings=settings)).reused_tokens == one.envelope.total_tokens
    )


def test_calls_that_differ_are_a_difference_although_the_words_are_equal():
    one, other = (
        request(assistant("a", "words", "c"), Message("r", "tool", (text,), tool_call_id="c"), user("u"))
        for text in ("this", "that")
    )
    found = step(one, other)
    assert found.diverges_at is not None
    assert (found.change, found.diverges_at.segment) == ("diverged", "r")


def test_a_result_that_moved_from_one_part_to_another_is_a_difference():
    one, other = (
        request(assistant("a", "", "c", "d"), result("r", "c", left), result("s", "d", right), user("u"))
        for left, right in (("ab", "c"), ("a", "bc"))
    )
    assert step(one, other).change == "diverged"


def test_without_a_message_there_is_nowhere_to_diverge():
    empty = ContextSettings(model="word-1")
    other = ContextSettings(model="word-2")
    assert step(build(empty), build(other)).diverges_at is None


def exactly(before: Built, after: Built) -> int:
    return compare(before, after, TokenizerCounter(O200K, GPT_4O)).reused_tokens


def first_message(built: Built) -> str:
    return built.envelope.messages[0].content


@pytest.mark.parametrize(
    "prompt", ["Be kind.", "Be kind.\n", "Be kind", "Be kind\n\n", "x = {", "Sei nett. "]
)
def test_a_system_prompt_shares_its_tokens_when_a_library_follows(prompt: str):
    """A prompt without a line end merges with what follows: "." and ".\\n\\n" are different tokens."""
    settings = ContextSettings(system_prompt=prompt)
    counter = TokenizerCounter(O200K, GPT_4O)
    before = build(settings, counter, question=user("q"))
    after = build(settings, counter, question=user("q"), library=(shelved(artifact("a")),))
    opening = GPT_4O.message_tokens + 1 - 1
    assert exactly(before, after) == opening + O200K.common_prefix(
        first_message(before), first_message(after)
    )
    found = compare(before, after, counter)
    assert found.diverges_at is not None
    assert (found.diverges_at.segment, found.diverges_at.token) == ("a", found.reused_tokens)


texts = st.lists(st.sampled_from(["a", "word ", ".", "\n", "\n\n", " ", "/", "é", ");"]), max_size=6).map(
    "".join
)


@settings(max_examples=tries(60))
@given(prompt=texts, left=texts, right=texts)
def test_shared_tokens_never_exceed_either_request(prompt: str, left: str, right: str):
    counter = TokenizerCounter(O200K, GPT_4O)
    one, other = (
        build(
            ContextSettings(system_prompt=prompt, user_memory=text),
            counter,
            history=(system("s", text), user("u")),
        )
        for text in (left, right)
    )
    found = compare(one, other, counter).reused_tokens
    assert 0 <= found <= min(one.envelope.total_tokens, other.envelope.total_tokens)


def test_an_estimate_s_margin_is_on_what_is_shared_too():
    counter = RfcCounter()
    one = build(SETTINGS, counter, question=user("q"))
    assert compare(one, one, counter).reused_tokens == one.envelope.total_tokens
