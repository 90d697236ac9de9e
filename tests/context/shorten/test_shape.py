"""What kind of text something is."""

from __future__ import annotations

import pytest

from tests.fakes.long_texts import long_code, long_log, long_prose, long_table
from workbench.context.shorten.pieces import delimiter_of, ending_of, shape_of

LOG, CODE, PROSE, TABLE = long_log(1, 80), long_code(1, 120), long_prose(1, 80), long_table(1, 80)
SHEET = "# Sheet\n\n| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 60


@pytest.mark.parametrize(
    ("name", "text", "shape"),
    [
        ("server.log", LOG, "log"),
        ("server.log#L120-180", LOG, "log"),
        ("src/app.py", CODE, "code"),
        ("src/app.py#Class.method", CODE, "code"),
        ("README.md", PROSE, "prose"),
        ("report.pdf#p3-5", PROSE, "prose"),
        ("data.csv", TABLE, "table"),
        ("book.xlsx#Sheet!A1:D20", SHEET, "table"),
        # Without a name that says it, by what it is.
        ("copied", LOG, "log"),
        ("copied", CODE, "code"),
        ("copied", PROSE, "prose"),
        ("copied", TABLE, "table"),
        ("copied", SHEET, "table"),
        # And a name that is not true is not believed where the text is plainly something else.
        ("table.txt", SHEET, "table"),
        ("notes.csv", PROSE, "prose"),
    ],
)
def test_the_shape_is_found_by_name_and_text(name: str, text: str, shape: str):
    assert shape_of(name, text) == shape


@pytest.mark.parametrize("text", ["", "x" * 100_000, "word\n" * 500, "a" * 900 + "\n" + "b" * 90_000])
def test_anything_else_has_none(text: str):
    assert shape_of("a.bin", text) == "other"
    assert shape_of("a.log", "y" * 100_000) == "other"


def test_the_ending_is_that_of_the_file():
    assert [ending_of(one) for one in ("a/b.PY#L1-2", "a.b/c", ".profile", "x.tar.gz", "n.md#A-heading")] == [
        "py", "", "", "gz", "md",
    ]  # fmt: skip


def test_a_sign_parts_columns_where_every_line_has_it_alike():
    assert delimiter_of(["a;b,c", "1;2,3"]) == ";"
    assert delimiter_of(['a,"b,c"', "1,2"]) == ","
    assert delimiter_of(["a,b", "1"]) == ""
