"""An example that takes more than a page would say that its seam is not one."""

from pathlib import Path

from tests.architecture.source_tree import ROOT

MOST_LINES = 40
EXAMPLES = sorted(Path(__file__).parent.glob("test_add_*.py"))


def test_every_example_is_under_40_lines():
    lengths = {path.name: len(path.read_text(encoding="utf-8").splitlines()) for path in EXAMPLES}
    assert {name: lines for name, lines in lengths.items() if lines >= MOST_LINES} == {}


def test_every_example_is_named_for_the_next_reader():
    words = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert [path.name for path in EXAMPLES if path.name not in words] == []
