"""What a binary says about itself."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from kinds.elf import is_elf, needed


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="binaries of Linux")
def test_a_library_names_what_it_loads():
    import PySide6

    library = next(Path(PySide6.__file__).parent.glob("QtWidgets*.so"))
    assert is_elf(library)
    assert {"libQt6Widgets.so.6", "libc.so.6"} <= set(needed(library))


def test_what_is_no_binary_loads_nothing(tmp_path: Path):
    (tmp_path / "script").write_text("#!/bin/sh\n", encoding="ascii")
    assert not is_elf(tmp_path / "script")
    assert needed(tmp_path / "script") == ()
