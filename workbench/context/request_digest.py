"""One digest of a request: equal for equal bytes, and cheap, because it is made of the digests of its segments."""

from __future__ import annotations

from collections.abc import Callable

from workbench.domain.envelope import Envelope, Layer
from workbench.domain.text import digest_chain, digest_text


def request_digest(envelope: Envelope, of_layer: Callable[[Layer], str] | None = None) -> str:
    """The digest of everything that is sent; `of_layer` may remember what `layer_bytes_digest` gave."""
    digest = of_layer or layer_bytes_digest
    about = digest_text(f"{envelope.model}\n{envelope.budget.reserved_output_tokens}")
    return digest_chain([about, *(digest(layer) for layer in envelope.layers)])


def layer_bytes_digest(layer: Layer) -> str:
    """The digest of a layer as it stands on the wire: who speaks, what leads each segment, and its text."""
    sent = [f"{s.kind}\n{s.lead}\n{s.digest}" for s in layer.segments if s.sent]
    return digest_text("\n".join(sent))
