"""Files in, chats out: each file is recognised and read, and one that cannot be used stops no other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from workbench.domain.errors import InvalidInput
from workbench.engine.exchange.chatgpt_format import import_chatgpt
from workbench.engine.exchange.detect import Detected, detect
from workbench.engine.exchange.elara_format import import_elara, is_elara_name
from workbench.engine.exchange.imported import Fresh, Imported, merged
from workbench.engine.exchange.json_format import import_json
from workbench.engine.exchange.markdown_reading import import_markdown
from workbench.engine.exchange.note_format import import_note
from workbench.engine.exchange.openai_format import import_openai
from workbench.engine.exchange.sharegpt_format import import_sharegpt
from workbench.engine.exchange.workspace_format import import_workspace
from workbench.ports.exchange_files import NamedFile
from workbench.ports.folder import SealedFiles


def import_files(files: Sequence[NamedFile], fresh: Fresh, key: SealedFiles | None = None) -> Imported:
    """Everything the files hold; Elara's, being a message each, together are one chat."""
    parts: list[Imported] = []
    messages: list[NamedFile] = []
    for name, raw in files:
        try:
            found = None if is_elara_name(name) else detect(raw)
            if found is None or found.format == "elara":
                messages.append((name, raw))
            else:
                parts.append(_named(name, _read(found, fresh), found.problems))
        except InvalidInput as problem:
            parts.append(Imported(problems=(f"{name}: {problem}; left out",), refused=1))
    if messages:
        parts.append(import_elara(messages, fresh, key))
    return merged(parts)


def _read(found: Detected, fresh: Fresh) -> Imported:
    match found.format:
        case "json":
            return import_json(found.content)
        case "workspace":
            return import_workspace(found.content)
        case "markdown":
            return import_markdown(found.content, fresh)
        case "note":
            return import_note(found.content, fresh)
        case "openai":
            return import_openai(found.content, fresh)
        case "sharegpt":
            return import_sharegpt(found.content, fresh)
        case _:
            return import_chatgpt(found.content, fresh)


def _named(name: str, imported: Imported, also: Sequence[str]) -> Imported:
    problems = (*also, *imported.problems)
    return replace(imported, problems=tuple(f"{name}: {problem}" for problem in problems))
