"""Client for a llama.cpp server: how it renders a chat, tokenises text, and what its slots hold."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from workbench.domain.answer import Failure, ModelFailed
from workbench.domain.influence import AnswerScore, AnswerTokens
from workbench.domain.reading.loose_json import count_in, table_in, tables_in, text_in
from workbench.domain.translation import tr
from workbench.providers.served.framing import TemplateRefused
from workbench.providers.served.slot import LlamaSlot, Token, are_ids

Json = dict[str, Any]

TEMPLATE_PATH = "/apply-template"
SCORING_PATH = "/completion"
SCORING_S = 1_800.0
"""The timeout of scoring, which reads a whole request and writes a whole answer before it responds."""
_REMEMBERED = 8
_PARTS_OF_CHARACTERS = tr(
    "This model writes most characters of the answer as several tokens, which its server can't score one by one."
)
MOST_SLOTS = 1024
"""State is kept for each slot of a server; one that claims more slots is not believed."""
# With every piece of text the server tells how many tokens it has written.
_BEGUN = "Quaggaone"
FOLLOWED = {"timings_per_token": True, "cache_prompt": True}


class LlamaQuestions(ABC):
    """Queries to one server, over a connection that subclasses provide."""

    def __init__(self) -> None:
        self._prompts: dict[str, tuple[Token, ...]] = {}

    @abstractmethod
    async def ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Send a query; raises `TemplateRefused` or `ModelFailed` if it fails."""

    async def props(self) -> Json:
        """The server's description of its model."""
        return as_object(await self.ask("GET", "/props"))

    async def rendered(self, body: Mapping[str, Any]) -> str:
        """The prompt of this chat, exactly as a request with it would make it."""
        return text_in(as_object(await self.ask("POST", TEMPLATE_PATH, body)), "prompt")

    async def continues(self) -> bool:
        """Whether a chat may end with the beginning of an answer, which its template then leaves open."""
        lines = [{"role": "user", "content": "a"}, {"role": "assistant", "content": _BEGUN}]
        try:
            return (await self.rendered({"messages": lines})).endswith(_BEGUN)
        except TemplateRefused:
            return False

    async def tokens(self, prompt: str) -> tuple[Token, ...]:
        """Tokens of a whole prompt, with what the server itself puts before it."""
        asked = {"content": prompt, "add_special": True, "parse_special": True, "with_pieces": True}
        return _tokens(as_object(await self.ask("POST", "/tokenize", asked)).get("tokens"))

    async def count(self, text: str) -> int:
        """Tokens of a part of a prompt."""
        asked = {"content": text, "add_special": False, "parse_special": True}
        found = as_object(await self.ask("POST", "/tokenize", asked)).get("tokens")
        if not isinstance(found, list):
            raise _not_told()
        return len(found)

    async def prompt(self, body: Mapping[str, Any]) -> tuple[str, tuple[Token, ...]]:
        """The prompt and its tokens, cached per prompt."""
        prompt = await self.rendered(body)
        if prompt not in self._prompts:
            tokens = await self.tokens(prompt)
            while len(self._prompts) >= _REMEMBERED:
                del self._prompts[next(iter(self._prompts))]
            self._prompts[prompt] = tokens
        return prompt, self._prompts[prompt]

    async def written(self, body: Mapping[str, Any]) -> str:
        """The prompt alone."""
        return await self.rendered(body)

    async def whole(self, prompt: str) -> int:
        """Tokens of a whole prompt."""
        return len(await self.tokens(prompt))

    async def beginning(self) -> str:
        """The text that the server itself puts before every prompt."""
        return b"".join(token.piece for token in await self.tokens("")).decode("utf-8", "replace")

    async def answer(self, text: str) -> tuple[Token, ...]:
        """Tokens of an answer as the model writes it."""
        asked = {"content": text, "add_special": False, "parse_special": False, "with_pieces": True}
        return _tokens(as_object(await self.ask("POST", "/tokenize", asked)).get("tokens"))

    async def scored(self, prompt: Sequence[int], answer: AnswerTokens) -> AnswerScore:
        """Score an answer that a grammar forces token by token; log-probabilities are those before the grammar.

        The server neither forces nor reports a token that is part of a character: it is given, and counts as 0.
        """
        logprobs: list[float] = []
        scores: list[AnswerScore] = []
        for whole, run in groupby(zip(answer.ids, map(_is_text, answer.pieces), strict=True), itemgetter(1)):
            ids = [number for number, _ in run]
            if whole:
                body = scoring_body([*prompt, *answer.ids[: len(logprobs)]], ids)
                scores.append(score_in(as_object(await self.ask("POST", SCORING_PATH, body)), ids))
            logprobs += scores[-1].logprobs if whole else [0.0] * len(ids)
        if 2 * sum(len(score.logprobs) for score in scores) < len(answer.ids):
            raise ModelFailed(Failure("request", _PARTS_OF_CHARACTERS))
        return AnswerScore(tuple(logprobs), scores[0].prompt_tokens, scores[0].cached_tokens)

    async def places(self) -> tuple[tuple[int, bool], ...]:
        """For each slot: the number of cached tokens, and whether it is busy."""
        slots = await self.ask("GET", "/slots")
        told = isinstance(slots, list) and len(slots) <= MOST_SLOTS
        listed = [as_object(slot) for slot in slots] if told else []
        return tuple(
            (count_in(slot, "n_prompt_tokens") or 0, bool(slot.get("is_processing"))) for slot in listed
        )


def scoring_body(prompt: Sequence[int], answer: Sequence[int]) -> Json:
    """Request body that makes a server generate exactly these tokens and report their log-probabilities.

    After the last token the grammar must allow something, or the server has nothing left to choose from and fails.
    """
    forced = " ".join(f"<[{number}]>" for number in answer)
    return {
        "prompt": list(prompt),
        "n_predict": len(answer),
        "temperature": 0,
        "n_probs": 1,
        "post_sampling_probs": False,
        "cache_prompt": True,
        "grammar": f"root ::= {forced} rest\nrest ::= [^\\x00]*",
    }


def score_in(answered: Mapping[str, Any], answer: Sequence[int]) -> AnswerScore:
    """Log-probabilities in a server's answer; raises `ModelFailed` if it wrote something else."""
    told = tables_in(answered, "completion_probabilities")
    if [one.get("id") for one in told] != list(answer):
        raise ModelFailed(Failure("protocol", tr("The server cannot be made to score a given answer.")))
    timings = table_in(answered, "timings")
    cached, read = count_in(timings, "cache_n"), count_in(timings, "prompt_n")
    prompt = count_in(answered, "tokens_evaluated") or (cached or 0) + (read or 0)
    return AnswerScore(tuple(float(one["logprob"]) for one in told), prompt, cached)


def follow(chunk: Mapping[str, Any], slot: LlamaSlot, prompt_tokens: int) -> None:
    """Records what the server has written and, at the end, how many tokens there are."""
    written = count_in(table_in(chunk, "timings"), "predicted_n")
    for choice in tables_in(chunk, "choices"):
        delta = table_in(choice, "delta")
        text = text_in(delta, "reasoning_content") + text_in(delta, "content")
        if text and written is not None:
            slot.grew(text, written)
    usage = table_in(chunk, "usage")
    total, read = count_in(usage, "completion_tokens"), count_in(usage, "prompt_tokens")
    if total is not None:
        slot.ended(total)
    if read is not None and read != prompt_tokens:
        slot.forget()


def as_object(answer: Any) -> Json:
    """The answer as a dict; an empty one if it is something else."""
    return answer if isinstance(answer, dict) else {}


def _tokens(found: object) -> tuple[Token, ...]:
    """The tokens; an older server gives only their ids, which is enough to count."""
    if not isinstance(found, list):
        raise _not_told()
    if are_ids(found):
        return tuple(Token(number, b"") for number in found)
    return tuple(Token(int(token["id"]), _bytes(token["piece"])) for token in found)


def _is_text(piece: bytes) -> bool:
    try:
        piece.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return False
    return True


def _not_told() -> ModelFailed:
    return ModelFailed(Failure("protocol", tr("The server did not say which tokens there are.")))


def _bytes(piece: str | Sequence[int]) -> bytes:
    """Bytes of a token; incomplete characters come as numbers."""
    # A bare number would be as many zeros.
    return piece.encode("utf-8", "surrogatepass") if isinstance(piece, str) else bytes(list(piece))
