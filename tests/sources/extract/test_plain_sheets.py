"""Cells of a workbook that the library stumbles over."""

from __future__ import annotations

import io
import zipfile

import pytest

from tests.fakes.made_office import changed, workbook
from workbench.sources.extract.archives import OfficeFile
from workbench.sources.extract.refusal import Unreadable
from workbench.sources.extract.sheets import SheetWriter, plain_sheets, read_sheets

_S = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_ODD = '<conditionalFormatting sqref="A1"><cfRule type="cellIs" operator="odd" priority="1"/></conditionalFormatting>'


def odd_book() -> bytes:
    """A rule that no program knows, below good cells."""
    rows = (
        '<row r="2"><c r="B2" t="inlineStr"><is><t>words</t></is></c><c r="D2"><v>7</v></c>'
        '<c t="b"><v>1</v></c></row><row><c t="s"><v>0</v></c><c t="s"><v>99</v></c></row>'
    )
    sheet = f"<worksheet {_S}><sheetData>{rows}</sheetData>{_ODD}</worksheet>"
    strings = f"<sst {_S}><si><r><t>sha</t></r><r><t>red</t></r><rPh><t>no</t></rPh></si></sst>"
    return changed(
        workbook({"S": [["x"]]}), {"xl/worksheets/sheet1.xml": sheet, "xl/sharedStrings.xml": strings}
    )


def test_cells_stand_where_they_say_they_do():
    ((title, rows, hidden),) = plain_sheets(OfficeFile(odd_book(), "Excel workbook"))
    assert (title, hidden) == ("S", False)
    assert list(rows) == [(2, ["", "words", "", "7", "TRUE"]), (3, ["shared", ""])]


def test_an_odd_rule_does_not_make_a_workbook_a_damaged_one():
    """All of it was refused for the sake of a colour."""
    document = read_sheets(odd_book())
    assert "| 2 |  | words |  | 7 | TRUE |" in document.text
    assert document.read_as.left_out == ()


def sheet(cells: str, styles: str = "", written: str = "", **book: str) -> list[tuple[int, list[str]]]:
    """The rows of a workbook with this sheet in it."""
    whole = written or f"<worksheet {_S}><sheetData>{cells}</sheetData></worksheet>"
    changes: dict[str, str | bytes | None] = {"xl/worksheets/sheet1.xml": whole}
    if styles:
        changes["xl/styles.xml"] = f"<styleSheet {_S}>{styles}</styleSheet>"
    if book:
        known = workbook({"S": [["x"]]})
        name = "xl/workbook.xml"
        with zipfile.ZipFile(io.BytesIO(known)) as opened:
            changes[name] = opened.read(name).decode().replace("<workbookPr/>", f"<workbookPr {book['pr']}/>")
    ((_, rows, _),) = plain_sheets(OfficeFile(changed(workbook({"S": [["x"]]}), changes), "Excel workbook"))
    return list(rows)


_DAYS = (
    '<numFmts><numFmt numFmtId="170" formatCode="d/m/yy&quot; at &quot;h:mm"/></numFmts><cellXfs><xf numFmtId="0"/>'
    '<xf numFmtId="14"/><xf numFmtId="170"/><xf numFmtId="46"/><xf numFmtId="20"/></cellXfs>'
)


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        ('<c r="A1"><v>7</v></c>', "7"),
        ('<c r="A1"><v>-7.0</v></c>', "-7"),
        ('<c r="A1"><v>0.30000000000000004</v></c>', "0.3"),
        ('<c r="A1"><v>1E+20</v></c>', "1e+20"),
        ('<c r="A1"><v>not a number</v></c>', "not a number"),
        ('<c r="A1" s="1"><v>45000</v></c>', "2023-03-15"),
        ('<c r="A1" s="2"><v>45000.5</v></c>', "2023-03-15 12:00:00"),
        ('<c r="A1" s="3"><v>1.5</v></c>', "1 day, 12:00:00"),
        ('<c r="A1" s="4"><v>0.25</v></c>', "06:00:00"),
        ('<c r="A1" s="1"><v>99999999999</v></c>', "99999999999"),
        ('<c r="A1" t="d"><v>2026-05-01T00:00:00</v></c>', "2026-05-01"),
        ('<c r="A1" t="e"><v>#DIV/0!</v></c>', "#DIV/0!"),
        ('<c r="A1" t="str"><f>A2&amp;"x"</f><v>a &lt; b</v></c>', "a < b"),
        ('<c r="A1"><f>1+1</f><v>2</v></c>', "2"),
        ("<c t='b' r='A1'><v>0</v></c>", "FALSE"),
        (
            '<c r="A1" t="inlineStr"><is><r><t>a</t></r><r><t xml:space="preserve">b &amp;</t></r></is></c>',
            "ab &",
        ),
        ('<c r="A1" t="str"><v><![CDATA[<b>]]></v></c>', "<b>"),
        ('<!-- <c r="A1"><v>8</v></c> --><c r="A1"><v>9</v></c>', "9"),
    ],
)
def test_a_cell_reads_as_it_is_shown(cell: str, shown: str):
    assert sheet(f'<row r="1">{cell}</row>', _DAYS) == [(1, [shown])]


def test_days_count_from_where_the_workbook_says():
    assert sheet('<row r="1"><c r="A1" s="1"><v>1</v></c></row>', _DAYS, pr='date1904="1"') == [
        (1, ["1904-01-02"])
    ]


def test_rows_without_anything_are_no_rows_and_others_keep_their_numbers():
    rows = '<row r="1" spans="1:2"/><row r="2"><c r="A2" s="1"/></row><row r="5"><c r="C5"><v>1</v></c></row>'
    assert sheet(rows) == [(5, ["", "", "1"])]


def test_names_with_a_prefix_and_other_encodings_are_read():
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    prefixed = (
        f'<x:worksheet xmlns:x="{space}"><x:sheetData><x:row r="3"><x:c r="B3" t="str"><x:v>é</x:v></x:c></x:row>'
        "</x:sheetData></x:worksheet>"
    )
    assert sheet("", written=prefixed) == [(3, ["", "é"])]
    assert sheet("", written=prefixed.encode("utf-16")) == [(3, ["", "é"])]  # type: ignore[arg-type]


@pytest.mark.parametrize("end", ["</sheetData>", "</sheetData></worksh", '<row r="9"><c r="A9"><v>1'])
def test_a_sheet_that_stops_in_the_middle_is_damaged_and_not_a_short_one(end: str):
    with pytest.raises(Unreadable, match="damaged"):
        sheet("", written=f'<worksheet {_S}><sheetData><row r="1"><c r="A1"><v>1</v></c></row>{end}')


def test_rows_without_room_are_counted_and_said():
    """Four rows of five were left out without a word anywhere but at the end of the text."""
    writer = SheetWriter(most_characters=100)
    rows = [(n, [str(n)]) for n in range(1, 1001)]
    writer.sheet("Data", rows, False)
    assert writer.cut == ["996 rows of sheet “Data” left out: 4 are read"]
    assert writer.prose.finished()[0].endswith("| 4 | 4 |\n\n(996 more rows left out.)\n")
    writer.sheet("More", rows, False)
    assert writer.cut[1:] == ["1,000 rows of sheet “More” left out: 0 are read"]


def test_a_cell_far_to_the_right_widens_its_own_row_only():
    writer = SheetWriter()
    writer.sheet("Data", [(1, ["a"]), (2, ["b", *[""] * 300, "far"])], False)
    lines = writer.prose.finished()[0].splitlines()
    assert "| 1 | a |" in lines
    assert lines[-1].endswith(" | far |")
