"""What reports show of a cache whose rules nobody published."""

from __future__ import annotations

from workbench.context.cache.forecast import observe
from workbench.domain.model import CacheSeen, TurnReport


def report(cached: int | None, prompt: int | None = 2_000) -> TurnReport:
    return TurnReport("m", counted_tokens=1_800, prompt_tokens=prompt, cached_tokens=cached)


def test_nothing_is_seen_of_a_cache_that_never_served():
    assert observe([]) is None
    assert observe([report(None), report(0)]) is None


def test_the_newest_report_and_the_least_that_was_served():
    seen = observe([report(0), report(512), report(1_024, 1_500), report(None)])
    assert seen == CacheSeen(1_024, 1_500, 512)
    assert observe([report(512), report(0, None)]) == CacheSeen(0, 1_800, 512)


def test_a_step_is_named_where_several_amounts_have_it():
    assert observe([report(512), report(512), report(1_024)]) == CacheSeen(1_024, 2_000, 512), "too few"
    assert observe([report(512), report(640), report(1_024)]) == CacheSeen(1_024, 2_000, 512, 128)
    assert observe([report(512), report(641), report(1_024)]) == CacheSeen(1_024, 2_000, 512), (
        "no common step"
    )
