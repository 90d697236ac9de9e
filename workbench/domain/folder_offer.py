"""What a folder offers to a workspace: its `.workbench/workspace.toml`, and instruction files for assistants.

Nothing of it is used before the user accepts it, and acceptance is for one digest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from workbench.domain.mcp_server import McpServer
from workbench.domain.reading.form import form_of
from workbench.domain.reading.node import Node, show
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.tool import glob_pattern
from workbench.domain.translation import tr

InstructionsMode = Literal["", "replace", "add"]


@dataclass(frozen=True, slots=True)
class InstructionFile:
    """A file of the folder with instructions for assistants; `digest` is of its bytes."""

    path: str
    text: str
    digest: str


@dataclass(frozen=True, slots=True)
class FolderOffer:
    """Everything a folder offers.

    Attributes:
        digest: of the bytes of its file; empty where it has none.
        instructions_mode: whether the instructions take the place of the default ones or are added; empty: not said.
        files: to be attached to every chat, relative to the folder; patterns too, until `with_files`.
        settings: how requests are built, by the names and in the form of trajectories.
        servers: of tools; each is switched off until its command line was allowed by itself.
        asked: the secrets that those need, with what the file says about them.
        found: files of instructions.
        notes: what could not be offered, each with why.
    """

    digest: str = ""
    name: str = ""
    instructions: str = ""
    instructions_mode: InstructionsMode = ""
    files: tuple[str, ...] = ()
    model: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    servers: tuple[McpServer, ...] = ()
    asked: Mapping[str, str] = field(default_factory=dict)
    found: tuple[InstructionFile, ...] = ()
    notes: tuple[str, ...] = ()

    def applied(self, settings: ContextSettings) -> ContextSettings:
        """The settings with the folder's own on top."""
        said = {**self.settings, **({"model": self.model} if self.model else {})}
        return form_of(ContextSettings).read(Node(said), settings)


def with_files(offer: FolderOffer, there: Iterable[str], whole: bool = True) -> FolderOffer:
    """The offer with its patterns replaced by the files they match: what is shown is what is attached.

    `there` are the files of the folder; without `whole`, only the first of them.
    """
    found = sorted(
        one for one in there if one.isprintable()
    )  # no name can look like another line of the offer
    files: list[str] = []
    notes: list[str] = []
    for path in offer.files:
        if not is_pattern(path):
            files.append(path)
            continue
        means = glob_pattern(path)
        fitting = [one for one in found if means.fullmatch(one)]
        files += fitting
        notes.append(f"{path} means {len(fitting):,} {'file' if len(fitting) == 1 else 'files'}.")
    if notes and not whole:
        notes.append(tr("The folder is large: only its first {n:,} files were looked at.", n=len(found)))
    return replace(offer, files=tuple(dict.fromkeys(files)), notes=(*offer.notes, *notes))


def is_pattern(path: str) -> bool:
    """Whether a path of an offer is a glob: * within a folder, ** across folders."""
    return "*" in path or "?" in path


def describe(offer: FolderOffer) -> str:
    """The offer in words, one line for each thing, so that two offers can be compared by lines."""
    return "".join(f"{line}\n" for line in _lines(offer))


def _lines(offer: FolderOffer) -> Iterator[str]:
    if offer.name:
        yield tr("Name: {name}", name=offer.name)
    if offer.model:
        yield tr("Model: {model}", model=offer.model)
    if offer.instructions:
        how = {
            "": "",
            "replace": tr(" (in place of the default ones)"),
            "add": tr(" (added to the default ones)"),
        }
        yield tr("Instructions{how}:", how=how[offer.instructions_mode])
        yield from (f"  {line}" for line in offer.instructions.splitlines())
    for path in offer.files:
        yield tr("File in every chat: {path}", path=path)
    for name, value in _flat(offer.settings):
        yield tr("Setting {name} = {value}", name=name, value=show(value))
    for server in offer.servers:
        yield from _server_lines(server)
    for file in offer.found:
        yield tr("Instructions of {path}:", path=file.path)
        yield from (f"  {line}" for line in file.text.splitlines())


def _server_lines(server: McpServer) -> Iterator[str]:
    if server.url:
        yield tr("Server {name} at {url}", name=server.name, url=server.url)
    else:
        # Each by itself: where one ends and the next begins is what matters in a command line.
        yield tr(
            "Server {name} runs {args}",
            name=server.name,
            args=" ".join(show(one) for one in (server.command, *server.args)),
        )
    if server.cwd:
        yield tr("  in {cwd}", cwd=server.cwd)
    for name, value in (*server.env.items(), *server.headers.items()):
        yield f"  {name} = {show(value)}"


def _flat(values: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in sorted(values.items()):
        if isinstance(value, Mapping):
            yield from _flat(value, f"{above}{name}.")
        else:
            yield f"{above}{name}", value
