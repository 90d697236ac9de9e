"""Charts as tables of what they show."""

from __future__ import annotations

from lxml import etree

from workbench.sources.extract.charts import chart_text

_NAMES = (
    'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
)


def chart(inner: str) -> str:
    return chart_text(etree.fromstring(f"<c:chartSpace {_NAMES}>{inner}</c:chartSpace>"))


def points(name: str, *values: str) -> str:
    return f"<c:{name}>{''.join(f'<c:pt><c:v>{value}</c:v></c:pt>' for value in values)}</c:{name}>"


def test_titles_categories_and_series_become_a_table():
    """A chart was counted and its figures left out, though the file has them."""
    title = "<c:title><a:p><a:r><a:t>Sa</a:t></a:r><a:r><a:t>les</a:t></a:r></a:p></c:title>"
    series = (
        f"<c:ser>{points('tx', name)}{points('cat', 'May', 'June')}{points('val', *values)}</c:ser>"
        for name, values in (("North", ("1", "2")), ("South", ("3", "4")))
    )
    assert chart(title + "".join(series)) == (
        "Chart: Sales\n\n|  | May | June |\n|---|---|---|\n| North | 1 | 2 |\n| South | 3 | 4 |"
    )


def test_points_of_two_axes_are_figures_too_and_a_chart_without_any_says_nothing():
    assert "| 5 |" in chart(f"<c:ser>{points('xVal', '5')}{points('yVal', '6')}</c:ser>")
    assert chart("<c:ser/>") == ""


def test_days_are_written_as_days():
    form = "<c:formatCode>mmm-yy</c:formatCode>"
    days = f"<c:cat>{form}<c:pt><c:v>41183</c:v></c:pt><c:pt><c:v>x</c:v></c:pt></c:cat>"
    series = f"<c:ser>{days}{points('val', '1')}</c:ser>"
    assert "|  | 2012-10-01 | x |" in chart(series)
