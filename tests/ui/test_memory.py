"""What the window remembers."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QByteArray

from workbench.ui.look.fonts import TextSizes
from workbench.ui.memory import WindowMemory


def test_what_is_kept_is_there_at_the_next_start(qapp, tmp_path: Path):
    first = WindowMemory(tmp_path / "window.ini")
    first.keep("geometry", QByteArray(b"\x01\x02"))
    first.keep("appearance", "dark")
    first.keep("reduced-motion", True)
    first.flush()
    second = WindowMemory(tmp_path / "window.ini")
    assert second.bytes_of("geometry") == QByteArray(b"\x01\x02")
    assert (second.mode, second.calm) == ("dark", True)


def test_without_a_file_it_holds_until_the_end(qapp):
    memory = WindowMemory(None)
    memory.keep("last-chat", "abc")
    memory.flush()
    assert memory.text_of("last-chat") == "abc"


def test_a_file_full_of_nonsense_is_as_good_as_none(qapp, tmp_path: Path):
    path = tmp_path / "window.ini"
    path.write_bytes(b"\xff\xfe[[[\n=appearance=purple\ngeometry=12")
    memory = WindowMemory(path)
    assert (memory.mode, memory.calm) == ("system", False)
    assert memory.bytes_of("geometry").isEmpty()


def test_how_large_text_is_comes_back_and_nonsense_does_not(qapp, tmp_path: Path):
    memory = WindowMemory(tmp_path / "window.ini")
    memory.keep_sizes(TextSizes(1.25, 18, 16))
    memory.flush()
    again = WindowMemory(tmp_path / "window.ini")
    assert again.sizes == TextSizes(1.25, 18, 16)
    for nonsense in ("", "9 14 13", "1.0 14", "1.0 900 13", "a b c"):
        again.keep("text-sizes", nonsense)
        assert again.sizes == TextSizes()
