"""How often forecasts came true."""

from __future__ import annotations

from workbench.context.cache.forecast import LAST_JUDGED, accuracy
from workbench.domain.model import TurnReport


def report(predicted: int | None, served: int | None, tokens: int = 1_000) -> TurnReport:
    return TurnReport("m", counted_tokens=tokens, predicted_tokens=predicted, served_tokens=served)


def test_a_forecast_within_a_hundredth_of_the_request_came_true():
    good = [report(500, 500), report(500, 510), report(500, 490), report(0, 1, tokens=20)]
    bad = [report(500, 511), report(500, 0), report(0, 2, tokens=20)]
    assert accuracy([*good, *bad]) == (7, 4)


def test_only_turns_with_a_forecast_and_a_report_count():
    assert accuracy([report(None, 5), report(5, None), report(None, None)]) == (0, 0)


def test_what_was_wrong_long_ago_says_nothing_about_today():
    assert accuracy([report(500, 0)] * 50 + [report(500, 500)] * LAST_JUDGED) == (LAST_JUDGED, LAST_JUDGED)


def test_the_request_is_what_its_provider_says_it_is():
    counted_short = TurnReport(
        "m", counted_tokens=100, prompt_tokens=1_000, predicted_tokens=50, served_tokens=58
    )
    assert accuracy([counted_short]) == (1, 1)
