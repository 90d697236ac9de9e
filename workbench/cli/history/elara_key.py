"""Reads the text that Elara's key is made of; none is ever assumed, least of all the one in its documentation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from workbench.domain.errors import InvalidInput
from workbench.domain.keys.secret import Secret

if TYPE_CHECKING:  # it loads what `--help` does not need
    pass


_MOST_BYTES = 64 * 1024


def read_elara_key(name: str) -> Secret:
    """The file's text without the line end at its end."""
    try:
        with open(Path(name), "rb") as stream:
            content = stream.read(_MOST_BYTES + 1)
        content.decode("utf-8")
    except OSError as problem:
        raise InvalidInput(name, problem.strerror or type(problem).__name__) from None
    except UnicodeDecodeError:
        raise InvalidInput(name, "is not text in UTF-8") from None
    if len(content) > _MOST_BYTES:
        raise InvalidInput(name, f"is longer than {_MOST_BYTES} bytes")
    key = content.removesuffix(b"\n").removesuffix(b"\r").removeprefix(b"\xef\xbb\xbf")
    if not key:
        raise InvalidInput(name, "is empty")
    return Secret(key)
