"""Client for a vLLM server: the tokens of a chat, and the cache figures of its metrics."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from workbench.domain.answer import Failure, ModelFailed
from workbench.domain.influence import AnswerScore, AnswerTokens
from workbench.domain.reading.loose_json import count_in, table_in, tables_in
from workbench.domain.translation import tr
from workbench.providers.served.asking import ServerQueries
from workbench.providers.served.framing import TemplateRefused
from workbench.providers.served.ledger import CacheFigures
from workbench.providers.served.llama import SCORING_S
from workbench.providers.served.slot import Token, are_ids
from workbench.providers.wire.faults import Refused

# With the prompt's and the answer's tokens, which written again as text may become others.
FOLLOWED = {"return_token_ids": True}
# Its last message is left open; without these the server would begin another answer after it.
CONTINUING = {"add_generation_prompt": False, "continue_final_message": True}

_REMEMBERED = 8
_FIGURES_S = 3.0
_MOST_DIGITS = 12
# What of a request decides how its chat is written.
_WRITTEN_BY = (
    "messages",
    "tools",
    *CONTINUING,
    "chat_template_kwargs",
    "chat_template",
    "documents",
)
_PROBE = {
    "type": "function",
    "function": {"name": "probe", "parameters": {"type": "object", "properties": {}}},
}
_FIGURE = re.compile(r"^(?P<name>[\w:]+)(?:\{(?P<labels>.*)\})? (?P<value>\S+)", re.MULTILINE)
_LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
_CONFIG, _QUERIES, _STARTED = (
    "vllm:cache_config_info",
    "vllm:prefix_cache_queries_total",
    "process_start_time_seconds",
)


class VllmQuestions:
    """Queries about one model at one vLLM server → Counting."""

    def __init__(self, asking: ServerQueries, model: str) -> None:
        self._asking, self._model = asking, model
        self._prompts: dict[str, tuple[str, tuple[Token, ...]]] = {}
        self._open = True

    async def prompt(self, body: Mapping[str, Any]) -> tuple[str, tuple[Token, ...]]:
        """The prompt and its tokens, cached per chat."""
        asked = {name: body[name] for name in _WRITTEN_BY if name in body}
        key = json.dumps(asked, sort_keys=True)
        if key not in self._prompts:
            found = await self._tokenize({**asked, "return_token_strs": True})
            while len(self._prompts) >= _REMEMBERED:
                del self._prompts[next(iter(self._prompts))]
            self._prompts[key] = _prompt_of(found)
        return self._prompts[key]

    async def written(self, body: Mapping[str, Any]) -> str:
        """The prompt alone."""
        return _prompt_of(await self._tokenize({**body, "return_token_strs": True}))[0]

    async def whole(self, prompt: str) -> int:
        """Tokens of a whole prompt: the template writes all of it, the server adds nothing."""
        return await self.count(prompt)

    async def count(self, text: str) -> int:
        """Tokens of a part of a prompt."""
        return _count(await self._tokenize({"prompt": text, "add_special_tokens": False}))

    async def beginning(self) -> str:
        """Empty: the server puts nothing before a prompt."""
        return ""

    async def answer(self, text: str) -> tuple[Token, ...]:
        """The tokens of an answer."""
        asked = {"prompt": text, "add_special_tokens": False, "return_token_strs": True}
        return _prompt_of(await self._tokenize(asked))[1]

    async def scored(self, prompt: Sequence[int], answer: AnswerTokens) -> AnswerScore:
        """Score the answer as part of a prompt with log-probabilities, for which the server skips its prefix cache."""
        asked = {
            "model": self._model, "prompt": [*prompt, *answer.ids], "max_tokens": 1, "temperature": 0,
            "prompt_logprobs": 1,
        }  # fmt: skip
        try:
            answered = await self._asking.table("POST", "/v1/completions", asked, SCORING_S)
        except Refused as refused:
            why = tr("The server does not score: {reason}", reason=self._asking.reason(refused))
            raise ModelFailed(Failure("protocol", why)) from refused
        return score_in(answered, answer.ids)

    async def shows_tools(self) -> bool:
        """Whether the model's template includes tools: a chat with one is then longer."""
        chat = {"messages": [{"role": "user", "content": "a"}]}
        return _count(await self._tokenize({**chat, "tools": [_PROBE]})) > _count(await self._tokenize(chat))

    async def figures(self, conversation: str = "") -> CacheFigures | None:
        """Returns the server's cache figures; None where it shows none, after which it is not asked again.

        Of several replicas, the one that answers a `conversation` is asked.
        """
        if not self._open:
            return None
        try:
            read = await self._asking.read("GET", "/metrics", None, _FIGURES_S, conversation=conversation)
            return figures_in(read.decode("utf-8", "replace"))
        except Refused:
            self._open = False
        return None

    async def _tokenize(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        try:
            return await self._asking.table("POST", "/tokenize", {"model": self._model, **body})
        except Refused as refused:
            if refused.status == 400:
                raise TemplateRefused(self._asking.reason(refused)) from refused
            raise ModelFailed(
                Failure(
                    "protocol", tr("The server does not count: {reason}", reason=self._asking.reason(refused))
                )
            ) from refused


def score_in(answered: Mapping[str, Any], answer: Sequence[int]) -> AnswerScore:
    """Log-probabilities of the last tokens of a prompt; raises `ModelFailed` if they are missing."""
    choices = tables_in(answered, "choices")
    told = choices[0].get("prompt_logprobs") if choices else None
    places = told[-len(answer) :] if isinstance(told, list) else []
    found = [
        table_in(place, str(number)).get("logprob") if isinstance(place, dict) else None
        for place, number in zip(places, answer, strict=False)
    ]
    if len(found) != len(answer) or not all(isinstance(one, float | int) for one in found):
        raise ModelFailed(Failure("protocol", tr("The server did not say how likely the answer is.")))
    usage = table_in(answered, "usage")
    whole = count_in(usage, "prompt_tokens") or len(told or ())
    cached = count_in(table_in(usage, "prompt_tokens_details"), "cached_tokens")
    return AnswerScore(tuple(float(one) for one in found if one is not None), whole - len(answer), cached)


def figures_in(text: str) -> CacheFigures | None:
    """Cache figures from a server's metrics; None if they are missing."""
    config: dict[str, str] | None = None
    queries: float | None = None
    started, engines = 0.0, 0
    for name, labels, value in _figures(text):
        match name:
            case "vllm:cache_config_info":
                config, engines = labels, engines + 1
            case "vllm:prefix_cache_queries_total":
                queries = (queries or 0.0) + value
            case "process_start_time_seconds":
                started = value if math.isfinite(value) else 0.0
    size = _number((config or {}).get("block_size"))
    # A server of which nobody can say what it has read must not pass for one that has read nothing.
    if config is None or not size or queries is None or not math.isfinite(queries):
        return None
    blocks = _number(config.get("num_gpu_blocks"))
    # The first block of the pool is nobody's.
    usable = None if not blocks else blocks - 1
    return CacheFigures(
        size, usable, config.get("enable_prefix_caching") != "False", int(queries), started, engines
    )


def _figures(text: str) -> Iterator[tuple[str, dict[str, str], float]]:
    for found in _FIGURE.finditer(text):
        if found["name"] in (_CONFIG, _QUERIES, _STARTED):
            yield found["name"], dict(_LABEL.findall(found["labels"] or "")), _value(found["value"])


def _value(written: str) -> float:
    try:
        return float(written)
    except ValueError:
        return math.nan


def _number(written: str | None) -> int | None:
    good = written is not None and written.isdecimal() and len(written) <= _MOST_DIGITS
    return int(written) if good and written is not None else None


def _count(answer: Mapping[str, Any]) -> int:
    count = count_in(answer, "count")
    if count is None:
        raise ModelFailed(Failure("protocol", tr("The server did not say how many tokens there are.")))
    return count


def _prompt_of(answer: Mapping[str, Any]) -> tuple[str, tuple[Token, ...]]:
    """Returns the prompt as its tokens spell it; without their texts only the ids are known."""
    ids, texts = answer.get("tokens"), answer.get("token_strs")
    if not isinstance(ids, list) or len(ids) != _count(answer) or not are_ids(ids):
        raise ModelFailed(Failure("protocol", tr("The server did not say which tokens there are.")))
    known = isinstance(texts, list) and len(texts) == len(ids)
    pieces = (
        token_bytes([text if isinstance(text, str) else "" for text in texts or ()])
        if known
        else [b""] * len(ids)
    )
    tokens = tuple(Token(number, piece) for number, piece in zip(ids, pieces, strict=True))
    return b"".join(pieces).decode("utf-8", "replace"), tokens


def _byte_letters() -> dict[str, int]:
    """Returns the letters with which GPT-2-like tokenizers spell bytes; printable ones stand for themselves."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    return {chr(byte): byte for byte in plain} | {chr(256 + place): byte for place, byte in enumerate(others)}


_BYTE_LETTERS = _byte_letters()
_BLANK, _LINE = "Ġ", "Ċ"
_SENTENCE_BLANK = "▁"
_HEX_BYTE = re.compile(r"<0x([0-9A-F]{2})>")


def token_bytes(texts: Sequence[str]) -> list[bytes]:
    """Bytes of each token, from its spelling in the vocabulary: byte letters, or a sign for the space."""
    if any(_BLANK in text or _LINE in text for text in texts):
        return [_bytes_of_spelling(text) for text in texts]
    return [_sentence_piece(text) for text in texts]


def _bytes_of_spelling(text: str) -> bytes:
    if all(letter in _BYTE_LETTERS for letter in text):
        return bytes(_BYTE_LETTERS[letter] for letter in text)
    return text.encode("utf-8", "surrogatepass")  # a control token in letters of its own


def _sentence_piece(text: str) -> bytes:
    found = _HEX_BYTE.fullmatch(text)
    if found:
        return bytes([int(found[1], 16)])
    return text.replace(_SENTENCE_BLANK, " ").encode("utf-8", "surrogatepass")
