"""Stores what servers said about their models in a file, so that it is known when the program starts."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from workbench.domain.text import digest_text
from workbench.files.writing import write_whole

FILE_NAME = "servers.json"
_FORMAT = "workbench-servers/2"
_MOST_BYTES = 4 * 1024 * 1024
_MOST_SERVERS = 200


class LearntFile(dict[str, dict[str, Any]]):
    """A dictionary of what servers said, which writes changes to a file where the folder allows that.

    It contains names and sizes of models, no keys and nothing from chats. Servers are identified by a digest only: the
    file is not encrypted, and an address may contain a token.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(_read(folder / FILE_NAME))
        self._path = folder / FILE_NAME

    def __contains__(self, about: object) -> bool:
        return super().__contains__(digest_text(str(about)))

    def get(self, about: str, default: Any = None) -> Any:
        """Returns what was said by a server."""
        return super().get(digest_text(about), default)

    def __setitem__(self, about: str, said: dict[str, Any]) -> None:
        if self.get(about) == said:
            return
        name = digest_text(about)
        self.pop(name, None)
        super().__setitem__(name, said)
        newest = dict(list(self.items())[-_MOST_SERVERS:])
        content = json.dumps({"format": _FORMAT, "said": newest}, ensure_ascii=True).encode()
        if len(content) <= _MOST_BYTES and self._path.parent.is_dir():
            with suppress(OSError):
                write_whole(self._path, content)


def _read(path: Path) -> dict[str, dict[str, Any]]:
    """Reads the stored answers; an invalid file counts as none."""
    try:
        with open(path, "rb") as stream:
            document = json.loads(stream.read(_MOST_BYTES + 1))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(document, dict) or document.get("format") != _FORMAT:
        return {}
    said = document.get("said")
    kept = said.items() if isinstance(said, dict) else ()
    return {about: facts for about, facts in kept if isinstance(facts, dict)}
