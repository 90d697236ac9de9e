"""Notes of a turn as anybody could have written them: the right names, and anything beneath them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

HUGE = 10**400
ODD = st.one_of(
    st.sampled_from([HUGE, -HUGE, 10**9, 10**9 + 1, -1, 0, 1, 300, 1_000, 2.0, 2.5, 1e308, -1e308]),
    st.sampled_from([float("nan"), float("inf"), float("-inf"), True, False, None, "300", "", "ä\ud800"]),
    st.sampled_from([[], [1], [HUGE, [HUGE]], {}, {"prompt_tokens": HUGE}, {"a": {"b": [float("nan")]}}]),
    st.integers(),
    st.floats(),
)
_TOP = (
    "prompt_tokens", "cached_tokens", "completion_tokens", "reasoning_tokens", "cache_write_tokens",
    "finish_reason", "removed_marks", "answer_id", "truncated",
)  # fmt: skip
_REQUEST = (
    "total_tokens", "ratio", "local", "layout", "rebuilt", "layers", "change", "causes", "trimmed_up_to",
    "parameters", "sent_digest", "shown_digest", "compared_with",
)  # fmt: skip
_CACHE = (
    "predicted_read_tokens", "predicted_write_tokens", "reported_read_tokens", "price_usd", "warm_s",
    "verdict", "provider_says",
)  # fmt: skip


def _table(*names: str, **given: Any) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries(given, optional=dict.fromkeys(names, ODD))


def odd_notes() -> st.SearchStrategy[dict[str, Any]]:
    """Such notes; mostly of a model whose reports teach something."""
    model = st.just("word-1") | ODD
    alike = st.just("fake/word-1") | ODD
    return st.fixed_dictionaries(
        {"request": _table(*_REQUEST, model=model, counted_as=alike) | ODD},
        optional={
            **dict.fromkeys(_TOP, ODD),
            "cache": _table(*_CACHE) | ODD,
            "timings_ms": _table("total", "first_token") | ODD,
            "cost": _table("usd") | ODD,
            "error": _table("message", "retry_after_s", "limit_tokens", kind=st.just("limit") | ODD) | ODD,
            "requests": st.lists(_table("prompt_tokens") | ODD, max_size=3) | ODD,
        },
    )
