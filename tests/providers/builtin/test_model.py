"""The model in our own child process, with a double in the real server's place: turns, waits, deaths, cards."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.gguf_files import ENTRIES, Value, write_gguf
from tests.fakes.llama_double import DOUBLE, double
from tests.fakes.llama_runs import chat
from tests.fakes.loop import in_loop
from tests.fakes.processes import is_running, until
from workbench.domain.answer import (
    AnswerPart,
    Failure,
    Finished,
    ModelFailed,
    Progressed,
    TextGrew,
    UsageReported,
)
from workbench.domain.errors import InvalidInput
from workbench.domain.model import ModelCard
from workbench.domain.request import ModelRequest
from workbench.providers.builtin.model import BuiltinModel, BuiltinSource, gguf_source
from workbench.providers.builtin.server import LlamaSetup

KNOWN = ModelCard("builtin", "builtin", 4096, None, "server:builtin", False, 4, 3, "llamacpp", "2026-11-15")


def quiet(what: str, fraction: float | None) -> None:
    pass


@asynccontextmanager
async def running(
    folder: Path,
    command: tuple[str, ...] = DOUBLE,
    entries: dict[str, Value] | None = None,
    tokenizer: str | None = None,
    **setup: Any,
) -> AsyncIterator[BuiltinModel]:
    path = write_gguf(folder / "model.gguf", entries)

    def tune(given: LlamaSetup) -> LlamaSetup:
        return replace(given, command=command, **setup)

    model = BuiltinModel(BuiltinSource("builtin", lambda: path, "not there", tokenizer, tune))
    try:
        yield model
    finally:
        await model.close()


async def answer(model: BuiltinModel, request: ModelRequest) -> list[AnswerPart]:
    return [part async for part in model.stream(request)]


def text_of(parts: list[AnswerPart]) -> str:
    return "".join(part.text for part in parts if isinstance(part, TextGrew))


def cached(parts: list[AnswerPart]) -> int | None:
    return next(part.usage.cached_tokens for part in parts if isinstance(part, UsageReported))


def pid_of(model: BuiltinModel) -> int:
    assert model.server is not None
    assert model.server.pid is not None
    return model.server.pid


@in_loop
async def test_the_first_question_starts_the_server_and_says_so(tmp_path: Path):
    async with running(tmp_path) as model:
        parts = await answer(model, chat(("user", "say hello there")))
        assert parts[0] == Progressed("Starting the built-in model")
        assert (text_of(parts), parts[-1]) == ("hello there", Finished("stop"))
        again = await answer(model, chat(("user", "say hello there")))
        assert Progressed("Starting the built-in model") not in again


@in_loop
async def test_every_forecast_comes_true(tmp_path: Path):
    """Turn after turn of two chats that take turns, with answers of all kinds."""
    async with running(tmp_path) as model:
        await model.ready(quiet)
        talks: dict[str, list[Any]] = {"a": [("system", "one")], "b": []}
        said = ["x y z", "漢字\nand 😀", "code()\n", "one 漢 two"]
        for number, (name, words) in enumerate((name, words) for words in said for name in "aab"):
            talk = talks[name]
            talk.append(("user", f"say {words}"))
            request = chat(*talk, max_output_tokens=5 if number % 3 == 0 else None, window_tokens=2048)
            meter = await model.meter()
            assert meter is not None
            foretold = await meter.measure(request)
            parts = await answer(model, request)
            assert foretold.cached_tokens == cached(parts)
            talk.append(("assistant", text_of(parts)))


@in_loop
async def test_without_a_server_there_is_nothing_to_count_with(tmp_path: Path):
    async with running(tmp_path) as model:
        assert await model.meter() is None
        assert model.server is None
        await model.ready(quiet)
        meter = await model.meter()
        assert meter is not None
        assert await model.meter() is meter


@in_loop
async def test_a_missing_file_says_what_to_do():
    model = BuiltinModel(BuiltinSource("builtin", lambda: None, "run `workbench models install`"))
    with pytest.raises(ModelFailed, match="run `workbench models install`") as caught:
        await answer(model, chat(("user", "say x")))
    assert caught.value.failure.kind == "unavailable"
    with pytest.raises(ModelFailed):
        await model.ready(quiet)
    assert await model.card(KNOWN) == KNOWN
    await model.close()


@in_loop
async def test_a_damaged_file_is_never_loaded_and_its_card_costs_no_check(tmp_path: Path):
    path, checks = write_gguf(tmp_path / "model.gguf"), []

    def sound() -> Path:
        checks.append(path)
        raise ModelFailed(Failure("unavailable", "the file is damaged"))

    model = BuiltinModel(BuiltinSource("builtin", lambda: path, "not there", sound=sound))
    await model.card(KNOWN)
    assert checks == []
    with pytest.raises(ModelFailed, match="the file is damaged"):
        await answer(model, chat(("user", "say x")))
    with pytest.raises(ModelFailed, match="the file is damaged"):
        await model.ready(quiet)
    assert model.server is None
    await model.close()


@in_loop
async def test_a_file_that_is_no_model_is_said(tmp_path: Path):
    path = tmp_path / "model.gguf"
    path.write_text("hello")
    model = BuiltinModel(gguf_source(f"gguf:{path}"))
    with pytest.raises(ModelFailed, match="this is not a GGUF model file") as caught:
        await model.ready(quiet)
    assert caught.value.failure.kind == "unavailable"
    assert await model.card(KNOWN) == KNOWN
    await model.close()


@in_loop
async def test_the_card_says_what_the_file_says(tmp_path: Path):
    async with running(tmp_path) as model:
        card = await model.card(KNOWN)
        assert (card.context_window_tokens, card.tools, card.prefill) == (2048, False, True)
        assert card.control_tokens == ("<|im_start|>", "<|im_end|>", "<|tool|>")
        assert card.tokenizer.startswith("server:")
        await model.ready(quiet)
        assert (await model.card(KNOWN)).tools is True  # the server knows better


@in_loop
async def test_a_tokenizer_may_have_a_name_of_its_own(tmp_path: Path):
    async with running(tmp_path, tokenizer="server:builtin") as model:
        assert (await model.card(KNOWN)).tokenizer == "server:builtin"


@in_loop
async def test_a_large_model_gets_a_window_of_its_own_only_when_asked(tmp_path: Path):
    async with running(tmp_path, entries={**ENTRIES, "llama.context_length": 100_000}) as model:
        assert (await model.card(KNOWN)).context_window_tokens == 8192
        await answer(model, chat(("user", "say x"), window_tokens=500))
        assert model.server is not None
        assert model.server.running is not None
        assert model.server.running.window_tokens == 8192
        await answer(model, chat(("user", "say x"), window_tokens=200_000))
        assert model.server.running.window_tokens == 100_000


@in_loop
async def test_a_request_longer_than_the_window_fails_with_its_numbers(tmp_path: Path):
    async with running(tmp_path) as model:
        with pytest.raises(ModelFailed) as caught:
            await answer(model, chat(("user", "word " * 3000)))
        assert caught.value.failure.kind == "context"
        assert text_of(await answer(model, chat(("user", "say x")))) == "x"


@in_loop
async def test_an_answer_without_a_word_is_told_of_the_model_not_of_an_address(tmp_path: Path):
    async with running(tmp_path) as model:
        with pytest.raises(ModelFailed, match="The built-in model") as caught:
            await answer(model, chat(("user", "say ")))
        assert caught.value.failure.kind == "empty"
        assert "127.0.0.1" not in caught.value.failure.message


@in_loop
async def test_a_server_that_dies_before_a_question_is_started_again_silently(tmp_path: Path):
    async with running(tmp_path) as model:
        await answer(model, chat(("user", "say x")))
        os.kill(pid_of(model), signal.SIGKILL)
        assert await until(lambda: model.server is not None and model.server.running is None)
        parts = await answer(model, chat(("user", "say x")))
        assert (text_of(parts), cached(parts)) == ("x", 0)


@in_loop
async def test_a_server_that_dies_while_it_answers_is_a_failure_and_the_next_question_works(tmp_path: Path):
    async with running(tmp_path) as model:
        with pytest.raises(ModelFailed) as caught:
            await answer(model, chat(("user", "say die")))
        assert caught.value.failure.kind == "server"
        assert "ended while it answered: out of luck" in caught.value.failure.message
        meter = await model.meter()
        assert meter is None
        assert text_of(await answer(model, chat(("user", "say x")))) == "x"


@in_loop
async def test_stopped_the_connection_closes_and_the_next_forecast_is_right(tmp_path: Path):
    async with running(tmp_path, double(pause_s=0.01)) as model:
        request = chat(("user", "say " + "word " * 100), window_tokens=2048)
        async with aclosing(model.stream(request)) as parts:
            async for part in parts:
                if isinstance(part, TextGrew):
                    break
        meter = await model.meter()
        assert meter is not None
        foretold = await meter.measure(request)
        assert foretold.cached_tokens == foretold.prompt_tokens - 1
        again = await answer(model, replace(request, max_output_tokens=1))
        assert cached(again) == foretold.cached_tokens


@in_loop
async def test_questions_asked_together_are_answered_one_after_the_other(tmp_path: Path):
    async with running(tmp_path, double(pause_s=0.02)) as model:
        answers = await asyncio.gather(
            *(answer(model, chat(("user", f"say {word} {word}"))) for word in ("one", "two"))
        )
        assert [text_of(parts) for parts in answers] == ["one one", "two two"]
        assert Progressed("Waiting for the answer before this one") in answers[1]


@in_loop
async def test_idle_the_server_ends_and_the_next_question_starts_it(tmp_path: Path):
    async with running(tmp_path, idle_s=0.5) as model:
        await answer(model, chat(("user", "say x")))
        pid = pid_of(model)
        assert await until(lambda: not is_running(pid))
        assert text_of(await answer(model, chat(("user", "say y")))) == "y"


@in_loop
async def test_closed_the_server_is_gone(tmp_path: Path):
    async with running(tmp_path) as model:
        await model.ready(quiet)
        pid = pid_of(model)
    assert not is_running(pid)


def test_a_path_must_be_given():
    with pytest.raises(InvalidInput, match="gguf: needs the path"):
        gguf_source("gguf: ")


def test_a_path_of_the_home_folder_is_understood():
    source = gguf_source("gguf:~/no-such-model.gguf")
    assert source.find() is None
    assert str(Path("~/no-such-model.gguf").expanduser()) in source.missing
