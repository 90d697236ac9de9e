"""What a folder offers, read from it: strictly, without following a link, and without whatever it may not say.

The file comes with the folder, from whoever made that: it says nothing about what is allowed, and holds no secret.
"""

from __future__ import annotations

import errno
import hashlib
import tomllib
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from typing import Any, Literal, NamedTuple

from workbench.domain.errors import InvalidInput
from workbench.domain.folder_offer import FolderOffer, InstructionFile
from workbench.domain.mcp_json import McpImport, servers_of
from workbench.domain.reading.form import form_of
from workbench.domain.reading.node import Fields, Node
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.text import harmless
from workbench.domain.translation import tr
from workbench.files.folder_handles import open_folder
from workbench.files.folders import Barred, Folder
from workbench.files.reading import NotRegular, user_file_below
from workbench.settings.form import nulls
from workbench.settings.key_like import dotted, key_like

FILE = ".workbench/workspace.toml"
INSTRUCTIONS = ("AGENTS.md", "CLAUDE.md", ".cursorrules", ".github/copilot-instructions.md")
MOST_BYTES = 256 * 1024
_MOST_PARTS = 100
_MOST_FILES, _LONGEST_PATH, _LONGEST_NAME = 200, 500, 80
_KNOWN = ("name", "instructions", "instructions_mode", "files", "model", "settings", "servers")
_ALLOWING = (
    *("rules", "rule", "approval", "approvals", "approve", "allow", "allowed", "never", "ask", "permissions"),
    *("trust", "trusted", "auto_approve", "autoApprove", "always_allow", "alwaysAllow", "yes"),
)
_SECRETS = ("secrets", "secret", "keys", "key", "passwords", "tokens")
# Other places say these: the instructions above, and what a person keeps by themselves.
_NOT_HERE = (
    "model",
    "system_prompt",
    "persona",
    "project_instructions",
    "user_memory",
    "tools",
    "tool_guidelines",
)


class _Read(NamedTuple):
    text: str
    digest: str


def read_offer(root: str) -> FolderOffer:
    """Everything a folder offers; `InvalidInput` says where its file cannot be used, and why. Blocks."""
    notes: list[str] = []
    try:
        with closing(open_folder(root)) as folder:
            said = _read(folder, FILE)
            found = tuple(filter(None, (_instructions(folder, path, notes) for path in INSTRUCTIONS)))
    except OSError as problem:
        raise InvalidInput(
            root, tr("the folder cannot be read ({strerror})", strerror=problem.strerror or problem)
        ) from None
    if said is None:
        return FolderOffer(found=found, notes=tuple(notes))
    offer = parse_offer(said.text)
    return replace(offer, digest=said.digest, found=found, notes=(*offer.notes, *notes))


def parse_offer(text: str) -> FolderOffer:
    """What the text of such a file offers."""
    # The time that Python's reader takes for a name grows with the square of its parts: 36 s at the largest size.
    if any(_is_deep(line) for line in text.splitlines() if line.count(".") > _MOST_PARTS):
        raise InvalidInput(FILE, tr("a name in it has more than {most_parts} parts", most_parts=_MOST_PARTS))
    try:
        entries = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as problem:
        raise InvalidInput(
            FILE, tr("not valid TOML: {problem}", problem=harmless(str(problem))[:200])
        ) from None
    document = Node(entries, FILE)
    _refuse_what_may_not_be_said(document, entries)
    given = document.fields(_KNOWN)
    servers = _servers(document)
    nothing: dict[str, Any] = {}
    return FolderOffer(
        name=given.read("name", _name, ""),
        instructions=harmless(given.read("instructions", Node.text, "")),
        instructions_mode=given.read("instructions_mode", _mode, ""),
        files=given.read_all("files", _path),
        model=given.read("model", _name, ""),
        settings=given.read("settings", _settings, nothing),
        servers=tuple(replace(server, enabled=False) for server in servers.servers),
        asked=servers.asked,
        notes=servers.notes,
    )


def _is_deep(line: str) -> bool:
    """Whether a line names a table or value by too many parts; dots in a row are a line of text."""
    return any(len([*filter(str.strip, name.split("."))]) > _MOST_PARTS for name in line.split("="))


def _read(folder: Folder, path: str) -> _Read | None:
    """A file of the folder; None where there is none, `InvalidInput` where there is one that is not taken."""
    try:
        with user_file_below(folder, path.split("/")) as opened:
            content = opened.read(MOST_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as problem:
        if isinstance(problem, Barred | NotRegular) or problem.errno in (errno.ELOOP, errno.EMLINK):
            raise InvalidInput(path, tr("it is a link, or no regular file; links are not followed")) from None
        raise InvalidInput(
            path, tr("it cannot be read ({strerror})", strerror=problem.strerror or type(problem).__name__)
        ) from None
    if len(content) > MOST_BYTES:
        raise InvalidInput(path, tr("it is larger than {most_bytes} KB", most_bytes=MOST_BYTES // 1024))
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInput(path, tr("it is not text in UTF-8")) from None
    return _Read(text, hashlib.sha256(content).hexdigest())


def _instructions(folder: Folder, path: str, notes: list[str]) -> InstructionFile | None:
    try:
        found = _read(folder, path)
    except InvalidInput as problem:
        notes.append(tr("{problem}; it is not offered.", problem=problem))
        return None
    if found is None or not found.text.strip():
        return None
    text = harmless(found.text)
    if text != found.text.replace("\r\n", "\n"):
        notes.append(
            tr("{path}: it holds characters that are not seen; they are shown as their codes.", path=path)
        )
    return InstructionFile(path, text, found.digest)


def _refuse_what_may_not_be_said(document: Node, entries: Mapping[str, Any]) -> None:
    servers = _table(entries, "servers")
    tables = [(document, entries), (document.at("settings", None), _table(entries, "settings"))]
    tables += [(Node(None, FILE, ("servers", name)), _table(servers, name)) for name in servers]
    for node, table in tables:
        for name in table:
            if name in _ALLOWING:
                raise node.at(name, None).error(
                    tr("a folder's file cannot say what is allowed; that is for you to say")
                )
            if name in _SECRETS:
                raise node.at(name, None).error(
                    tr("no secrets belong into a folder's file; they are kept encrypted")
                )
    named = {name: value for name, value in entries.items() if name != "instructions"}
    for place in key_like(_without_places(named)):
        raise InvalidInput(
            f"{FILE}.{dotted(place)}", tr("looks like a secret; write ${secret:NAME} in its place")
        )


def _without_places(value: Any) -> Any:
    """The entries without texts that only name a secret."""
    if isinstance(value, Mapping):
        return {name: _without_places(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_without_places(inner) for inner in value]
    return "" if isinstance(value, str) and "${" in value else value


def _table(entries: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = entries.get(name)
    return found if isinstance(found, Mapping) else {}


def _servers(document: Node) -> McpImport:
    table = Fields(document).get("servers")
    if table is None:
        return McpImport()
    found = servers_of(Node({"servers": table.value}, FILE))
    for name in found.secrets:
        raise table.error(tr("{name} looks like a secret; write ${{secret:NAME}} in its place", name=name))
    return found


def _settings(node: Node) -> dict[str, Any]:
    for name in node.table():
        if name in _NOT_HERE:
            raise node.at(name, None).error(tr("this is not set here; use name, instructions or model"))
    entries = nulls(node.table())
    form_of(ContextSettings).read(node._replace(value=entries))
    return entries


def _name(node: Node) -> str:
    text = node.name()
    if len(text) > _LONGEST_NAME or not text.isprintable() or harmless(text) != text:
        raise node.expected(
            tr("one line of at most {longest_name} characters that can be seen", longest_name=_LONGEST_NAME)
        )
    return text


def _mode(node: Node) -> Literal["replace", "add"]:
    options: tuple[Literal["replace", "add"], ...] = ("replace", "add")
    return node.choice(options)


def _path(node: Node) -> str:
    text = node.name()
    odd = "\\" in text or ":" in text or text.startswith(("/", "~")) or ".." in text.split("/")
    if odd or len(text) > _LONGEST_PATH or not text.isprintable() or harmless(text) != text:
        raise node.expected(tr("a path below the folder"))
    place = node.place[-1]
    if isinstance(place, int) and place >= _MOST_FILES:
        raise node.error(tr("more than {most_files} files", most_files=_MOST_FILES))
    return text
