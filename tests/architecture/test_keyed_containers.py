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
    "OpenChats._open": "the open chats themselves",
    "OpenChats._edited": "words of an edit outlive the view, until they are asked",
    "OpenChats._facts": "what was found of answers outlives the view: their whole requests were read again for it",
    "Drafts._unkept": "words that are not in the store yet outlive the view",
    "NewChats._held": "a chat that was begun is kept with the first thing in it",
    "World.sides": "a side question is forecast from, and a turn may be asked, whether its chat is open or not",
    "World.searched": "a turn notes what was searched, whether its chat is open or not",
    "Spending._passes": "a turn of a chat that is not open may be allowed to pass a cap",
    "Queue._lines": "a queue is sent on when an answer ends, whether its chat is open or not",
    "WatchedAttaching._stoppers": "attaching goes on when its chat is closed",
    "KeepingWarm._running": "a chat is kept warm while another one is in view",
    "RunningTurns._turns": "turns go on when their chat is closed",
    "Workspaces._decided": "rules that are not kept yet hold for turns of closed chats",
    "PictureShelves._shelves": "turns of closed chats send pictures too",
    "ChatLocks._locks": "weak: gone with the last who holds one",
    "Owed._ends": "ends of turns that the store refused are kept as soon as it takes them",
    "Recall._said": "the last few chats, for turns of closed ones too",
    "Recall.sections": "the last few chats, for turns of closed ones too",
    "WorkspaceIndex.leaves": "an index over the chats of a workspace, open or not",
    "WorkspaceIndex.read": "an index over the chats of a workspace, open or not",
}
BY_OTHERS = {
    "Counters._memos": "encoding",
    "Counters._calibrations": "encoding",
    "Counters._served_counts": "model",
    "Counters._served": "model",
    "Builder.observed_rules": "model",
    "Laps.milliseconds": "phase",
    "ServerQuestions._asked": "question of a server",
    "FileKeeping._at": "path",
    "FileKeeping._made": "key of a file",
    "FileKeeping._fell": "key of a file",
    "Documents._held": "digest of a file, and how it was read",
    "KnownFiles._known": "folder",
    "KnownFiles._making": "folder",
    "ModelActions._readying": "model",
    "MeteredModels._opened": "model",
    "Jobs._running": "job",
    "ExperimentRun._unasked": "variant and model",
    "StartChat.parameters": "parameter",
    "Workspaces._unusable": "workspace",
    "CacheAhead._requests": "request: the next, a trial, an edit",
    "CommandsAhead._questions": "question that is edited",
    "DiskWatch._copies": "key of a file",
    "DiskWatch._sights": "key of a file",
    "DiskWatch._renewals": "key of a file",
    "DiskWatch._facts": "key of a file",
    "Folders._present": "folder",
    "Folders._progress": "folder",
    "FolderIndexer._open": "folder",
    "FolderIndexer._locks": "folder",
    "FolderIndexer.paused": "folder",
    "OpenIndex.files": "file of a folder",
    "_Played._builders": "encoding",
    "_Text.followed": "name",
    "Mentions._texts": "question that is edited",
    "FileParts._texts": "key of a file",
    "Variants._builders": "encoding",
    "SectionIndex.sections": "section",
    "Rerun._said": "message",
    "_Turn.decisions": "call of a tool",
    "_Turn.tools": "call of a tool",
    "FolderScans._asked": "path",
    "WorkspaceServers._heard": "workspace",
    "World.parameters": "parameter",
    "World.workspace_indexes": "workspace",
    "Understanding._counted": "request that was counted",
    "Understanding._saved": "text that a rule removed",
    "Ruling._conversations": "another program's conversation, whether it is open or not",
    "Ruling._failures": "rule",
    "Ruling._taken": "program and rule",
    "Ruling._secrets": "digest of a text that was looked through",
    "Understanding._reports": "model",
}


def test_a_container_by_chat_is_listed_with_the_reason_why_it_is_no_attribute_of_the_open_chat():
    found = {name for path in engine() for name in keyed(path)}
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
