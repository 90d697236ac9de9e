"""Artifacts: the files, notes, pages and selections a user attaches, each with its kind."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, get_args

from workbench.domain.text import digest_text

ArtifactKind = Literal[
    "file", "note", "url", "pdf", "folder", "tag", "web_tab", "youtube",
    "selection", "web_selection", "image", "clipboard",
]  # fmt: skip
ARTIFACT_KINDS: tuple[ArtifactKind, ...] = get_args(ArtifactKind)


def artifact_kind(name: str) -> ArtifactKind | None:
    """The kind of this name; None where there is none."""
    return next((kind for kind in ARTIFACT_KINDS if kind == name), None)


EPHEMERAL_KINDS: frozenset[ArtifactKind] = frozenset({"selection", "web_selection", "clipboard"})
"""Kinds that exist nowhere else once sent: non-recoverable, and essential unless the user says otherwise."""

PRIORITY_ESSENTIAL = 0
PRIORITY_HIGH = 3
PRIORITY_MEDIUM = 5
PRIORITY_LOW = 10


@dataclass(frozen=True)
class Artifact:
    """Something attached. Higher `priority` is dropped first; `essential` ones are never dropped.

    A `recoverable` artifact can be read again from where it came, so it may be promoted and compacted;
    any other is always sent verbatim. An artifact from a file is known here by its path, `key`, and to a model by its
    `name`, since a path reveals the user's folders. `most_tokens` is the length that the user chose for it while it
    is attached; None: all of it. `by_relevance`: it is sent as its outline, with those of its sections that match
    the question.
    `whole`: all of it is wanted as soon as it has room, though a cache may hold a shorter copy.
    `unread` says what of its file is not in the text because its reader takes no more of it.
    """

    key: str
    kind: ArtifactKind
    text: str
    title: str = ""
    priority: int = PRIORITY_MEDIUM
    essential: bool = False
    recoverable: bool = True
    name: str = ""
    most_tokens: int | None = None
    by_relevance: bool = False
    unread: tuple[str, ...] = ()
    whole: bool = False

    @property
    def name_for_model(self) -> str:
        """The name that a model is given for it."""
        return self.name or self.key

    @property
    def length(self) -> tuple[int | None, bool]:
        """The chosen length: at most so many tokens, and whether by relevance."""
        return self.most_tokens, self.by_relevance

    def decided_as(self, other: Artifact) -> Artifact:
        """This text with the user's decisions about another copy of it."""
        return replace(
            self,
            title=other.title,
            priority=other.priority,
            essential=other.essential,
            most_tokens=other.most_tokens,
            by_relevance=other.by_relevance,
            whole=other.whole,
        )

    @cached_property
    def content_digest(self) -> str:
        return digest_text(self.text)

    @property
    def recovery_tool(self) -> str:
        """The tool with which a model could read the full text again; other chats have none."""
        if self.kind == "note" and self.key.startswith("chat:"):
            return "open"
        return _RECOVERY.get(self.kind, "read")

    @property
    def recover_with(self) -> str:
        """How the model can get the full text of a shortened artifact."""
        return f"{self.recovery_tool} {self.name_for_model}"


_RECOVERY: dict[ArtifactKind, str] = {
    "url": "fetch", "web_tab": "fetch", "youtube": "fetch", "folder": "ls", "tag": "search",
}  # fmt: skip


def artifact_key(kind: ArtifactKind, text: str, taken: Iterable[str]) -> str:
    """A deterministic key for an artifact without one; `taken` are those given in the same turn."""
    if kind not in EPHEMERAL_KINDS:
        return f"unparsed:{digest_text(text)}"
    used = set(taken)
    if kind not in used:
        return kind
    number = 2
    while f"{kind}:{number}" in used:
        number += 1
    return f"{kind}:{number}"
