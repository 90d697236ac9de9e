"""Which chunks, messages and artifacts may enter a request at all."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.domain.files.attachment import Artifact
from workbench.domain.message import Entry, Message
from workbench.domain.settings.preferences import FilterSettings


@dataclass(frozen=True, slots=True)
class Admission:
    """The decision about single entries: the settings' filters, and what the user excluded."""

    filters: FilterSettings
    excluded: frozenset[str] = frozenset()

    def admits(self, entry: Entry) -> bool:
        return self._admits(entry.id, entry_kinds(entry))

    def admits_said(self, key: str, speaker: str) -> bool:
        """Whether something said elsewhere may be sent: by its id there, and by its role or its chunk type."""
        return self._admits(key, _kinds(speaker))

    def _admits(self, key: str, kinds: frozenset[str]) -> bool:
        if key in self.excluded:
            return False
        if not self.filters.include_system and "system" in kinds:
            return False
        if not self.filters.include_environment and "environment" in kinds:
            return False
        return self._passes(key, kinds)

    def admits_artifact(self, artifact: Artifact) -> bool:
        return artifact.key not in self.excluded and self._passes(artifact.key, frozenset({artifact.kind}))

    def admits_system(self) -> bool:
        return self.filters.include_system and "system" not in self.filters.exclude_kinds

    def _passes(self, key: str, kinds: frozenset[str]) -> bool:
        filters = self.filters
        if filters.include_only is not None and key not in filters.include_only:
            return False
        if filters.include_kinds is not None and not kinds & filters.include_kinds:
            return False
        return not kinds & filters.exclude_kinds


def entry_kinds(entry: Entry) -> frozenset[str]:
    """The names an entry goes by in `include_kinds` and `exclude_kinds`: its role, and its chunk type."""
    return _kinds(entry.role) if isinstance(entry, Message) else frozenset({entry.kind})


def _kinds(speaker: str) -> frozenset[str]:
    if speaker in ("user", "assistant"):
        return frozenset({speaker, "agent"})
    return frozenset({speaker, "environment"} if speaker == "tool" else {speaker})
