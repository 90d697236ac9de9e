"""Chooses the language of a run: that of the settings, else the one of the environment."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Sequence

from workbench.domain.errors import WorkbenchError
from workbench.files.language import language_of, supported, use_language


def set_language(argv: Sequence[str]) -> None:
    """Shows everything in the language of the settings, or of the environment, before a word of it is made."""
    tag = _of_settings(argv)
    tag = supported(tag) if tag else language_of(os.environ)
    if tag != "en":
        from workbench.sources.resources import resource_path

        use_language(tag, resource_path())


def _of_settings(argv: Sequence[str]) -> str:
    """What a file of settings asks for; problems with it are told by whoever reads the rest of it."""
    from workbench.wiring.folder import SETTINGS_NAME, data_dir

    try:
        text = (data_dir(Namespace(data_dir=_folder_in(argv))) / SETTINGS_NAME).read_text("utf-8", "replace")
    except (OSError, WorkbenchError):
        return ""
    if "language" not in text:
        return ""
    import tomllib

    try:
        found = tomllib.loads(text).get("language", "")
    except tomllib.TOMLDecodeError:
        return ""
    return found if isinstance(found, str) else ""


def _folder_in(argv: Sequence[str]) -> str | None:
    for place, argument in enumerate(argv):
        if argument == "--data-dir":
            return argv[place + 1] if place + 1 < len(argv) else None
        if argument.startswith("--data-dir="):
            return argument.partition("=")[2]
    return None
