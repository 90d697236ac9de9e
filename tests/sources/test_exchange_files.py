"""Reading and writing happen beside the loop; what they do stands in test_import_reading and test_export_writing."""

from __future__ import annotations

import threading
from pathlib import Path

from tests.fakes.loop import in_calm_loop
from workbench.sources.exchange_files import FolderExchange


@in_calm_loop
async def test_files_are_written_and_read_in_a_thread(tmp_path: Path):
    threads: set[threading.Thread] = set()

    def stopped() -> bool:
        threads.add(threading.current_thread())
        return False

    place = str(tmp_path / "out.json")
    exchange = FolderExchange()
    assert await exchange.write(place, [("x", b"{}")], alone=True, stopped=stopped) == (place,)
    (group,) = (await exchange.read([place])).groups
    assert [(file.name, file.load()) for file in group.files] == [("out.json", b"{}")]
    assert threading.main_thread() not in threads
    assert threads
