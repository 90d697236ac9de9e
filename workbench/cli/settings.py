"""The settings of a request as documents: all of them, or those that are not as they are by default."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from workbench.cli.terminal import visible_line
from workbench.domain.reading.form import form_of
from workbench.domain.settings.preferences import ContextSettings


def settings_document(settings: ContextSettings) -> dict[str, Any]:
    """All settings by their names in a trajectory; read back, they are the same."""
    return form_of(ContextSettings).write(settings)


def settings_lines(settings: ContextSettings) -> Iterator[str]:
    """The model, and what is not as it is by default, as KEY=VALUE, which `--set` takes."""
    written, default = settings_document(settings), settings_document(ContextSettings())
    for place, kind in form_of(ContextSettings).places():
        value = under(written, place)
        if kind.form is None and (place == ("model",) or value != under(default, place)):
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            yield f"{'.'.join(place)}={visible_line(text)}"


def setting_keys() -> Iterator[tuple[str, ...]]:
    """Where each setting stands that is no table of others."""
    return (place for place, kind in form_of(ContextSettings).places() if kind.form is None)


def under(document: Any, place: tuple[str, ...]) -> Any:
    """What a document has at a place."""
    for name in place:
        document = document.get(name)
    return document
