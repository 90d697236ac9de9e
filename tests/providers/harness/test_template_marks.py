"""Marks of chat templates at the end of an answer, however the stream cuts them."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.answers import PATIENT, Kept, keep, question
from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.chat_model import FakeModels
from tests.fakes.engine import fake_bench
from tests.fakes.loop import in_loop
from tests.fakes.recording_server import RECORDED_WIRES, RecordingServer
from tests.fakes.turns import fake_builder
from tests.fakes.wires import OpenAiWire
from tests.providers.harness.test_harness import END, Attempts, explain
from workbench.cli.ask.json_lines import turn_line
from workbench.domain.answer import AnswerPart, CallMade, MarksRemoved, TextGrew
from workbench.domain.message import ToolCall
from workbench.engine.intents import SendMessage
from workbench.providers.harness.harness import Harness, RawPart
from workbench.providers.harness.template_marks import CONTROL_TOKENS, MarkedEnd


def streamed(*pieces: str) -> tuple[str, tuple[str, ...]]:
    end = MarkedEnd(CONTROL_TOKENS)
    shown = "".join(end.grow(piece) for piece in pieces)
    rest, marks = end.end()
    return shown + rest, marks


async def harnessed(*parts: RawPart) -> Kept:
    return await keep(Harness(explain, False, marks=CONTROL_TOKENS).stream(Attempts([*parts]), PATIENT))


@pytest.mark.parametrize("mark", CONTROL_TOKENS)
def test_a_mark_at_the_end_goes(mark: str):
    assert streamed(f"Done.{mark}") == ("Done.", (mark,))
    assert streamed("Done.\n", *mark, "\n") == ("Done.\n", (mark,))


def test_several_go_and_are_named_once():
    text = "Yes.<|im_end|>\n<|endoftext|><|endoftext|>\n"
    assert streamed(text) == ("Yes.", ("<|im_end|>", "<|endoftext|>"))


@pytest.mark.parametrize(
    "text",
    [
        "A turn ends with <|im_end|>, as in ChatML.",
        "`<|im_end|>`",
        "```\n[INST] Hi [/INST]\n```\n",
        "a < b",
        "[1, 2]",
        "It begins like <|im_",
        "<|im_end|> is the mark",
        "Struck out: <s>old</s>",
        "The whole of it: <|im_start|>user\nHi<|im_end|>\n",
        "One </s> and then <",
        "",
        " \n",
    ],
)
def test_words_about_marks_are_left_alone(text: str):
    assert streamed(text) == (text, ())
    assert streamed(*text) == (text, ())


PIECES = st.sampled_from(
    ("<|im_end|>", "</s>", "<s>", "[INST]", "<", "|", "im_end|>", " ", "\n", "word", "<|", "[")
)


@given(st.lists(PIECES, max_size=8).map("".join), st.lists(st.integers(0, 80), max_size=5))
def test_the_cuts_of_a_stream_change_nothing(text: str, places: list[int]):
    cut = [text[a:b] for a, b in pairwise([0, *sorted(min(place, len(text)) for place in places), len(text)])]
    assert streamed(*cut) == streamed(text)


def test_nothing_but_possible_marks_is_held_back():
    end = MarkedEnd(CONTROL_TOKENS)
    assert [end.grow(piece) for piece in ("One", " two ", "<", "c", "\n", "[INS")] == [
        "One", " two ", "", "<c", "\n", "",
    ]  # fmt: skip


def test_a_model_that_writes_nothing_else_takes_no_time():
    began = time.thread_time()
    assert streamed("Yes.", *(["<|endoftext|>"] * 20_000)) == ("Yes.", ("<|endoftext|>",))
    assert streamed("<s>" * 100_000 + "x", *(["<s>"] * 5)) == ("<s>" * 100_000 + "x", ("<s>",))
    assert time.thread_time() - began < 5


@in_loop
async def test_the_harness_tells_of_them_before_the_end():
    kept = await harnessed(TextGrew("Yes.<|im"), TextGrew("_end|>"), END)
    expected: list[AnswerPart] = [TextGrew("Yes."), MarksRemoved(("<|im_end|>",)), END]
    assert kept.parts == expected


@in_loop
async def test_marks_alone_are_no_answer():
    assert (await harnessed(TextGrew("</s>"), END)).kind == "empty"


@in_loop
async def test_marks_before_a_call_go_too():
    call = CallMade(ToolCall("i", "n", "{}"))
    kept = await harnessed(TextGrew("[TOOL_CALLS]"), call, END)
    assert kept.parts == [call, MarksRemoved(("[TOOL_CALLS]",)), END]


@in_loop
async def test_what_was_held_back_is_kept_when_the_answer_breaks_off():
    kept = await harnessed(TextGrew("if a <"))
    assert (kept.text, kept.state) == ("if a <", "interrupted")


@in_loop
async def test_without_a_template_nothing_goes():
    kept = await keep(Harness(explain, False).stream(Attempts([TextGrew("a</s>"), END]), PATIENT))
    assert kept.parts == [TextGrew("a</s>"), END]


def test_only_servers_with_templates_are_corrected():
    """Models of Anthropic and Google are asked without a template that is known: their words stay as they are."""

    @in_loop
    async def run() -> None:
        for wire in RECORDED_WIRES:
            async with RecordingServer(wire, answer="Yes.<|eot_id|>") as server:
                model = server.model()
                kept = await keep(model.stream(question()))
                await model.close()
            templated = wire.name not in ("anthropic", "gemini")
            assert kept.text == ("Yes." if templated else "Yes.<|eot_id|>"), wire

    run()


@in_loop
async def test_the_chat_keeps_the_clean_answer_and_the_note():
    async with RecordingServer(OpenAiWire(), answer="Yes.</s>") as server:
        card = replace(WORD_MODEL, context_window_tokens=50_000)
        bench = fake_bench(models=FakeModels(server.model()), builder=fake_builder(card))
        await bench.start()
        outcome = (await bench.do(SendMessage("talk", "Well?"))).outcome
        assert (outcome.answer, outcome.removed_marks) == ("Yes.", ("</s>",))
        assert turn_line("talk", outcome, None)["removed_marks"] == ["</s>"]
        assert (await bench.texts())[-1] == ("assistant", "Yes.", "complete")
        assert bench.workbench.state.open["talk"].turns[-1].removed_marks == ("</s>",)
        await bench.workbench.close()
