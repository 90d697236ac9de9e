"""What a program shows as kept, as facts that can be compared with what is there after it was killed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from workbench.domain.record import Record
from workbench.engine.state import ChatState, WorkbenchState

Facts = dict[str, str]
"""Digests by what they are about: "message CHAT ID", "attached CHAT KEY", "tuning CHAT", "preferences"…"""


def digest(value: object) -> str:
    return hashlib.sha256(repr(value).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def shown_facts(state: WorkbenchState) -> Facts:
    """The facts of everything in view; what is still being written is none."""
    found: Facts = {f"chat {one.id}": "there" for one in state.chats}
    found["preferences"] = digest(_lasting_preferences(state))
    for key, workspace in state.workspaces.items():
        found[f"workspace {key}"] = digest(workspace)
    for key, chat in state.open.items():
        # One that nothing was written in yet is not kept.
        if f"chat {key}" in found:
            found |= chat_facts(key, chat) | message_facts(key, chat.records)
    return found


def chat_facts(key: str, chat: ChatState) -> Facts:
    found = {
        f"title {key}": chat.chat.title,
        f"settings {key}": digest(chat.chat.settings),
        f"tuning {key}": digest(_sorted_sets(chat.conversation.tuning)),
        f"draft {key}": chat.draft,
    }
    for artifact in chat.conversation.attached:
        found[f"attached {key} {artifact.key}"] = digest(artifact)
    return found


def message_facts(chat: str, records: Iterable[Record]) -> Facts:
    return {f"message {chat} {one.id}": digest(one.entry) for one in records if one.state != "running"}


def _lasting_preferences(state: WorkbenchState) -> object:
    known = state.preferences
    return known.max_tool_rounds, known.lock_after_minutes, known.favourite_models


def _sorted_sets(tuning: object) -> list[object]:
    """Sets have no order of their own: two equal ones may print differently."""
    values = (getattr(tuning, name) for name in type(tuning).__slots__)  # type: ignore[attr-defined]
    return [sorted(value) if isinstance(value, frozenset) else value for value in values]


def differences(
    before: Mapping[str, str], after: Mapping[str, str]
) -> dict[str, tuple[str | None, str | None]]:
    """What is not the same in both, as it was and as it is."""
    keys = [*before, *(key for key in after if key not in before)]
    return {key: (before.get(key), after.get(key)) for key in keys if before.get(key) != after.get(key)}


@dataclass
class Account:
    """What was acknowledged, what was going on, and when.

    Attributes:
        kept: facts that a person saw as kept. gone: keys of what they saw removed.
        acting: the kinds of facts, with their chat, that the act in progress may change.
        running: the questions, with their chat, that were being answered.
        drafts, partials: (moment, text or length) of what was typed and what of an answer was shown, by chat.
    """

    kept: Facts = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    acting: tuple[str, ...] = ()
    running: tuple[str, ...] = ()
    drafts: dict[str, list[tuple[float, str]]] = field(default_factory=dict)
    partials: dict[str, list[tuple[float, int]]] = field(default_factory=dict)

    def acknowledge(self, shown: Mapping[str, str], moment: float) -> None:
        """Take what is shown after `acting`; messages stay known, also where another branch is in view now."""
        chats = {key.split()[1] for key in shown if key.startswith("title ")}
        for key in [one for one in self.kept if _belongs(one, chats) and one not in shown]:
            del self.kept[key]
        listed = {key for key in shown if key.startswith("chat ")}
        for key in [one for one in self.kept if one.startswith("chat ") and one not in listed]:
            self.gone.add(key)
            self.kept = {one: value for one, value in self.kept.items() if key.split()[1] not in one.split()}
        # A window closes the chat that was in view before: what an act changed in that meanwhile, nobody saw.
        for key in [one for one in self.kept if one not in shown and self._is_touched(one)]:
            kind, _, rest = key.partition(" ")
            if kind not in ("chat", "workspace") and rest.split(" ")[0] not in chats:
                del self.kept[key]
        self.gone -= shown.keys()
        for key, value in shown.items():
            if key.startswith("draft "):
                self.drafts.setdefault(key.split()[1], []).append((moment, value))
            else:
                self.kept[key] = value

    def grew(self, chat: str, question: str, size: int, moment: float) -> None:
        """Take how much of an answer is shown."""
        key = f"{chat} {question}"
        if key not in self.running:  # another answer to the same question
            self.partials[key], self.running = [], (*self.running, key)
        self.partials.setdefault(key, []).append((moment, size))

    def lost(self, found: Mapping[str, str]) -> list[str]:
        """What was acknowledged and is not there, or is not what it was; and what came back though it was removed."""
        wrong = []
        for key, value in self.kept.items():
            if found.get(key) == value or self._may_have_changed(key):
                continue
            wrong.append(f"{key}: {'another one' if key in found else 'not there'}")
        wrong += [
            f"{key}: came back" for key in self.gone if key in found and not self._may_have_changed(key)
        ]
        return wrong

    def draft_age_s(self, chat: str, found: str, killed: float) -> float:
        """How old the draft is that was found: since when a newer one was shown."""
        typed = self.drafts.get(chat, [])
        places = [place for place, (_, text) in enumerate(typed) if text == found]
        if not typed or (places and places[-1] == len(typed) - 1):
            return 0.0
        if not places and found.startswith(typed[-1][1]):
            return 0.0  # newer than what was shown last
        newer = typed[places[-1] + 1][0] if places else typed[0][0]
        return killed - newer

    def _may_have_changed(self, key: str) -> bool:
        kind, _, rest = key.partition(" ")
        # Chats that commands, imports and watched programs write get their titles and files from there.
        from_elsewhere = kind in ("title", "attached", "settings", "tuning") and "-" not in rest.split(" ")[0]
        return from_elsewhere or self._is_touched(key)

    def _is_touched(self, key: str) -> bool:
        return any(key.startswith(prefix) for prefix in self.acting)


def _belongs(key: str, chats: set[str]) -> bool:
    kind, _, rest = key.partition(" ")
    return kind == "attached" and rest.split(" ")[0] in chats
