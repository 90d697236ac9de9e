"""What `--version` loads, and where its facts come from."""

from __future__ import annotations

from workbench.sources import about as read
from workbench.wiring import about


def test_the_program_tells_what_is_read():
    assert about.program_facts is read.program_facts
    assert about.about is read.about
