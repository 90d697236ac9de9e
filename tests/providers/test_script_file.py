"""Scripts: texts with --- between them, or steps in JSON; what is wrong with one is said."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from workbench.domain.answer import Failure, ModelFailed
from workbench.domain.message import ToolCall
from workbench.domain.usage import Usage
from workbench.providers.scripted import ScriptedAnswer, read_script


@pytest.mark.parametrize(
    ("content", "texts"),
    [
        ("Hello,  world.\n", ["Hello,  world.\n"]),
        ("one\n---\ntwo\n", ["one", "two"]),
        ("one\r\n--- \r\ntwo", ["one", "two"]),
        ("one\n---\ntwo\n---", ["one", "two"]),
        ("a --- b\n----\n", ["a --- b\n----\n"]),
        ("", [""]),
        ("one\n\n---\n\ntwo", ["one\n", "\ntwo"]),
        ("\ufeffünï", ["ünï"]),
    ],
)
def test_texts_are_parted_by_a_line_of_their_own(content: str, texts: list[str], tmp_path: Path):
    path = tmp_path / "a.txt"
    path.write_bytes(content.encode())
    assert read_script(path) == tuple(ScriptedAnswer(text) for text in texts)


def script(tmp_path: Path, steps: Any) -> Path:
    path = tmp_path / "a.json"
    path.write_text(steps if isinstance(steps, str) else json.dumps(steps))
    return path


def test_steps_say_everything_that_can_happen(tmp_path: Path):
    path = script(
        tmp_path,
        [
            {
                "text": "Hi",
                "thinking": "Hm",
                "usage": {"prompt_tokens": 3},
                "finish": "length",
                "delay_ms": 5,
            },
            {
                "tool_calls": [
                    {"name": "ls", "arguments": {"path": "."}},
                    {"id": "c", "name": "rm", "arguments": "{}"},
                ]
            },
            {"text": "Hi", "cut": True},
            {"error": {"kind": "rate", "retry_after_s": 3, "message": "Later."}},
            {"error": {"kind": "server"}},
            {},
        ],
    )
    assert read_script(path) == (
        ScriptedAnswer("Hi", "Hm", usage=Usage(3), finish="length", delay_ms=5),
        ScriptedAnswer(calls=(ToolCall("", "ls", '{"path": "."}'), ToolCall("c", "rm", "{}"))),
        ScriptedAnswer(
            "Hi",
            failure=Failure(
                "protocol", "The script cut the answer off here. Send again, or go on from here."
            ),
        ),
        ScriptedAnswer(failure=Failure("rate", "Later.", 3.0)),
        ScriptedAnswer(failure=Failure("server", "The script fails here (server). Send again.")),
        ScriptedAnswer(),
    )


@pytest.mark.parametrize(
    ("steps", "why"),
    [
        ("{nonsense", "it is not JSON"),
        ("[" * 100_000, "it is not JSON"),
        ([], "at least one"),
        ({}, "a list of objects"),
        ([1], "a list of objects"),
        ([{"txt": "x"}], "step 1 has txt"),
        ([{}, {"finish": "soon"}], "finish in step 2"),
        ([{"tool_calls": [{}]}], "has no name"),
        ([{"error": {"kind": "bad luck"}}], "the error's kind in step 1"),
    ],
)
def test_a_wrong_script_is_a_wrong_request(steps: Any, why: str, tmp_path: Path):
    with pytest.raises(ModelFailed) as failed:
        read_script(script(tmp_path, steps))
    assert failed.value.failure.kind == "request"
    assert why in failed.value.failure.message


def test_a_file_that_cannot_be_read_makes_the_model_unavailable(tmp_path: Path):
    (tmp_path / "latin").write_bytes(b"caf\xe9")
    os.mkfifo(tmp_path / "pipe")
    with open(tmp_path / "big", "wb") as file:
        file.truncate(5_000_000)
    for path, why in (
        (tmp_path / "none", "The script none does not exist."),
        (tmp_path, "is not a regular file"),
        (tmp_path / "pipe", "is not a regular file"),
        (Path("/dev/zero"), "is not a regular file"),
        (tmp_path / "latin", "is not UTF-8 text"),
        (tmp_path / "big", "4,194,304 bytes"),
        (tmp_path / ("x" * 300), "cannot be read"),
        (Path("a\0b"), "cannot be read"),
    ):
        with pytest.raises(ModelFailed) as failed:
            read_script(path)
        assert failed.value.failure.kind == "unavailable"
        assert why in failed.value.failure.message
