"""Control tokens in content: none is left to act, and nothing else is changed."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.random_edits import RandomEdits
from tests.fakes.turns import artifact, assistant, result, shelved, turn_inputs, user
from workbench.context.clean.neutralise import Neutraliser, neutralised
from workbench.domain.chunk import EnvironmentChunk
from workbench.domain.message import Message, ToolCall
from workbench.domain.settings.context_settings import ContextSettings, PersonaSources
from workbench.domain.tool import ToolDefinition
from workbench.domain.turn import TurnInputs

TOKENS = ("<|im_start|>", "<|im_end|>", "<|im|>", "<s>", "</s>", "[INST]")
END = "<|im_end|>"
MODEL = replace(WORD_MODEL, control_tokens=TOKENS)

tokens_of_any_kind = st.lists(st.text(alphabet="<|>ab", min_size=1, max_size=4), max_size=5).map(tuple)


def test_a_control_token_gets_a_blank_after_its_first_character():
    assert neutralised(f"a{END}b[INST]<s>", TOKENS) == "a< |im_end|>b[ INST]< s>"


def test_text_without_one_is_the_same_object():
    text = "plain <|im_ text"
    assert neutralised(text, TOKENS) is text
    assert neutralised(END, ()) is END


def test_one_inside_another_leaves_neither():
    text = neutralised("<|im_<|im_end|>end|>", TOKENS)
    assert not any(token in text for token in TOKENS)
    assert neutralised("<<s>", ("<<s>", "<s>")) == "< < s>"


def test_regular_expressions_in_a_token_mean_nothing():
    assert neutralised("a.*b .*", (".*",)) == "a. *b . *"


def test_a_long_text_of_beginnings_takes_no_time():
    """Each "<" could be the start of a token; a search that starts over at each of them would be quadratic."""
    text = "<|im_start" * 200_000
    assert neutralised(text, TOKENS) is text


@given(text=st.text(alphabet="<|>ab ", max_size=40), tokens=tokens_of_any_kind)
def test_none_is_left_and_doing_it_again_changes_nothing(text: str, tokens: tuple[str, ...]):
    once = neutralised(text, tokens)
    assert not any(token in once for token in tokens if len(token) > 1)
    assert neutralised(once, tokens) == once
    assert once.replace(" ", "") == text.replace(" ", "")


WHOLE = turn_inputs(
    ContextSettings(
        model="word-1", system_prompt=f"a {END}", project_instructions=f"b {END}", user_memory=f"c {END}",
        persona=PersonaSources(f"d {END}", f"e {END}", f"f {END}"),
        tools=(ToolDefinition("read", f"uses {END}", f'{{"default":"{END}"}}'),),
    ),
    model=MODEL,
    history=(
        user("u1", f"said {END}"),
        user("u2", "harmless"),
        Message("a1", "assistant", ("one", END), tool_calls=(ToolCall("c1", "read", f'["{END}"]'),)),
        result("t1", "c1", f"found {END}"),
        EnvironmentChunk("e1", f"chunk {END}", "tool_result", error=f"no {END}"),
    ),
    attached=(artifact("a.md", f"text {END}"), artifact("b.md")),
    library=(shelved(artifact("c.md", END), artifact("c.md", f"newer {END}")),),
    question=user("q", f"and {END}?"),
    tool_results=(EnvironmentChunk("r1", END, "tool_result"),),
    rounds=(assistant("a2", f"begun {END}"),),
)  # fmt: skip


def test_no_text_of_a_turn_is_left_out_and_all_that_changed_is_named():
    clean, changed = Neutraliser().apply(WHOLE)
    assert END in repr(clean.model.control_tokens)
    assert END not in repr(replace(clean, model=WORD_MODEL))
    assert changed == ("system", "c.md", "u1", "a1", "t1", "e1", "a.md", "r1", "q", "a2")


def test_what_had_none_stays_the_same_object():
    clean, _ = Neutraliser().apply(WHOLE)
    assert clean.history[1] is WHOLE.history[1]
    assert clean.attached[1] is WHOLE.attached[1]


def test_a_turn_without_any_stays_the_same_object():
    plain = turn_inputs(model=MODEL, history=(user("u"),), question=user("q"))
    assert Neutraliser().apply(plain) == (plain, ())
    assert Neutraliser().apply(plain)[0] is plain


def test_a_model_without_control_tokens_changes_nothing():
    assert Neutraliser().apply(replace(WHOLE, model=WORD_MODEL))[1] == ()


def test_while_someone_types_the_rest_is_not_looked_through_again():
    neutraliser = Neutraliser()
    first, _ = neutraliser.apply(WHOLE)
    typed: TurnInputs = replace(WHOLE, question=user("q", "harmless now"))
    second, changed = neutraliser.apply(typed)
    assert second.history is first.history
    assert second.attached is first.attached
    assert second.settings is first.settings
    assert second.question is typed.question
    assert "q" not in changed
    assert "u1" in changed


def test_another_model_s_tokens_are_looked_for_anew():
    neutraliser = Neutraliser()
    neutraliser.apply(WHOLE)
    other = replace(WHOLE, model=replace(MODEL, control_tokens=("harmless",)))
    assert neutraliser.apply(other)[1] == ("u2",)


def test_a_key_of_ours_is_never_sent_again():
    neutraliser, key = Neutraliser(), "sk-canary-0123456789"
    inputs = turn_inputs(
        history=(user("q1", f"my key is {key}"), assistant("a1")), question=user("q2", "fine")
    )
    assert neutraliser.apply(inputs) == (inputs, ())
    neutraliser.hide(key)
    found, whose = neutraliser.apply(inputs)
    assert whose == ("q1",)
    assert key not in repr(found)
    assert found.history[1] is inputs.history[1]


def test_what_is_too_short_to_be_a_key_is_left_alone():
    neutraliser = Neutraliser()
    neutraliser.hide("the")
    inputs = turn_inputs(question=user("q", "the cat"))
    assert neutraliser.apply(inputs) == (inputs, ())


def test_one_apart_hides_the_same_secrets_and_remembers_for_itself():
    """Two threads with one memory could put the text of one chat into the request of another."""
    neutraliser = Neutraliser()
    neutraliser.hide("sk-very-secret")
    apart = neutraliser.copy()
    clean, changed = apart.apply(turn_inputs(question=user("q", "my key sk-very-secret")))
    assert clean.question is not None
    assert ("sk-very-secret" in clean.question.text, changed) == (False, ("q",))
    apart.hide("another-secret")
    other, _ = neutraliser.apply(turn_inputs(question=user("q", "another-secret")))
    assert other.question == user("q", "another-secret")


def test_a_long_draft_is_as_harmless_by_its_changed_lines_as_by_all_of_them():
    pieces = ("x", "\n", "<", "|", "im_end|>", END, "our-own-key", "-1234", "\n[INST]\n")
    edits, neutraliser = RandomEdits(7, pieces), Neutraliser()
    neutraliser.hide("our-own-key-1234")
    text = "\n".join(f"line {n} of a long draft, with words in it" for n in range(600))
    for _ in range(200):
        text = edits.edit(text)
        asked = turn_inputs(model=MODEL, question=user("q", text))
        alone = Neutraliser()
        alone.hide("our-own-key-1234")
        assert neutraliser.apply(asked) == alone.apply(asked)
