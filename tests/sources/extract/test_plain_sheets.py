"""Cells of a workbook that the library stumbles over."""

from __future__ import annotations

from tests.fakes.made_office import changed, workbook
from workbench.sources.extract.archives import OfficeFile
from workbench.sources.extract.plain_sheets import plain_sheets
from workbench.sources.extract.sheets import read_sheets

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
    assert "dates are shown as the numbers that the file has for them" in document.read_as.notes
