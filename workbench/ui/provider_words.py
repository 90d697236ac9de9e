"""Why a provider's cache missed, as the provider itself says: a sentence to stand beside our own."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.domain.caching.forecast import ProviderSays
from workbench.ui import formatting
from workbench.ui.translation import N_, translator

_tr = translator("Provider")

_REASONS: Mapping[str, str] = {
    "unchanged": N_("this request continues the previous one unchanged"),
    "model_changed": N_("another model than in the request before"),
    "system_changed": N_("the instructions changed since the last request"),
    "tools_changed": N_("the tools changed since the last request"),
    "messages_changed": N_("an earlier message changed since the last request"),
    "previous_message_not_found": N_("it has no record of the request before"),
    "unavailable": N_("unknown; perhaps a parameter changed, such as thinking"),
    "pending": N_("it had not compared the two requests yet"),
}


def provider_words(said: ProviderSays | None) -> str:
    """What the provider itself says of the request beside the one before; empty where it said nothing."""
    if said is None:
        return ""
    known = _REASONS.get(said.reason)
    why = _tr(known) if known is not None else said.reason.replace("_", " ")
    missed = ""
    if said.missed_tokens is not None:
        missed = _tr(" About {n} tokens could have been read from its cache.").format(
            n=formatting.tokens(said.missed_tokens)
        )
    return _tr("The provider says: {why}.").format(why=why) + missed
