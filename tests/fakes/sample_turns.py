"""The eight turns that the scripted chat has behind it."""

from __future__ import annotations

from hashlib import sha256

from tests.fakes import sample_texts as texts
from workbench.domain.caching import Verdict
from workbench.domain.change import CauseName
from workbench.domain.segment import LayerName
from workbench.domain.shown.turn_view import TurnRow

DAY = "2026-11-12"
# number: sent, in, predicted, reported, out, cost, milliseconds
FIGURES: tuple[tuple[str, int, int | None, int, int, float, float], ...] = (
    ("13:10", 6_130, None, 0, 310, 0.0029, 6_200),
    ("13:14", 6_189, 1_024, 1_024, 420, 0.0028, 6_900),
    ("13:18", 5_940, 1_408, 1_408, 560, 0.0028, 7_400),
    ("13:21", 8_320, 5_888, 5_888, 1_010, 0.0032, 11_800),
    ("13:49", 10_460, 8_192, 0, 980, 0.0058, 12_100),
    ("13:52", 12_590, 10_368, 10_368, 700, 0.0030, 8_800),
    ("13:57", 3_379, 1_792, 1_792, 835, 0.0021, 9_100),
    ("14:01", 4_275, 3_200, 3_200, 1_249, 0.0027, 13_400),
)
ASKED = {7: texts.QUESTION_7, 8: texts.QUESTION_8}


def sample_turns() -> tuple[TurnRow, ...]:
    """Turn 5 found its cache expired; in turn 7 trimming broke the prefix, as was predicted."""
    return tuple(_row(number) for number in range(1, len(FIGURES) + 1))


def _row(number: int) -> TurnRow:
    sent, tokens_in, predicted, reported, out, cost, took = FIGURES[number - 1]
    verdict: Verdict | None = None if predicted is None else "expired" if number == 5 else "as_predicted"
    broke: CauseName | None = "trimmed" if number == 7 else None
    return TurnRow(
        number=number,
        question=f"m{2 * number - 1}",
        reply=f"m{2 * number}",
        asked=ASKED.get(number, "Where does the service keep its tokens?"),
        sent_utc=f"{DAY}T{sent}:00Z",
        model="openai:gpt-4.1-mini",
        state="complete",
        total_tokens=tokens_in,
        prompt_tokens=tokens_in,
        cached_tokens=reported,
        predicted_tokens=predicted,
        completion_tokens=out,
        reasoning_tokens=214 if number == 8 else None,
        verdict=verdict,
        broke=broke,
        broke_subject="12" if broke else "",
        cost_usd=cost,
        total_ms=took,
        first_token_ms=400,
        finish_reason="stop",
        digest=sha256(f"turn {number}".encode()).hexdigest(),
        shown_digest=sha256(f"turn {number}".encode()).hexdigest(),
        layers=_layers(number, tokens_in),
    )


def _layers(number: int, total: int) -> tuple[tuple[LayerName, int], ...]:
    if number == 7:
        return (
            ("L1_SYSTEM", 1_060),
            ("L2_PREVIOUS", 775),
            ("L4_STRIP", 1_480),
            ("L3_TURN", 9),
            ("L5_USER", 55),
        )
    return (
        ("L1_SYSTEM", 1_060),
        ("L2_PREVIOUS", 775),
        ("L4_STRIP", total - 1_905),
        ("L3_TURN", 9),
        ("L5_USER", 61),
    )
