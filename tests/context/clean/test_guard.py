"""What happens to secrets in a turn: nothing, marks, or other words; each text is looked through once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.effort import tries
from tests.fakes.random_edits import LETTERS, RandomEdits
from tests.fakes.secret_texts import GITHUB, known_keys
from tests.fakes.turns import artifact, assistant, turn_inputs, user
from workbench.context.clean import guard as guarding
from workbench.context.clean.guard import SecretFinder, SecretGuard, masked
from workbench.context.clean.secrets import find_secrets
from workbench.domain.chunk import EnvironmentChunk
from workbench.domain.message import Message, ToolCall
from workbench.domain.settings.context_settings import ContextSettings

COMMAND = EnvironmentChunk(
    id="turn1:command:1", body=f'read {{"path": "x"}}\nfirst\n{GITHUB}', action="tool_result", name="read",
    call_id="turn1:command:1", success=True,
)  # fmt: skip
INPUTS = turn_inputs(
    settings=ContextSettings(model="word", project_instructions=f"use {GITHUB}"),
    history=(user("h1", f"mine is\n{GITHUB}"), assistant("h2", "thanks")),
    attached=(artifact(".env", f"A=1\nTOKEN={GITHUB}\n"), artifact("b.md", "nothing")),
    question=user("q", f"why does {GITHUB} fail?"),
    tool_results=(COMMAND,),
    rounds=(Message("r", "assistant", (), tool_calls=(ToolCall("1", "grep", f'{{"q": "{GITHUB}"}}'),)),),
)


def test_marks_name_what_each_stands_in_and_the_line():
    marks = SecretGuard("warn").marks(INPUTS)
    lines = {key: [(one.kind, one.line) for one in found] for key, found in marks.items()}
    assert lines == {
        "project": [("github", 1)],
        "h1": [("github", 2)],
        ".env": [("github", 2)],
        "q": [("github", 1)],
        "turn1:command:1": [("github", 2)],  # the second line of what was read
        "r": [("github", 1)],
    }


def test_off_marks_and_changes_nothing():
    guard = SecretGuard("off")
    assert guard.marks(INPUTS) == {}
    assert guard.replaced(INPUTS) == (INPUTS, ())


def test_the_values_that_go_out_as_they_are():
    assert SecretGuard("warn").values(f"TOKEN={GITHUB}") == (GITHUB,)
    assert SecretGuard("warn").values(f"TOKEN={GITHUB}", (GITHUB,)) == ()
    assert SecretGuard("off").values(GITHUB) == SecretGuard("replace").values(GITHUB) == ()


def test_marking_changes_nothing_that_is_sent():
    assert SecretGuard("warn").replaced(INPUTS) == (INPUTS, ())


def test_replacing_leaves_nothing_of_a_secret_anywhere():
    guard = SecretGuard("replace")
    sent, keys = guard.replaced(INPUTS)
    assert GITHUB not in repr(sent)
    assert set(keys) == {"system", "h1", ".env", "q", "turn1:command:1", "r"}
    assert sent.attached[0].text == "A=1\nTOKEN=[GitHub key was here]\n"
    assert sent.rounds[0].tool_calls[0].arguments == '{"q": "[GitHub key was here]"}'
    assert all(one.replaced for found in guard.marks(INPUTS).values() for one in found)


@pytest.mark.parametrize("name", known_keys())
def test_replacing_is_done_once_and_for_all(name: str):
    """What stands in the place of a secret must not look like one itself, or each build would give other bytes."""
    _, text = known_keys()[name]
    once = masked(text, find_secrets(text))
    assert once != text
    assert find_secrets(once) == ()


def test_our_own_keys_are_replaced_anyway_and_not_marked():
    assert SecretGuard("warn").marks(INPUTS, hidden=(GITHUB,)) == {}


def test_a_key_typed_costs_nothing_for_what_did_not_change(monkeypatch: pytest.MonkeyPatch):
    looked: list[str] = []

    def look(text: str) -> tuple[object, ...]:
        looked.append(text)
        return find_secrets(text)

    monkeypatch.setattr(guarding, "find_secrets", look)
    guard = SecretGuard("warn")
    guard.marks(INPUTS)
    looked.clear()
    again = replace(INPUTS, question=user("q", "another one"))
    guard.marks(again)
    assert looked == ["another one"]
    guard.marks(replace(again, attached=(*INPUTS.attached, artifact("c.md", "some more text"))))
    assert looked == ["another one", "some more text"]


def test_the_same_turn_gives_the_same_marks_object():
    guard = SecretGuard("warn")
    assert guard.marks(INPUTS) is guard.marks(INPUTS)


def test_another_mode_holds_at_once():
    guard = SecretGuard("warn")
    guard.marks(INPUTS)
    guard.prefer("replace")
    assert guard.marks(INPUTS)["q"][0].replaced
    guard.prefer("off")
    assert guard.marks(INPUTS) == {}


def test_what_another_thread_found_is_known_here(monkeypatch: pytest.MonkeyPatch):
    mine = SecretFinder()
    other = mine.copy()
    found = other.find(f"x {GITHUB}")
    mine.merge(other)
    monkeypatch.setattr(guarding, "find_secrets", lambda text: ())
    assert mine.find(f"x {GITHUB}") == found


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(guarding, "_MOST_CHARS", 100)
    finder = SecretFinder()
    for number in range(50):
        finder.find(f"a text of some length, number {number}")
    assert len(finder._known) <= 4


@pytest.mark.parametrize("seed", range(3))
def test_what_is_found_in_an_edited_text_is_what_is_found_in_it_alone(seed: int):
    """A long draft is looked through by its changed lines, letter by letter: nothing may be missed or stay."""
    keys = [f"\n{text}\n" for _, text in known_keys().values()]
    telling = ("password = ", "=", '"', "sk-", "-----BEGIN RSA PRIVATE KEY-----\n")
    edits = RandomEdits(seed, (*LETTERS, *telling, *keys))
    text = "\n".join(f"line {n} of a long draft, with words in it" for n in range(600))
    finder = SecretFinder()
    for _ in range(tries(150)):
        text = edits.edit(text)
        assert finder.find(text) == find_secrets(text)


def test_a_long_draft_is_kept_once_and_not_for_every_letter():
    """A hundred letters of a draft of a megabyte were a hundred megabytes."""
    finder = SecretFinder()
    text = "\n".join(f"line {n} of a long draft" for n in range(2000))
    for number in range(50):
        finder.find(text + "x" * number)
    assert len(finder._known) == 1
