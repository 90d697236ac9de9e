"""Facts: what is one, when two are the same, and that no cut of a text makes a new one."""

from __future__ import annotations

import pytest

from tests.benchmarks.bench_shorten import PLANTED
from workbench.context.shorten.facts import FactsOf, facts_in
from workbench.context.shorten.fit import plan_of


def texts(text: str) -> list[str]:
    return [fact.text for fact in facts_in(text)]


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("The budget is 1,234.5 EUR, up 4.5 %.", ["1,234.5 EUR", "4.5 %"]),
        ("We met Mara and Tom Lind at 15:30.", ["15:30", "Mara", "Tom", "Lind"]),
        ("Mara wants it on January 3, 2024.", ["January 3, 2024", "Mara"]),
        ("Call refresh() in src/app/main.py with --force.", ["refresh()", "src/app/main.py", "--force"]),
        ("See https://example.org/a_(b), or mail me@example.org.", ["https://example.org/a_(b)", "me@example.org"]),
        ("Use `os.path.join`, snake_case and camelCase in v1.2.3.",
         ["os.path.join", "snake_case", "camelCase", "v1.2.3"]),
        ("1. First do this\n2. Then that\n# A Title Of Much\nand e.g. this, and/or that, i.e. it. OK?", []),
        ("A state-of-the-art, easy-to-use tool for one of them; we may march on.", []),
        ("Users asked for it. Deploy it. The server is down. Everything works.", []),
        ("我在2024年用numpy，价格是¥1,000。", ["2024", "¥1,000", "numpy"]),
        (
            "Der Hund von Anna Schmidt lief durch den Park und die Stadt, weil das Tor offen und das Wetter gut war.",
            ["Anna", "Schmidt"],
        ),
    ],
)  # fmt: skip
def test_facts_are_found_and_plain_words_are_none(text: str, facts: list[str]):
    assert sorted(texts(text)) == sorted(facts)


@pytest.mark.parametrize(
    ("written", "elsewhere", "same"),
    [
        ("1,000 rows", "1000 rows", True),
        ("1.234,5", "1,234.5", True),
        ("4.5 %", "4.5 percent", True),
        ("$20", "20 dollars", True),
        ("300 ms", "300 s", False),
        ("3 PM", "15:00", True),
        ("3 AM", "15:00", False),
        ("15:00", "15:00:07", True),
        ("2025年5月1日", "1 May 2025", True),
        ("5月1日", "2025년 5월 1일", True),
        ("2025年5月1日", "2025年5月11日", False),
        ("in March 42 came", "42 came in March", True),
        ("in March 12 came", "12 came in March", True),
        ("March 12", "12", False),
        ("31.10.2026", "October 31, 2026", True),
        ("12/08/2026", "12 August 2026", True),
        ("June 2026", "2026-06-30", True),
        ("June 2026", "2025-06-30", False),
        ("on 2 June 2026", "2026-06-02T03:14:07Z", True),
        ("at 03:14:07", "2026-06-02T03:14:07Z", True),
        ("3 January 2024", "2024-01-03", True),
        ("January 3", "2024-01-03", True),
        ("2024-01-03", "January 3", False),
        ("2 of them", "two of them", True),
        ("`refresh()`", "call refresh() now", True),
        ("say “Mara’s” and Mara", "with Mara", True),
        ("with mara_2", "with mara_20", False),
        ("https://example.org/a", "https://example.org/ab", False),
        ("https://example.org/a", "https://example.org/a/b?id=42", False),
        ("https://example.org/a", "([here](https://example.org/a),x)", True),
        ("5 million", "5,000,000", True),
        ("5 billion", "5 million", False),
        ("1.5 bn EUR", "1,500,000,000 euros", True),
        ("3 months", "3 weeks", False),
        ("a 4-month plan", "4 months", True),
        ("three weeks", "3 weeks", True),
        ("25 files", "twenty-five files", True),
        ("nine servers", "seven servers", False),
        ("the 11 of us", "we did it once", False),
        ("los 11 de la lista", "once de los de la lista", True),
        ("in January, on Monday", "on monday in january", True),
        ("on tuesday", "on monday", False),
        ("12 feb 2025", "12 jan 2025", False),
        ("12 Jan. 2025", "2025-01-12", True),
        ("the pod my-app-web", "the pod my-app-db", False),
        ("commit deadbeef", "commit feedbeef", False),
        ("预算三万元", "预算是30000元", True),
        ("3万", "三万", True),
        ("十五号", "十六号", False),
    ],
)
def test_a_fact_is_the_same_however_it_is_written_and_no_other(written: str, elsewhere: str, same: bool):
    whole = FactsOf(elsewhere)
    assert all(whole.holds(fact) for fact in facts_in(written)) is same


@pytest.mark.parametrize("sign", ["-", ".", "_", "+", "@", "-.", "w+", "a@", "三百", "A", ")"])
def test_a_long_ruler_is_read_in_no_time(sign: str):
    """A line of dashes took time by the square of its length: a picture of text in signs stopped the program."""
    assert len(facts_in(f"https://example.org/{sign * 60_000}" if sign == ")" else sign * 60_000)) <= 1


@pytest.mark.parametrize("what", sorted(PLANTED))
@pytest.mark.parametrize("tight", [False, True])
def test_a_cut_text_has_no_fact_that_the_whole_one_does_not_have(what: str, tight: bool):
    """A date that was torn in two was another date in what the model read."""
    name, make, lines, planted = PLANTED[what]
    for seed in range(2):
        text = make(seed, lines // 8, planted)
        # Without white space there is no tidy place for a cut.
        text = text.replace(" ", "|") if tight else text
        whole, plan = FactsOf(text), plan_of(name, text)
        for chars in (150, 333, 1_000, len(text) // 3):
            found = [fact for fact in facts_in(plan.cut(chars)) if not whole.holds(fact)]
            # Whole numbers without a unit may be ours: how many lines or rows are left out.
            assert [one.text for one in found if not one.text.replace(",", "").isdigit()] == []
