"""The tool `write`: writes a whole file, new or in place of the old one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workbench.domain.translation import tr
from workbench.files.writing import FileState
from workbench.tools.arguments import Field, Form
from workbench.tools.changing_tool import ChangingTool
from workbench.tools.effects.diffs import short_diff
from workbench.tools.effects.effects import Plan, Rewrite
from workbench.tools.effects.steps import Step, missing_parents
from workbench.tools.workspace.paths import Refused, WorkspacePath, parse_changeable
from workbench.tools.workspace.states import FolderState, digest_of, encode_like, text_of
from workbench.tools.workspace.workspace import MOST_FILE_BYTES


@dataclass(frozen=True, slots=True)
class WriteArguments:
    """The file, and its whole text."""

    path: WorkspacePath
    content: str


class Write(ChangingTool[WriteArguments]):
    """Writes a whole file."""

    form = Form(
        "write",
        "Write a whole text file, new or in place of the old one; folders are made. Use edit for small changes.",
        (
            Field("path", "text", "File, relative to the workspace.", required=True),
            Field("content", "text", "The whole text of the file.", required=True),
        ),
    )

    def accept(self, given: Mapping[str, Any]) -> WriteArguments:
        """Returns the file and its text."""
        return WriteArguments(parse_changeable(given["path"]), given["content"])

    def plan(self, asked: WriteArguments) -> Plan:
        """Plans the new content, with the line ends and byte order mark that the file has."""
        path, before = asked.path, self.workspace.state(asked.path)
        if isinstance(before, FolderState):
            raise Refused(f"{path} is a folder; name a file in it.")
        content = encode_like(asked.content, before.content if before else None)
        if len(content) > MOST_FILE_BYTES:
            raise Refused(
                f"The text has {len(content):,} bytes; tools write files of up to {MOST_FILE_BYTES:,}."
            )
        if before is not None and before.content == content:
            raise Refused(f"{path} holds exactly this already.")
        after = FileState(content, before.mode if before else None)
        steps = (*missing_parents(self.workspace, path), Step(path, digest_of(before), after))
        old = text_of(before.content) if before else ""
        diff = "" if old is None else short_diff(str(path), old, text_of(content) or "")
        return Plan(
            _summary(path, before, content),
            diff,
            f"Wrote {path}: {len(content):,} bytes.",
            Rewrite(steps),
        )


def _summary(path: WorkspacePath, before: FileState | None, content: bytes) -> str:
    if before is None:
        return tr("Create {path} with {n:,} bytes", path=path, n=len(content))
    kind = "" if text_of(before.content) is not None else tr(", which is not text")
    return tr(
        "Replace all of {path}{kind}: {n:,} bytes become {n_2:,}",
        path=path,
        kind=kind,
        n=len(before.content),
        n_2=len(content),
    )
