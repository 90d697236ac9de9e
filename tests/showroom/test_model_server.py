"""The scripted server: the prompt, its tokens, and each provider's cache by its published rules."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.architecture.source_tree import ROOT
from tests.fakes.loop import in_loop
from workbench.domain.message import ToolCall
from workbench.providers.served.slot import Token
from workbench.providers.tokenizer import TiktokenTokenizer
from workbench.providers.wire.faults import Refused
from workbench.showroom.model_server import (
    HARMONY,
    OPENAI,
    LlamaCache,
    OpenAiCache,
    Pace,
    Reading,
    ScriptedAnswer,
    ScriptedServer,
    Tokens,
)

TOKENIZER = TiktokenTokenizer("o200k_base", ROOT / "resources" / "encodings")


def numbered(*ids: int) -> Tokens:
    return tuple(Token(one, b"x") for one in ids)


def body(*texts: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text} for text in texts]}


async def said(server: ScriptedServer, asked: dict[str, Any]) -> list[dict[str, Any]]:
    content = json.dumps(asked).encode()
    events = [event async for event in server.answered(content)]
    assert events[-1] == b"data: [DONE]\n\n"
    return [json.loads(event.removeprefix(b"data: ")) for event in events[:-1]]


class Stopwatch:
    def __init__(self) -> None:
        self.passed_s = 0.0

    def passes(self, seconds: float) -> None:
        self.passed_s += seconds

    def now_ms(self) -> float:
        return self.passed_s * 1000


def server(clock: Stopwatch, *answers: ScriptedAnswer) -> ScriptedServer:
    made = ScriptedServer(
        Reading(HARMONY, TOKENIZER), LlamaCache(), Pace(100, 10, clock.passes, clock.now_ms)
    )
    made.coming += answers
    return made


def test_openais_template_is_its_published_count():
    """Three tokens and the role for a message, three that open the answer."""
    prompt = Reading(OPENAI, TOKENIZER).tokens(OPENAI.prompt(body("How are you?", "Well?")))
    words = sum(TOKENIZER.count(text) + TOKENIZER.count("user") for text in ("How are you?", "Well?"))
    assert len(prompt) == 2 * 3 + words + 3


def test_tokens_join_to_the_text_they_are_of():
    text = HARMONY.prompt(body("naïve 漢字 <|end|>"))
    assert b"".join(token.piece for token in Reading(HARMONY, TOKENIZER).tokens(text)) == text.encode()


def test_llama_keeps_prompt_and_answer_but_the_last_token_and_reads_one_again():
    cache = LlamaCache()
    assert cache.read(numbered(1, 2, 3), 0) == 0
    cache.wrote(numbered(4, 5, 6))
    assert cache.held_tokens == 5
    assert cache.read(numbered(1, 2, 3, 4, 5, 6, 7), 0) == 5
    assert cache.read(numbered(1, 2, 3, 4, 5, 6, 7), 0) == 6
    assert cache.read(numbered(1, 2, 9), 0) == 2


@pytest.mark.parametrize(
    ("common", "served"), [(1023, 0), (1024, 1024), (1151, 1024), (1152, 1152), (3000, 2944)]
)
def test_openai_serves_from_1024_tokens_in_steps_of_128(common: int, served: int):
    cache = OpenAiCache()
    cache.read(numbered(*range(common), -1), 0)
    assert cache.read(numbered(*range(common), -2), 1000) == served


def test_openai_forgets_after_five_idle_minutes_and_keeps_no_answer():
    cache, prompt = OpenAiCache(), numbered(*range(2048))
    cache.read(prompt, 0)
    cache.wrote(numbered(*range(2048, 4096)))
    assert cache.read(numbered(*range(4096)), 299_000) == 2048
    assert cache.read(prompt, 598_000) == 2048
    assert cache.read(prompt, 598_000 + 300_001) == 0


@in_loop
async def test_usage_is_counted_from_the_bytes_and_time_goes_by_what_was_read_and_written():
    clock = Stopwatch()
    asked = server(clock, ScriptedAnswer("Fine, thanks.", "Polite."), ScriptedAnswer("Yes."))
    *pieces, _, ending = await said(asked, body("How are you?"))
    read = len(asked.reading.tokens(HARMONY.prompt(body("How are you?"))))
    written = TOKENIZER.count("Fine, thanks.") + TOKENIZER.count("Polite.")
    usage = ending["usage"]
    assert (usage["prompt_tokens"], usage["completion_tokens"]) == (read, written + 1)
    assert usage["completion_tokens_details"]["reasoning_tokens"] == TOKENIZER.count("Polite.")
    assert clock.passed_s == pytest.approx(read / 100 + written / 10)
    assert [list(piece["choices"][0]["delta"]) for piece in pieces] == [["reasoning_content"], ["content"]]
    again = (await said(asked, body("How are you?")))[-1]
    assert again["usage"]["prompt_tokens_details"]["cached_tokens"] == read - 1


@in_loop
async def test_calls_and_refusals_are_those_of_the_script():
    call = ToolCall("c1", "edit", '{"path": "a.py"}')
    asked = server(Stopwatch(), ScriptedAnswer("I change it.", calls=(call,)), ScriptedAnswer(refused=503))
    found = await said(asked, body("Change it."))
    rows = [
        row for event in found for choice in event["choices"] for row in choice["delta"].get("tool_calls", [])
    ]
    assert [row["function"]["arguments"] for row in rows] == [call.arguments]
    assert found[-2]["choices"][0]["finish_reason"] == "tool_calls"
    for _ in range(2):  # the script's own refusal, and then nothing is left to say
        with pytest.raises(Refused):
            await said(asked, body("And now?"))
