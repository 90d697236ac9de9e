"""Asking a vLLM server: tokens with what they write, figures out of its metrics, and what it refuses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.loop import in_loop
from tests.fakes.vllm_server import VllmDouble, _named, vllm_double
from workbench.domain.answer import ModelFailed
from workbench.domain.influence import AnswerTokens
from workbench.providers.served.asking import ServerQueries
from workbench.providers.served.framing import TemplateRefused, find_framing
from workbench.providers.served.ledger import CacheFigures
from workbench.providers.served.meter import _LiveTemplate
from workbench.providers.served.vllm import VllmQuestions, figures_in, score_in, token_bytes
from workbench.providers.wire.endpoint import Endpoint

CHAT = {"messages": [{"role": "user", "content": "héllo 漢 x"}]}


def questions(server: VllmDouble, model: str = "m") -> VllmQuestions:
    return VllmQuestions(ServerQueries(Endpoint(f"http://127.0.0.1:{server.port}/v1", model)), model)


@in_loop
async def test_a_chat_is_counted_with_what_each_token_writes():
    async with vllm_double() as server:
        prompt, tokens = await questions(server).prompt({**CHAT, "stream": True, "temperature": 1})
        assert prompt == server.prompt(CHAT)
        assert [token.id for token in tokens] == server.ids(prompt)
        path, body = server.asked[-1]
        assert (path, body.keys()) == ("/tokenize", {"model", "messages", "return_token_strs"})


@in_loop
async def test_the_same_chat_is_counted_once():
    async with vllm_double() as server:
        asked = questions(server)
        for _ in range(3):
            await asked.prompt(CHAT)
        assert len(server.asked) == 1


@in_loop
async def test_its_template_is_found_out():
    async with vllm_double() as server:
        framing = await find_framing(_LiveTemplate(questions(server)), ("<|im_start|>", "<|im_end|>"))
        assert framing is not None
        assert framing.reply == "<|im_start|>assistant\n"


@in_loop
async def test_a_template_that_hides_tools_is_seen_by_its_counts():
    async with vllm_double() as shown, vllm_double(tools=False) as hidden:
        assert await questions(shown).shows_tools()
        assert not await questions(hidden).shows_tools()


@in_loop
async def test_what_it_refuses_has_a_name():
    async with vllm_double() as server:
        with pytest.raises(TemplateRefused, match="no such chat"):
            await questions(server).prompt({"messages": [{"role": "user", "content": "odd"}]})
        with pytest.raises(ModelFailed, match="no such model"):
            await questions(server, "other").count("a")


@in_loop
async def test_its_figures_are_read_and_closed_ones_are_not_asked_for_again():
    async with vllm_double(queries=7) as server, vllm_double(metrics=False) as closed:
        assert await questions(server).figures() == CacheFigures(4, 1000, True, 7, 1.5)
        asked = questions(closed)
        assert [await asked.figures(), await asked.figures()] == [None, None]
        assert [path for path, _ in closed.asked] == ["/metrics"]


def test_figures_of_a_real_server():
    """As vLLM 0.32 writes them, shortened."""
    text = """# TYPE vllm:prefix_cache_queries_total counter
vllm:prefix_cache_queries_total{engine="0",model_name="smol"} 1.2e+03
vllm:prefix_cache_hits_total{engine="0",model_name="smol"} 0.0
process_start_time_seconds 1.79477194659e+09
vllm:cache_config_info{_block_size_resolved="True",block_size="32",cache_dtype="auto",enable_prefix_caching="True",\
num_gpu_blocks="728",num_cpu_blocks="None"} 1.0
"""
    assert figures_in(text) == CacheFigures(32, 727, True, 1200, 1794771946.59)


@pytest.mark.parametrize("text", ["", "up 1\n", 'vllm:cache_config_info{block_size="None"} 1.0\n'])
def test_other_figures_say_nothing(text: str):
    assert figures_in(text) is None


_CONFIG = 'vllm:cache_config_info{block_size="16",num_gpu_blocks="9"} 1.0\n'
_QUERIES = "vllm:prefix_cache_queries_total"


@pytest.mark.parametrize("odd", ["NaN", "+Inf", "-Inf", "many", "1e999", "0x10"])
def test_a_figure_that_is_none_says_nothing(odd: str):
    """One of them ended every question at that server as a failure of the program."""
    assert figures_in(f"{_CONFIG}{_QUERIES} {odd}\n") is None
    assert figures_in(f"{_CONFIG}{_QUERIES} 3.0\n{_QUERIES} {odd}\n") is None
    started = figures_in(f"{_CONFIG}{_QUERIES} 3.0\nprocess_start_time_seconds {odd}\n")
    assert started == CacheFigures(16, 8, True, 3, 0.0)


def test_a_server_that_does_not_say_what_it_has_read_does_not_pass_for_an_empty_one():
    assert figures_in(_CONFIG) is None
    huge = _CONFIG.replace('"16"', f'"{"9" * 5_000}"')
    assert figures_in(f"{huge}{_QUERIES} 3.0\n") is None


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6), max_size=5))
def test_letters_for_bytes_are_what_they_stand_for(words: list[str]):
    texts = [word.replace("Ġ", "G").replace("Ċ", "C") for word in words]
    names = ["Ġ", *(_named(text.replace(" ", "_").replace("\n", "_")) for text in texts)]
    if any(not text.isprintable() for text in texts):
        return
    expected = [text.replace(" ", "_").encode() for text in texts]
    assert token_bytes(names) == [b" ", *expected]


def test_other_vocabularies_have_a_sign_for_the_blank_and_names_for_bytes():
    assert token_bytes(["▁a", "b", "<0xE6>", "</s>"]) == [b" a", b"b", b"\xe6", b"</s>"]
    assert token_bytes(["Ġa", "<｜User｜>"]) == [b" a", "<｜User｜>".encode()]


@in_loop
async def test_an_answer_is_scored_as_the_end_of_a_prompt():
    async with vllm_double() as server:
        asked = questions(server)
        _, prompt = await asked.prompt(CHAT)
        answer = await asked.answer("héllo there")
        assert [token.piece for token in answer] == ["héllo".encode(), b" there"]
        ids = [token.id for token in prompt]
        score = await asked.scored(
            ids, AnswerTokens(tuple(token.id for token in answer), tuple(token.piece for token in answer))
        )
        path, body = server.asked[-1]
    assert (score.logprobs, score.prompt_tokens, score.cached_tokens) == ((-0.125, -5.0), len(ids), 0)
    assert path == "/v1/completions"
    assert body == {
        "model": "m", "prompt": [*ids, *(token.id for token in answer)], "max_tokens": 1, "temperature": 0,
        "prompt_logprobs": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    "told",
    [
        {}, {"choices": []}, {"choices": [{"prompt_logprobs": None}]}, {"choices": [{"prompt_logprobs": [None]}]},
        {"choices": [{"prompt_logprobs": [{"8": {"logprob": -1}}]}]},
        {"choices": [{"prompt_logprobs": [{"7": {"logprob": "no"}}]}]},
    ],
)  # fmt: skip
def test_a_server_that_tells_no_likelihoods_does_not_score(told: dict[str, object]):
    with pytest.raises(ModelFailed, match="did not say how likely"):
        score_in(told, [7])


@in_loop
async def test_a_server_that_refuses_to_score_says_why():
    async with vllm_double() as server:
        asked = VllmQuestions(ServerQueries(Endpoint(f"http://127.0.0.1:{server.port}/other", "m")), "m")
        with pytest.raises(ModelFailed, match="does not score"):
            await asked.scored([1], AnswerTokens((2,), (b"a",)))
