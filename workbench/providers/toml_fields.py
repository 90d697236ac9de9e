"""Reading data files that people may extend: each value as what it must be, or where it is wrong."""

from __future__ import annotations

from workbench.domain.errors import InvalidInput


def table(value: object, path: str) -> dict[str, object]:
    """A table."""
    if not isinstance(value, dict):
        raise InvalidInput(path, f"expected a table, got {value!r}")
    return value


def listed(value: object, path: str) -> list[object]:
    """A list."""
    if not isinstance(value, list):
        raise InvalidInput(path, f"expected a list, got {value!r}")
    return value


def text(value: object, path: str) -> str:
    """Text that says something."""
    if not isinstance(value, str) or not value:
        raise InvalidInput(path, f"expected text, got {value!r}")
    return value


def flag(value: object, path: str) -> bool:
    """Yes or no."""
    if not isinstance(value, bool):
        raise InvalidInput(path, f"expected true or false, got {value!r}")
    return value


def count(value: object, path: str) -> int:
    """A number of things."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise InvalidInput(path, f"expected an integer of 0 or more, got {value!r}")
    return value


def normalised(name: str) -> str:
    """A model's name as it is compared: case, and "." against "-", do not matter."""
    return name.lower().replace(".", "-")
