"""`workbench history edit`: other words for an answer or a result, what they cost, and the way back."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.chat_model import FakeModel, FakeModels, words
from tests.fakes.engine import SETTINGS, fake_world
from tests.fakes.history_access import MemoryAccess
from tests.fakes.parts import parts_with
from tests.fakes.schemas import problems
from tests.fakes.stores import chat, said
from tests.fakes.turns import assistant, result
from workbench.cli.history.edit import run_edit
from workbench.cli.main import run
from workbench.domain.about import ProgramFacts
from workbench.domain.message import Message


@pytest.fixture
def access() -> MemoryAccess:
    made = MemoryAccess()
    assert run_edit.__doc__

    async def fill() -> None:
        store = await made.open(writable=True)
        await store.create_chat(replace(chat("c", "Title"), settings=SETTINGS))
        spoken = [
            Message("q1", "user", ("How many?",)), assistant("a0", "", "call-7"), result("t1", "call-7", "seven"),
            assistant("a1", "Seven."), Message("q2", "user", ("Sure?",)), assistant("a2", "Yes."),
        ]  # fmt: skip
        before = None
        for one in spoken:
            await store.append([replace(said(one.id, "", before), entry=one)])
            before = one.id

    asyncio.run(fill())
    return made


def edit(access: MemoryAccess, *given: str) -> int:
    parts = parts_with(
        history=lambda: access,
        keys=lambda: access.keys,
        world=lambda store, wishes: fake_world(store=store),
    )
    return run(["history", "edit", "c", *given], lambda _: parts, program_facts=of_the_program)


def of_the_program() -> ProgramFacts:
    raise AssertionError("--version is that of an answer here")


def printed(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)


def test_an_answer_gets_other_words_and_goes_back(
    access: MemoryAccess, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / "words.txt"
    file.write_text("Eight, or nine at most.\n")
    given = ("--turn", "1", "--answer", str(file))
    assert edit(access, *given, "--dry-run", "--json") == 0
    told = printed(capsys)
    assert not asyncio.run(access.store.tuning("c")).edits
    assert edit(access, *given, "--json") == 0
    kept = printed(capsys)
    assert {**told, "kept": True} == kept
    assert (kept["turn"], kept["message"], kept["version"], kept["versions"]) == (1, "a1", 2, 2)
    assert kept["price"]["tokens_delta"] == 4
    assert run(["history", "show", "c", "--json"], lambda _: parts_with(history=lambda: access)) == 0
    shown = {one["id"]: one for one in printed(capsys)["messages"]}
    assert shown["a1"]["text"] == "Eight, or nine at most."
    assert [(one["text"], one["by"], one["shown"]) for one in shown["a1"]["versions"]] == [
        ("Seven.", "model", False), ("Eight, or nine at most.", "you", True),
    ]  # fmt: skip
    assert "versions" not in shown["a2"]
    assert edit(access, "--turn", "1", "--version", "1") == 0
    assert capsys.readouterr().out == "version 1 of 2 is sent from now on\n"
    assert [one.shown for one in asyncio.run(access.store.tuning("c")).edits] == [False]


def test_a_result_is_named_by_its_call(
    access: MemoryAccess, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / "words.txt"
    file.write_text("eight")
    assert edit(access, "--turn", "1", "--result", "call-7", str(file)) == 0
    assert [(one.message, one.text) for one in asyncio.run(access.store.tuning("c")).edits] == [
        ("t1", "eight")
    ]
    assert edit(access, "--turn", "1", "--result", "nine", str(file)) == 1
    assert "it has: call-7" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "code", "words"),
    [
        (("--answer", "EMPTY"), 2, "it has no words"),
        (("--turn", "9", "--answer", "SOME"), 1, "no turn 9; it has 1 to 2"),
        (("--answer", "NONE"), 2, "No such file"),
        (("--answer", "BINARY"), 2, "is not UTF-8"),
        ((), 2, "give one of"),
        (("--answer", "SOME", "--version", "1"), 2, "give one of"),
        (("--version", "3"), 2, "the message has 1"),
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_is_changed(
    access: MemoryAccess,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    given: tuple[str, ...],
    code: int,
    words: str,
):
    for name, content in {"EMPTY": b" \n", "SOME": b"x", "BINARY": b"\xff\xfe\xff"}.items():
        (tmp_path / name).write_bytes(content)
    named = [str(tmp_path / one) if one.isupper() else one for one in given]
    assert edit(access, *named) == code
    assert words in capsys.readouterr().err
    assert not asyncio.run(access.store.tuning("c")).edits


def test_side_questions_are_asked_listed_and_made_turns(
    access: MemoryAccess, capsys: pytest.CaptureFixture[str]
):
    words_of_model = words("An answer.")
    parts = parts_with(
        history=lambda: access,
        keys=lambda: access.keys,
        world=lambda store, wishes: fake_world(store=store),
        new_chat_settings=lambda tools: SETTINGS,
        new_id=lambda: "made",
        models=lambda: FakeModels(FakeModel([words_of_model])),
    )

    def run_it(*given: str) -> int:
        return run(list(given), lambda _: parts)

    assert run_it("ask", "--chat", "c", "--side", "What is a lock?", "--json") == 0
    line = printed(capsys)
    assert (line["side"], line["turn"], line["answer"]) == (True, None, "An answer.")
    assert problems("ask", line) == []
    assert len(asyncio.run(access.store.path("c"))) == 6
    assert run_it("history", "sides", "c", "--json") == 0
    told = printed(capsys)
    assert [(one["question"], one["answer"]) for one in told["sides"]] == [("What is a lock?", "An answer.")]
    assert run_it("history", "sides", "c") == 0
    assert "  > What is a lock?\n  An answer.\n" in capsys.readouterr().out
    assert run_it("history", "sides", "c", "--make-turn", "nothing") == 1
    assert run_it("history", "sides", "c", "--make-turn", told["sides"][0]["id"]) == 0
    entries = [one.entry for one in asyncio.run(access.store.path("c"))]
    assert [one.text for one in entries[-2:] if isinstance(one, Message)] == ["What is a lock?", "An answer."]
    assert asyncio.run(access.store.sides("c")) == ()


@pytest.mark.parametrize(
    "given", [("ask", "x", "--side"), ("ask", "x", "--side", "--chat", "c", "--model", "m")]
)
def test_a_side_question_takes_the_chat_as_it_is(
    access: MemoryAccess, capsys: pytest.CaptureFixture[str], given: tuple[str, ...]
):
    assert run(list(given), lambda _: parts_with(history=lambda: access)) == 2
    assert "--side:" in capsys.readouterr().err
