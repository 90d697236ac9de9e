"""A table in short: header, sample rows, and every column in a line."""

from __future__ import annotations

from tests.fakes.long_texts import long_table
from workbench.context.shorten.fit import plan_table

CSV = "id,name,price,seen\n" + "".join(
    f"{n},item {n % 9},{n / 4},2026-01-{n % 28 + 1:02d}\n" if n % 50 else f"{n},,,2026-01-01\n"
    for n in range(1_000)
)
SHEET = "| city | people |\n|---|---|\n" + "".join(f"| town {n} | {n * 10} |\n" for n in range(500))


def cut(text: str, chars: int) -> str:
    plan = plan_table(text)
    assert plan is not None
    return plan.cut(chars)


def test_the_header_the_first_and_the_last_rows_stay():
    short = cut(CSV, 2_000)
    assert short.startswith("id,name,price,seen\n0,,,2026-01-01\n1,item 1,0.25,2026-01-02\n")
    assert "\n999,item 0,249.75,2026-01-20\n" in short


def test_every_column_is_told_by_kind_number_range_and_gaps():
    short = cut(CSV, 2_000)
    assert "[every column, over all 1,000 rows:" in short
    assert "\nid: whole numbers, 1,000 distinct, from 0 to 999\n" in short
    assert "\nname: text, 9 distinct, from item 0 to item 8, 20 empty\n" in short
    assert "\nprice: numbers, 980 distinct, from 0.25 to 249.75, 20 empty\n" in short
    assert "\nseen: dates, 28 distinct, from 2026-01-01 to 2026-01-28]" in short


def test_which_rows_are_shown_is_said_in_words_and_true():
    short = cut(CSV, 4_000)
    said = next(line for line in short.split("\n") if line.startswith("[these are"))
    rows = [int(line.split(",")[0]) for line in short.split("\n") if line[:1].isdigit()]
    shown, total = (int(said.split()[place].replace(",", "")) for place in (2, 4))
    first = int(said.split("the first ")[1].split(",")[0])
    every = int(said.split("then every ")[1].split("th")[0])
    assert (len(rows), total, rows[:first]) == (shown, 1_000, list(range(first)))
    assert {after - before for before, after in zip(rows[first:-3], rows[first + 1 : -3], strict=False)} == {
        every
    }
    assert f"{1_000 - shown} rows are left out]" in said


def test_a_table_of_markdown_is_cut_the_same_way():
    short = cut(f"# Sheet 1\n\n{SHEET}", 1_200)
    assert short.startswith("# Sheet 1\n| city | people |\n|---|---|\n| town 0 | 0 |\n")
    assert "people: whole numbers, 500 distinct, from 0 to 4990]" in short


def test_several_tables_share_the_room_by_their_length():
    small = "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 10
    short = cut(f"# One\n\n{SHEET}\n# Two\n\n{small}", 2_500)
    assert "# Two" in short
    assert short.count("[these are") >= 1
    assert len(short) <= 2_500


def test_a_quoted_cell_may_hold_line_ends_and_the_sign():
    text = "id,note\n" + "".join(f'{n},"one, two\nthree ""{n}"""\n' for n in range(300))
    short = cut(text, 1_500)
    assert "id: whole numbers, 300 distinct, from 0 to 299" in short
    assert '0,"one, two\nthree ""0"""\n' in short


def test_a_quote_that_nobody_closes_is_a_sign_like_any_other():
    text = "id,note\n" + "".join(f'{n},5" pipe\n' if n == 3 else f"{n},pipe\n" for n in range(300))
    assert "[every column, over all 300 rows:" in cut(text, 1_500)


def test_of_very_many_columns_some_are_told_and_the_rest_counted():
    head = ",".join(f"column {n}" for n in range(200))
    text = head + "\n" + "\n".join(",".join(str(row * n) for n in range(200)) for row in range(60))
    short = cut(text, 8_000)
    assert "more columns]" in short
    assert len(short) <= 8_000


def test_numbers_that_are_none_and_uneven_rows_break_nothing():
    text = "a;b\n" + "nan;1\ninf;2\n1\n;;;\n" * 50
    assert "a: text" in cut(text, 700)


def test_what_has_no_rows_is_no_table():
    assert plan_table("a,b\n1,2\n") is None
    assert plan_table("words and words\n" * 30) is None


def test_the_largest_value_of_a_long_table_survives_at_every_length():
    plan = plan_table(long_table(3, 3_000, "987654.25"))
    assert plan is not None
    for chars in range(1_500, 20_000, 2_500):
        short = plan.cut(chars)
        assert 0.9 * chars <= len(short) <= chars
        assert "to 987654.25" in short
