"""Every promise of the guide has tests that exist, names its sources as they do, and is said there as in its file."""

from __future__ import annotations

import re
from functools import cache

from tests.architecture.source_tree import ROOT
from tests.promises import (
    PAGE,
    TABLES,
    Figure,
    Outcome,
    Promise,
    figure_of,
    outcomes,
    read_promises,
    tables,
    with_results,
)

MOST_ROWS = 60
SOURCE = re.compile(r"CVE-\d+-\d+|GHSA(?:-\w{4}){3}|#\d+|pi-mono")
JUNIT = """<testsuites><testsuite>
<testcase classname="tests.a.test_b" name="test_c[x]" time="0.4"/>
<testcase classname="tests.a.test_b" name="test_c[y]" time="0.4"><failure/></testcase>
<testcase classname="tests.a.test_b" name="test_c[y]" time="0.1"><error/></testcase>
<testcase classname="tests.a.test_b" name="test_d" time="0.4"><skipped/></testcase>
</testsuite></testsuites>"""


@cache
def text_of(node: str) -> str:
    """The file of a test, nothing where there is none."""
    path = ROOT / node.partition("::")[0]
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def gone(node: str) -> bool:
    """Whether there is no such test."""
    name = node.partition("::")[2]
    return not re.search(rf"def {re.escape(name)}\b" if name else r"def test_", text_of(node))


def test_every_test_of_a_promise_exists():
    assert [node for one in read_promises() for node in one.tests if gone(node)] == []
    assert gone("tests/architecture/test_promises.py::test_every")
    assert gone("tests/architecture/test_no_such.py")


def test_a_promise_is_said_once_and_has_tests():
    said = [one.sentence for one in read_promises()]
    assert len(said) == len(set(said)) <= MOST_ROWS
    assert [one.sentence for one in read_promises() if not one.tests or "|" in one.sentence] == []


def test_a_case_that_is_named_is_named_by_its_tests():
    """As its source writes it, or in the name of a test, where there is neither - nor #."""
    for one in read_promises():
        files = " ".join(text_of(node) for node in one.tests)
        names = files + files.replace("_", "-").upper()
        plain = [source for source in SOURCE.findall(one.sentence) if source not in names]
        assert [source for source in plain if source.replace("#", "PR-") not in names] == [], one.sentence
    assert sum(len(SOURCE.findall(one.sentence)) for one in read_promises()) >= 25


def promised(text: str) -> list[list[str]]:
    """Promise and tests of every row, and the heads of groups."""
    return [line.split(" | ")[:2] for line in text.splitlines()]


def test_the_guide_says_the_promises_of_the_file():
    """`python3 packaging/dev.py promises --write` writes its tables."""
    found = TABLES.search(PAGE.read_text(encoding="utf-8"))
    assert found
    assert promised(found[0]) == promised(tables([(one, Figure(1, 0, 1, 0)) for one in read_promises()], ""))
    assert "doesn't hold" not in found[0]


def test_the_results_are_the_same_in_every_language():
    found = TABLES.search(PAGE.read_text(encoding="utf-8"))
    assert found
    others = [page.read_text(encoding="utf-8") for page in PAGE.parent.glob("*/promises.md")]
    assert others
    assert [with_results(page, found[0]) == page for page in others] == [True] * len(others)
    newer = found[0].replace(" of ", " out of ").replace("passed, 2", "passed, 3")
    for page in others:
        told = with_results(page, newer)
        assert told != page
        assert with_results(told, found[0]) == page


def figure(*tests: str, run: str = "") -> Figure:
    runs = {"chaos": {"minutes": 60, "acts": 12345, "lost": 0}, "fuzz": {"finds": 1}}
    return figure_of(
        Promise("g", "s", tuple(f"tests/a/test_b.py{one}" for one in tests), run), outcomes(JUNIT), runs
    )


def test_what_failed_was_skipped_is_gone_or_was_found_by_a_long_run_is_told():
    assert outcomes(JUNIT)["tests/a/test_b.py::test_c[x]"] == Outcome("passed", 0.4)
    assert figure("::test_c[x]").words() == "1 of 1, 1 s"
    assert figure("::test_c").words() == "1 of 2, 1 s; doesn't hold"
    assert figure("").words() == "1 of 3, 1 skipped, 1 s; doesn't hold"
    assert figure("::test_c[x]", "::test_d").holds()
    assert figure("::test_c[x]", "::test").words() == "1 of 2, 1 s; doesn't hold"
    assert figure("::test_c[x]", run="chaos").words() == "1 of 1, 1 s; 60 minutes; 12,345 acts; 0 lost"
    assert not figure("::test_c[x]", run="fuzz").holds()


def test_a_table_has_a_head_for_each_group():
    promises = [
        Promise("Keys", "One.", ("tests/a/test_b.py",)),
        Promise("Files", "Two.", ("tests/a.py", "tests/b.py")),
    ]
    assert tables([(one, figure("::test_c[x]")) for one in promises], "today").splitlines() == [
        "| Keys | tests | passed, today |",
        "|---|---|---|",
        "| One. | `test_b` | 1 of 1, 1 s |",
        "",
        "| Files | tests | passed, today |",
        "|---|---|---|",
        "| Two. | `a` + 1 | 1 of 1, 1 s |",
    ]
