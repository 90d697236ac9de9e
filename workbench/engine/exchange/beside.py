"""Files beside an imported one: pictures and attachments, found by their names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath

from workbench.domain.errors import InvalidInput
from workbench.domain.files.attached import MOST_ATTACHED_BYTES
from workbench.ports.exchange_files import FoundFile


class Beside:
    """Files by their names or the starts of them, which are usually ids."""

    def __init__(self, files: Mapping[str, FoundFile] | None = None) -> None:
        self._by_name: dict[str, FoundFile] = {}
        for path, file in (files or {}).items():
            self._by_name.setdefault(PurePosixPath(path).name, file)
        self._stems = {name.partition(".")[0]: file for name, file in self._by_name.items()}

    def find(self, name: str) -> bytes | None:
        """Returns the bytes of the file of that name, or of one whose name starts with it."""
        if not name or not self._by_name:
            return None
        found = self._by_name.get(name) or self._stems.get(name)
        if found is None:
            begins = (file for one, file in self._by_name.items() if one.startswith((f"{name}-", f"{name}.")))
            found = next(begins, None)
        if found is None or found.size_bytes > MOST_ATTACHED_BYTES:
            return None
        try:
            return found.load()
        except InvalidInput:
            return None
