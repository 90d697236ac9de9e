"""Sampling and output parameters that the user may set, and which of them a model accepts.

Only set parameters are sent, and only where the model accepts them; refusals are known beforehand, with reasons.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Annotated, Any, Literal

from workbench.domain.probability import CANDIDATES
from workbench.domain.reading.constraints import AsJson, Count, Name, Positive, Share, Within, WordOrJson
from workbench.domain.translation import tr

Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]
JSON_WORD = "json"
REQUEST_FIELDS = (
    "model", "messages", "system", "prompt", "input", "tools", "stream", "stream_options", "n", "options", "max_tokens",
    "max_completion_tokens", "num_ctx", "num_predict", "keep_alive", "prompt_cache_key",
)  # fmt: skip
"""Fields that make the request what is shown: no extra field takes their place."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters of a request; None: not set, and not sent. The longest answer is a setting of its own.

    Attributes:
        stop: texts before which the answer ends.
        response_format: "json", or the JSON schema that the answer must follow.
        extra: more fields of the request as a JSON object, under the provider's own names, sent as they are.
        probabilities: whether to report how likely each word of the answer was, and what else could have stood there.
    """

    temperature: Annotated[float, Within(0, 2)] | None = None
    top_p: Share | None = None
    stop: tuple[Name, ...] | None = None
    seed: Count | None = None
    reasoning_effort: Effort | None = None
    response_format: Annotated[str, WordOrJson(JSON_WORD)] | None = None
    top_k: Positive | None = None
    min_p: Annotated[float, Within(0, 1)] | None = None
    frequency_penalty: Annotated[float, Within(-2, 2)] | None = None
    presence_penalty: Annotated[float, Within(-2, 2)] | None = None
    extra: Annotated[str, AsJson()] | None = None
    probabilities: bool | None = None

    @property
    def reported(self) -> dict[str, Any]:
        """The fields that ask for probabilities, under the names that most servers know; none unless wanted."""
        return {"logprobs": True, "top_logprobs": CANDIDATES} if self.probabilities else {}

    @property
    def given(self) -> dict[str, Any]:
        """The set parameters by name, as written in a document."""
        found = {name: getattr(self, name) for name in PARAMETER_NAMES}
        return {
            name: _document_value(name, value) for name, value in found.items() if value not in (None, ())
        }

    @property
    def free(self) -> dict[str, Any]:
        """The fields of `extra`, by name."""
        found: dict[str, Any] = {} if self.extra is None else json.loads(self.extra)
        return found

    @property
    def schema(self) -> dict[str, Any] | None:
        """The JSON schema for the answer, where there is one."""
        if self.response_format is None or self.response_format == JSON_WORD:
            return None
        found: dict[str, Any] = json.loads(self.response_format)
        return found


PARAMETER_NAMES = tuple(field.name for field in fields(Parameters))


@dataclass(frozen=True, slots=True)
class Unsent:
    """A parameter that is set but not sent, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class ParameterRules:
    """Which parameters a model accepts; by default all of them.

    Attributes:
        refuses: names and why not; "json" is an answer in JSON without a schema, "json_schema" one with a schema.
        efforts: the words for reasoning effort that it knows; empty: any.
        sampling_efforts: where temperature and top_p are taken with these efforts only; "" is one not set.
        one_sampler: whether temperature and top_p cannot be sent together.
        most_temperature, most_stops: the largest values; 0 stops: as many as one likes.
    """

    refuses: tuple[tuple[str, str], ...] = ()
    efforts: tuple[str, ...] = ()
    sampling_efforts: tuple[str, ...] = ()
    one_sampler: bool = False
    most_temperature: float = 2.0
    most_stops: int = 0

    def refusal(self, name: str) -> str:
        """Why the model accepts no value of a parameter; empty where it does."""
        reasons = dict(self.refuses)
        if name == "response_format" and {"json", "json_schema"} <= reasons.keys():
            return reasons["json_schema"]
        return reasons.get(name, "")

    def unsent(self, given: Parameters) -> tuple[Unsent, ...]:
        """The set parameters that cannot be sent, with reasons."""
        found = ((name, self._reason(name, given)) for name in given.given)
        return tuple(Unsent(name, reason) for name, reason in found if reason)

    def taken(self, given: Parameters) -> Parameters:
        """The parameters that are sent."""
        refused: dict[str, Any] = dict.fromkeys(one.name for one in self.unsent(given))
        return replace(given, **refused) if refused else given

    def without(self, name: str, reason: str) -> ParameterRules:
        """The same rules, refusing this parameter as well."""
        return replace(self, refuses=(*(one for one in self.refuses if one[0] != name), (name, reason)))

    def _reason(self, name: str, given: Parameters) -> str:
        return self.refusal(name) or next(self._against(name, given), "")

    def _against(self, name: str, given: Parameters) -> Iterator[str]:
        """Reasons why this value is not accepted, or not together with the others."""
        match name:
            case "temperature" | "top_p" | "probabilities":
                yield from self._sampling(name, given)
            case "stop" if self.most_stops and len(given.stop or ()) > self.most_stops:
                yield tr("it takes at most {most_stops} texts to stop at", most_stops=self.most_stops)
            case "reasoning_effort" if self.efforts and given.reasoning_effort not in self.efforts:
                yield tr("it knows {efforts} only", efforts=", ".join(self.efforts))
            case "extra" if own := [field for field in given.free if field in REQUEST_FIELDS]:
                yield tr("{own} in it would be another request", own=", ".join(own))
            case "response_format":
                form = JSON_WORD if given.schema is None else "json_schema"
                yield from (why for kind, why in self.refuses if kind == form)

    def _sampling(self, name: str, given: Parameters) -> Iterator[str]:
        effort = given.reasoning_effort or ""
        if self.sampling_efforts and effort not in self.sampling_efforts:
            yield "it is taken without reasoning only (reasoning_effort none)"
        if name == "temperature" and (given.temperature or 0) > self.most_temperature:
            yield tr(
                "it takes temperatures up to {most_temperature:g}", most_temperature=self.most_temperature
            )
        if name == "top_p" and self.one_sampler and given.temperature is not None:
            yield "it cannot be sent beside temperature"


TAKES_ALL = ParameterRules()


def _document_value(name: str, value: Any) -> Any:
    if name == "extra" or (name == "response_format" and value != JSON_WORD):
        return json.loads(value)
    return list(value) if isinstance(value, tuple) else value
