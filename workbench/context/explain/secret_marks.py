"""Where keys and passwords stand in what is really sent: which kind, in what, on which line; never what they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from workbench.context.clean.guard import Marks
from workbench.context.text.names import short_name
from workbench.domain.change import Built
from workbench.domain.chunk import command_of
from workbench.domain.files.attachment import Artifact
from workbench.domain.keys.found_secret import FoundSecret, SecretKind
from workbench.domain.segment import Segment

QUESTION, EARLIER = "question", "earlier message"


@dataclass(frozen=True, slots=True)
class SecretPlace:
    """One of them, as it is told; `where` is the name of an attachment, "question", a command, or a part's id."""

    kind: SecretKind
    where: str
    line: int
    hint: str
    replaced: bool

    @property
    def sentence(self) -> str:
        """What a person is told, before or while it is sent."""
        found = FoundSecret(self.kind, self.line, 0, 0)
        hint = f" ({self.hint})" if self.hint else ""
        if self.replaced:
            return f"{self.where}, line {self.line}: {found.words}{hint} was replaced before sending"
        return (
            f"{self.where}, line {self.line}: looks like {found.words}{hint}, and goes out with the request"
        )


def sent_secrets(
    segment: Segment, found: tuple[FoundSecret, ...], artifact: Artifact | None
) -> tuple[FoundSecret, ...]:
    """What stands in a segment as it is sent: a reference has nothing of it, a shortened text not everything."""
    if not found or segment.form in ("excluded", "reference", "trimmed"):
        return ()
    if segment.form == "full" or artifact is None:
        return found
    whole = artifact.text
    return tuple(
        one
        for one in found
        if (one.replacement if one.replaced else whole[one.start : one.end]) in segment.text
    )


def secret_places(built: Built, marks: Marks) -> tuple[SecretPlace, ...]:
    """Everything that was found in what goes out, in wire order."""
    return tuple(dict.fromkeys(_places(built, marks))) if marks else ()


def _places(built: Built, marks: Marks) -> Iterator[SecretPlace]:
    inputs = built.inputs
    artifacts = {entry.key: entry.latest for entry in inputs.library}
    artifacts |= {artifact.key: artifact for artifact in inputs.attached}
    names = {key: short_name(artifact) for key, artifact in artifacts.items()}
    commands = [(chunk.id, command_of(chunk)) for chunk in (*inputs.history, *inputs.tool_results)]
    names |= {key: command.words for key, command in commands if command is not None}
    names |= {message.id: "tool result" for message in inputs.rounds}
    for layer in built.envelope.layers:
        for segment in layer.segments:
            name = QUESTION if layer.name == "L5_USER" else names.get(segment.id, "")
            name = name or (EARLIER if layer.name == "L4_STRIP" else segment.id)
            found = sent_secrets(segment, marks.get(segment.id, ()), artifacts.get(segment.id))
            for one in found:
                yield SecretPlace(one.kind, name, one.line, one.hint, one.replaced)
