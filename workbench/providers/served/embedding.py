"""Embeddings from a server's /v1/embeddings, as OpenAI has it: llama.cpp, vLLM and Ollama, too."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.domain.answer import Failure, FailureKind, ModelFailed
from workbench.domain.reading.loose_json import tables_in
from workbench.domain.translation import tr
from workbench.providers.served.asking import ServerQueries
from workbench.providers.wire.endpoint import Endpoint
from workbench.providers.wire.faults import Refused, WireFault

_PATH = "/v1/embeddings"
_REFUSES_TEXTS = frozenset({400, 413, 422, 500})  # llama.cpp says 500 of a text that is longer than its batch


class ServedEmbeddings:
    """One model at one server → Embedder."""

    def __init__(self, endpoint: Endpoint, model: str) -> None:
        self._queries, self._name = ServerQueries(endpoint), endpoint.model
        self.model, self.host, self.local = model, endpoint.host, endpoint.local

    async def vectors(self, texts: Sequence[str], wait_s: float) -> Sequence[Sequence[float]]:
        body = {"model": self._name, "input": list(texts), "encoding_format": "float"}
        try:
            found = tables_in(await self._queries.table("POST", _PATH, body, 2 * wait_s), "data")
        except Refused as refused:
            why = tr(
                "{host} gives no embeddings: {refused}", host=self.host, refused=self._queries.reason(refused)
            )
            kind: FailureKind = "request" if refused.status in _REFUSES_TEXTS else "server"
            raise ModelFailed(Failure(kind, why)) from refused
        except WireFault as fault:
            raise ModelFailed(
                Failure(
                    "protocol",
                    tr("The answer of {host} cannot be read: {fault}.", host=self.host, fault=fault),
                )
            ) from fault
        ordered = sorted(found, key=lambda one: number if isinstance(number := one.get("index"), int) else 0)
        return [_numbers(one.get("embedding")) for one in ordered]

    async def close(self) -> None:
        await self._queries.close()


def _numbers(found: object) -> list[float]:
    if not isinstance(found, list) or not all(type(one) in (int, float) for one in found):
        return []
    return [float(one) for one in found]
