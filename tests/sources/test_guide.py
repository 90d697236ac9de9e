"""The guide that comes with the program."""

from __future__ import annotations

from workbench.sources.resources import shipped_guide


def test_the_pages_lie_in_the_programs_data():
    assert "request" in [page.name for page in shipped_guide()]
