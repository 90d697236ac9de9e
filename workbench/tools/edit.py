"""The tool `edit`: replaces an exact passage of a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workbench.domain.translation import counted, tr
from workbench.files.writing import FileState
from workbench.tools.arguments import Field, Form
from workbench.tools.changing_tool import ChangingTool
from workbench.tools.effects.diffs import (
    find_passage,
    replace_places,
    short_diff,
    why_not_found,
    why_not_unique,
)
from workbench.tools.effects.effects import Plan, Rewrite
from workbench.tools.effects.steps import Step
from workbench.tools.workspace.paths import Refused, WorkspacePath, parse_changeable
from workbench.tools.workspace.states import digest_of, encode_like, utf8_text
from workbench.tools.workspace.workspace import MOST_FILE_BYTES, check_regular


@dataclass(frozen=True, slots=True)
class EditArguments:
    """The file, the passage to find, its replacement, and whether every occurrence is replaced."""

    path: WorkspacePath
    old: str
    new: str
    everywhere: bool = False


class Edit(ChangingTool[EditArguments]):
    """Replaces an exact passage."""

    form = Form(
        "edit",
        "Replace an exact passage of a text file. The passage must occur once, unless all is true.",
        (
            Field("path", "text", "File, relative to the workspace.", required=True),
            Field(
                "old", "text", "The passage exactly as it is, with enough lines to occur once.", required=True
            ),
            Field("new", "text", "What takes its place; empty removes it.", required=True),
            Field("all", "flag", "Replace every occurrence."),
        ),
    )

    def accept(self, given: Mapping[str, Any]) -> EditArguments:
        """Checks both passages; line ends are normalised, so that they are compared by lines."""
        old, new = given["old"].replace("\r\n", "\n"), given["new"].replace("\r\n", "\n")
        if not old:
            raise Refused("old is empty; give the passage to replace, or use write for a new file.")
        if old == new:
            raise Refused("old and new are the same, so nothing would change.")
        return EditArguments(parse_changeable(given["path"]), old, new, given.get("all", False))

    def plan(self, asked: EditArguments) -> Plan:
        """Plans the file with the passage replaced, and all other bytes unchanged."""
        check_regular(self.workspace.look(asked.path), asked.path)
        before = self.workspace.state(asked.path)
        assert isinstance(before, FileState)
        text = utf8_text(before.content, str(asked.path))
        places = find_passage(text, asked.old)
        if not places:
            raise Refused(f"{asked.path} does not hold this passage. {why_not_found(text, asked.old)}")
        if len(places) > 1 and not asked.everywhere:
            raise Refused(f"{asked.path} holds this passage {why_not_unique(text, places)}")
        content = encode_like(replace_places(text, places, asked.new), None)
        if len(content) > MOST_FILE_BYTES:
            raise Refused(
                f"The file would have {len(content):,} bytes; tools write up to {MOST_FILE_BYTES:,}."
            )
        step = Step(asked.path, digest_of(before), FileState(content, before.mode))
        count = counted(len(places), "passage")
        diff = short_diff(str(asked.path), text, content.decode("utf-8"))
        return Plan(
            tr("Edit {path}: {count}", path=asked.path, count=count),
            diff,
            f"Edited {asked.path}: {count} replaced.",
            Rewrite((step,)),
        )
