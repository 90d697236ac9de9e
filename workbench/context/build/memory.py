"""What a builder remembers from one build to the next; it makes envelopes faster, never different."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from workbench.context.build.compact import compact_text
from workbench.context.build.history import History
from workbench.domain.attachment import Artifact
from workbench.domain.message import Entry
from workbench.domain.preferences import CompactionSettings

Shorts = dict[tuple[str, str, CompactionSettings], str | None]
_Key = tuple[object, ...]
_SHORT_TEXTS = 2000


@dataclass(slots=True)
class _Remembered:
    entries: tuple[Entry, ...]
    key: _Key
    history: History


class BuildMemory:
    """Remembers the last normalised history, which is the same object while someone types, and compacted texts."""

    def __init__(self) -> None:
        self._last: _Remembered | None = None
        self._short: Shorts = {}

    def history(self, entries: tuple[Entry, ...], key: _Key, normalise: Callable[[], History]) -> History:
        """The history for these very entries; worked out only when they, or what else it depends on, changed."""
        last = self._last
        if last is None or last.entries is not entries or last.key != key:
            last = self._last = _Remembered(entries, key, normalise())
        return last.history

    def shorts(self) -> Shorts:
        """The compacted texts that are known, as they are now."""
        return dict(self._short)

    def learn(self, shorts: Shorts) -> None:
        """Know texts that were compacted elsewhere."""
        if len(self._short) + len(shorts) <= _SHORT_TEXTS:
            self._short.update(shorts)

    def short(self, artifact: Artifact, settings: CompactionSettings) -> str | None:
        """The artifact's compacted text, worked out once for a content."""
        if len(artifact.text) <= settings.verbatim_chars or not artifact.recoverable:
            return None
        key = (artifact.recover_with, artifact.content_digest, settings)
        if key not in self._short:
            if len(self._short) >= _SHORT_TEXTS:
                self._short.clear()
            self._short[key] = compact_text(artifact, settings)
        return self._short[key]
