"""What belongs to one open chat is an attribute of it: a container by chat id is an exception with a reason.

Each such container needs a clean-up of its own, and one that is forgotten shows what is gone, or grows for ever.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.source_tree import PACKAGE, modules, parse

ENGINE = PACKAGE / "engine"
CONTAINERS = {"dict", "set", "defaultdict", "OrderedDict", "WeakValueDictionary", "WeakKeyDictionary"}

BY_CHAT = {
    "open_chat/chats.py OpenChats._open": "the open chats themselves",
    "open_chat/chats.py OpenChats._edited": "words of an edit outlive the view, until they are asked",
    "chats/drafts.py Drafts._unkept": "words that are not in the store yet outlive the view",
    "chats/drafts.py NewChats._held": "a chat that was begun is kept with the first thing in it",
    "chats/queue.py Queue._lines": "a queue is sent on when an answer ends, whether its chat is open or not",
    "chats/watched_attaching.py WatchedAttaching._stoppers": "attaching goes on when its chat is closed",
    "running_turns.py RunningTurns._turns": "turns go on when their chat is closed",
    "known_workspaces.py Workspaces._decided": "rules that are not kept yet hold for turns of closed chats",
    "assembly/pictures.py PictureShelves._shelves": "turns of closed chats send pictures too",
    "world.py ChatLocks._locks": "weak: gone with the last who holds one",
    "world.py Owed._ends": "ends of turns that the store refused are kept as soon as it takes them",
    "recall/finding.py Recall._said": "the last few chats, for turns of closed ones too",
    "recall/finding.py Recall.sections": "the last few chats, for turns of closed ones too",
    "recall/elsewhere.py WorkspaceIndex.leaves": "an index over the chats of a workspace, open or not",
    "recall/elsewhere.py WorkspaceIndex.read": "an index over the chats of a workspace, open or not",
}
BY_OTHERS = {
    "assembly/counters.py Counters._memos": "encoding",
    "assembly/counters.py Counters._calibrations": "encoding",
    "assembly/counters.py Counters._served_counts": "model",
    "assembly/counters.py Counters._served": "model",
    "assembly/prepare.py Builder.observed_rules": "model",
    "assembly/laps.py Laps.milliseconds": "phase",
    "chats/file_keeping.py FileKeeping._at": "path",
    "chats/file_keeping.py FileKeeping._made": "key of a file",
    "chats/file_keeping.py FileKeeping._fell": "key of a file",
    "completion/sources.py Documents._held": "digest of a file, and how it was read",
    "completion/sources.py KnownFiles._known": "folder",
    "completion/sources.py KnownFiles._making": "folder",
    "program/actions.py ModelActions._readying": "model",
    "program/jobs.py Jobs._running": "job",
    "experiment/trial.py Trial._unasked": "variant and model",
    "intents.py StartChat.parameters": "parameter",
    "known_workspaces.py Workspaces._unusable": "workspace",
    "open_chat/cache.py CacheAhead._requests": "request: the next, a trial, an edit",
    "open_chat/commands.py CommandsAhead._questions": "question that is edited",
    "open_chat/disk_watch.py DiskWatch._copies": "key of a file",
    "open_chat/disk_watch.py DiskWatch._sights": "key of a file",
    "open_chat/disk_watch.py DiskWatch._renewals": "key of a file",
    "open_chat/disk_watch.py DiskWatch._facts": "key of a file",
    "open_chat/folders.py Folders._present": "folder",
    "open_chat/layouts.py _Rerun._builders": "encoding",
    "open_chat/mentions.py _Text.followed": "name",
    "open_chat/mentions.py Mentions._texts": "question that is edited",
    "open_chat/file_parts.py FileParts._texts": "key of a file",
    "open_chat/variants.py Variants._builders": "encoding",
    "recall/finding.py SectionIndex.sections": "section",
    "rerun.py Rerun._said": "message",
    "running_turns.py _Turn.decisions": "call of a tool",
    "running_turns.py _Turn.tools": "call of a tool",
    "shown/folder_scan.py FolderScans._asked": "path",
    "workspaces/keeping.py WorkspaceServers._heard": "workspace",
    "world.py World.parameters": "parameter",
    "world.py World.workspace_indexes": "workspace",
    "watch/understanding.py Understanding._counted": "request that was counted",
    "watch/understanding.py Understanding._reports": "model",
}


def test_a_container_by_chat_is_listed_with_the_reason_why_it_is_no_attribute_of_the_open_chat():
    found = {f"{path.relative_to(ENGINE).as_posix()} {name}" for path in engine() for name in keyed(path)}
    assert found - BY_CHAT.keys() - BY_OTHERS.keys() == set(), "make it an attribute of the open chat"
    assert (BY_CHAT.keys() | BY_OTHERS.keys()) - found == set(), "it is no longer there: take it off the list"


def test_a_new_one_is_found():
    source = (
        "class Sights:\n    seen: dict[str, int]\n    def __init__(self):\n"
        "        self._by: set[tuple[str, int]] = set()\n        self._at: dict[int, str] = {}\n"
    )
    assert list(in_classes(ast.parse(source))) == ["Sights.seen", "Sights._by"]


def engine() -> list[Path]:
    """The engine without the formats of exchange: what reads one file is gone with it."""
    return [path for path in modules() if path.is_relative_to(ENGINE) and path.parent.name != "exchange"]


def keyed(path: Path) -> Iterator[str]:
    """The containers of a file that are keyed by a text, which may be the id of a chat."""
    return in_classes(parse(path))


def in_classes(tree: ast.Module) -> Iterator[str]:
    for owner in ast.walk(tree):
        if not isinstance(owner, ast.ClassDef):
            continue
        for node in ast.walk(owner):
            if isinstance(node, ast.AnnAssign) and is_keyed(node.annotation):
                target = ast.unparse(node.target)
                if node in owner.body or target.startswith("self."):
                    yield f"{owner.name}.{target.removeprefix('self.')}"


def is_keyed(annotation: ast.expr) -> bool:
    if not isinstance(annotation, ast.Subscript) or ast.unparse(annotation.value) not in CONTAINERS:
        return False
    key = annotation.slice
    if isinstance(key, ast.Tuple):
        key = key.elts[0]
    if isinstance(key, ast.Subscript) and ast.unparse(key.value) == "tuple":
        key = key.slice.elts[0] if isinstance(key.slice, ast.Tuple) else key.slice
    return ast.unparse(key) == "str"
