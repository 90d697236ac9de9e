"""`workbench tools`: adds, lists, reviews, approves and removes the MCP servers of a workspace."""

from __future__ import annotations

import argparse
import asyncio
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import unified_diff
from typing import TYPE_CHECKING, Any

from workbench.cli.lazy_parser import LazyParser
from workbench.cli.open_history import has_store, opened
from workbench.cli.open_workspace import OpenWorkspace, find_workspace, open_workspace
from workbench.cli.services import Services
from workbench.cli.terminal import (
    MEBIBYTE,
    print_json,
    print_table,
    print_text,
    read_standard_input,
    tell,
    visible,
    visible_line,
)
from workbench.domain.errors import InvalidInput
from workbench.domain.folder_offer import FolderOffer, describe
from workbench.domain.mcp_json import McpImport, protected, read_servers
from workbench.domain.mcp_server import (
    McpListing,
    McpServer,
    McpTool,
    approved_tool,
    check_server,
    owned_secret,
    secret_place,
    secrets_in,
    tool_state,
)
from workbench.domain.secrets import Secret
from workbench.domain.text import digest_text
from workbench.domain.translation import counted, tr
from workbench.domain.workspace import Workspace
from workbench.engine.events import Event, ProgramShown
from workbench.engine.known_workspaces import Workspaces
from workbench.engine.state import WorkbenchState
from workbench.engine.workspace_intents import (
    AnswerOffer,
    ApproveTools,
    KeepServer,
    LookAtFolder,
    RemoveServer,
    SignIn,
    SignOut,
)
from workbench.engine.workspaces.changing import SIGN_IN_REVOKED
from workbench.engine.workspaces.kept_workspaces import SECRETS, digests
from workbench.files.reading import user_file
from workbench.ports.keys import ProviderKeys

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


# The servers that `workbench tools add` was given: a command line, an address, or the JSON of another program.


_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}", re.ASCII)
_HEADER = re.compile(r"(?P<name>[A-Za-z0-9-]{1,64}) *[:=] *(?P<value>.+)", re.ASCII)
_MOST_BYTES = 4 * MEBIBYTE


@dataclass(frozen=True, slots=True)
class Added:
    """What `workbench tools add` is to store: servers with the values of their secrets.

    Attributes:
        secrets: their values by the names that the servers have for them.
        missing: names of secrets that nobody gave, with what the file says about them. notes: what was not taken.
    """

    servers: tuple[McpServer, ...]
    secrets: Mapping[str, Secret]
    missing: Mapping[str, str]
    notes: tuple[str, ...] = ()

    def secrets_of(self, server: McpServer) -> dict[str, Secret]:
        """Returns the secrets to store for one of the servers."""
        return {name: self.secrets[name] for name in secrets_in(server) if name in self.secrets}


def read_added(
    arguments: argparse.Namespace, taken: Sequence[str], environment: Callable[[str], str | None]
) -> Added:
    """Reads the servers from the arguments of `tools add`; `taken` are names that the workspace already has."""
    values = dict(_variables(arguments.env, environment))
    if arguments.program or len(arguments.names) > 1:
        return _read_server(arguments, values, taken)
    if arguments.header:
        raise InvalidInput("--header", tr("a file holds the headers of its servers itself"))
    if arguments.roots or arguments.sampling or arguments.client_id:
        raise InvalidInput(
            "--roots", tr("this and --sampling and --client-id are for one server, added by its NAME")
        )
    return _fill_secrets(read_servers(_read_json_text(arguments.names[0]), taken), values)


def _read_server(arguments: argparse.Namespace, variables: Mapping[str, str], taken: Sequence[str]) -> Added:
    """Reads one server from its command line or address; every value of its environment is stored as a secret."""
    name, *urls = arguments.names
    command, *args = arguments.program or ("",)
    if command and arguments.header:
        raise InvalidInput("--header", tr("a program has no headers; --env gives it values"))
    if urls and variables:
        raise InvalidInput("--env", tr("an address has no environment; --header gives it values"))
    if name.lower() in (one.lower() for one in taken):
        raise InvalidInput("NAME", tr("there is a server called {name!r} already", name=visible_line(name)))
    given = {f"{name}.env.{key}": Secret.of_text(value) for key, value in variables.items()}
    env = {key: secret_place(f"{name}.env.{key}") for key in variables}
    headers = dict(_headers(arguments.header))
    server = McpServer(
        name, command, tuple(args), env, url="".join(urls), headers=headers,
        roots=arguments.roots, sampling=arguments.sampling, client_id=arguments.client_id,
    )  # fmt: skip
    check_server(server)
    server, found = protected(server)
    return Added((server,), {**found, **given}, {})


def _fill_secrets(found: McpImport, values: Mapping[str, str]) -> Added:
    """Fills the secrets that the servers of a file ask for with the values of `--env`.

    A value nobody asks for is an error.
    """
    given = {place: values[name] for place in found.asked if (name := place.partition(".")[2]) in values}
    unused = set(values) - {place.partition(".")[2] for place in given}
    if unused:
        raise InvalidInput(
            "--env", tr("no server of the file asks for {unused}", unused=", ".join(sorted(unused)))
        )
    secrets = {place: Secret.of_text(value) for place, value in given.items()}
    missing = {place: about for place, about in found.asked.items() if place not in given}
    return Added(found.servers, {**found.secrets, **secrets}, missing, found.notes)


def _variables(given: Sequence[str], environment: Callable[[str], str | None]) -> Iterator[tuple[str, str]]:
    """Reads each KEY=VALUE of `--env`; a bare KEY takes its value from the environment, not from shell history."""
    for one in given:
        key, mark, value = one.partition("=")
        if not _VARIABLE.fullmatch(key):
            raise InvalidInput(
                "--env", tr("{key!r} is not the name of a variable; use KEY=VALUE", key=visible_line(key))
            )
        found = value if mark else environment(key)
        if not found:
            raise InvalidInput(
                "--env", tr("{key} has no value; use KEY=VALUE, or set it in the environment", key=key)
            )
        yield key, found


def _headers(given: Sequence[str]) -> Iterator[tuple[str, str]]:
    for one in given:
        found = _HEADER.fullmatch(one)
        if found is None:
            raise InvalidInput("--header", tr("use NAME=VALUE, such as Authorization='Bearer …'"))
        yield found["name"], found["value"]


def _read_json_text(path: str) -> str:
    try:
        if path == "-":
            return read_standard_input(_MOST_BYTES, "give fewer servers").decode()
        with user_file(path) as opened:
            content = opened.read(_MOST_BYTES)
        return content.decode()
    except OSError as problem:
        why = problem.strerror or str(problem)
        raise InvalidInput(
            visible_line(path), tr("{why}; give a JSON file, NAME URL, or NAME -- COMMAND", why=why)
        ) from None
    except UnicodeDecodeError:
        raise InvalidInput(visible_line(path), tr("it is not UTF-8 text")) from None


# The workspace that `workbench tools` works on, with the engine that the window has behind it.


# What a server of tools says it has, set against what was approved: as words, and for machines.


_DIGITS = 16


@dataclass(frozen=True, slots=True)
class ServerReview:
    """A server as it is stored, beside the tools it lists now."""

    server: McpServer
    listing: McpListing

    @property
    def waiting(self) -> tuple[McpTool, ...]:
        """The tools that are new or differ from what was approved."""
        return tuple(one for one in self.listing.tools if tool_state(self.server, one) != "approved")

    @property
    def gone(self) -> tuple[str, ...]:
        """Names of approved tools that the server no longer lists."""
        there = {one.name for one in self.listing.tools}
        return tuple(one.name for one in self.server.approved if one.name not in there)

    @property
    def digest(self) -> str:
        """The digest of all its tools, for `approve --as`: an approval then covers exactly what `review` showed."""
        said = sorted(f"{one.name} {one.digest}" for one in self.listing.tools)
        return digest_text("\n".join(said))[:_DIGITS]

    def document(self) -> dict[str, Any]:
        """Returns everything as a JSON document."""
        return {
            "server": self.server.name,
            "state": self.listing.state,
            "problem": self.listing.problem,
            "digest": self.digest,
            "tools": [self._tool(one) for one in self.listing.tools],
            "gone": list(self.gone),
            "left_out": list(self.listing.left_out),
        }

    def lines(self) -> Iterator[str]:
        """Yields everything as lines of text; control characters of what the server wrote are made visible."""
        states = [tool_state(self.server, one) for one in self.listing.tools]
        new, changed = states.count("new"), states.count("changed")
        yield tr(
            "{name}: {counted} ({new} new, {changed} changed)",
            name=self.server.name,
            counted=counted(len(states), "tool"),
            new=new,
            changed=changed,
        )
        for tool, state in zip(self.listing.tools, states, strict=True):
            yield f"  {visible_line(tool.name)} [{state}]"
            text = {"new": tool.text, "changed": self._diff(tool)}.get(state, "")
            yield from (f"    {line}" for line in visible(text).splitlines())
        for name in self.gone:
            yield tr("  {name} [gone]", name=visible_line(name))
        for what in self.listing.left_out:
            yield tr("  left out: {what}", what=visible_line(what))

    def _tool(self, tool: McpTool) -> dict[str, Any]:
        return {
            "name": tool.name,
            "called": tool.called,
            "state": tool_state(self.server, tool),
            "description": tool.description,
            "schema": json.loads(tool.schema_json),
            "diff": self._diff(tool),
        }

    def _diff(self, tool: McpTool) -> str:
        """Returns a unified diff of the tool's text against the approved one; empty where nothing differs."""
        before = approved_tool(self.server, tool.name)
        if before is None or before.digest == tool.digest:
            return ""
        names = ("approved", "now")
        return "\n".join(unified_diff(before.text.splitlines(), tool.text.splitlines(), *names, lineterm=""))


# What `workbench tools` does, each through the engine as the window does it.


NONE = tr("There are no servers of tools. `workbench tools add` adds one to a workspace.")
_SWITCHED_OFF = tr("it is switched off; --allow {name} allows it")


async def list_servers(arguments: argparse.Namespace, services: Services) -> int:
    """Lists the servers of one workspace or of all; starts none of them."""
    rows: list[dict[str, Any]] = []
    if has_store(services):
        async with opened(services, writable=False) as store:
            known, keys = Workspaces(services.workspaces(store)), services.provider_keys(store)
            await known.ready()
            places = [one for one in known.all.values() if one.id and one.deleted_utc is None]
            if arguments.workspace is not None:
                places = [find_workspace(arguments.workspace, known)]
            rows = [await _row(place, server, keys) for place in places for server in place.servers]
    if arguments.json:
        print_json(rows)
        return 0
    print_table([_cells(row) for row in rows])
    if not rows:
        tell(NONE)
    return 0


async def _row(place: Workspace, server: McpServer, keys: ProviderKeys) -> dict[str, Any]:
    """Returns one server as a JSON object; of its secrets only the names, and whether each has a stored value."""
    return {
        "workspace": place.name,
        "name": server.name,
        "enabled": server.enabled,
        "command": server.command,
        "args": list(server.args),
        "env": dict(server.env),
        "cwd": server.cwd,
        "url": server.url,
        "headers": dict(server.headers),
        "approved": [tool.name for tool in server.approved],
        "tools_off": sorted(server.tools_off),
        "roots": server.roots,
        "sampling": server.sampling,
        "client_id": server.client_id,
        "secrets": {
            name: await keys.find(f"{SECRETS}{place.id}/{owned_secret(server.name, name)}") is not None
            for name in secrets_in(server)
        },
    }


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    line = row["url"] or " ".join((row["command"], *row["args"]))
    missing = [name for name, kept in row["secrets"].items() if not kept]
    state = "off" if not row["enabled"] else tr("needs a secret") if missing else "on"
    approved = tr("{counted} approved", counted=counted(len(row["approved"]), "tool"))
    return visible_line(row["workspace"]), row["name"], state, approved, visible_line(line)


async def add(arguments: argparse.Namespace, services: Services) -> int:
    """Stores servers in a workspace; none is started before it is reviewed."""
    async with open_workspace(arguments.workspace, services, writable=True) as room:
        taken = [one.name for one in room.place.servers]
        added = read_added(arguments, taken, services.environment)
        for server in added.servers:
            await room.workbench.dispatch(KeepServer(room.id, server, added.secrets_of(server)))
        names, workspace = [one.name for one in added.servers], room.place.name
    if arguments.json:
        document = {"workspace": workspace, "added": names, "missing": list(added.missing)}
        print_json({**document, "notes": list(added.notes)})
    else:
        print_table([(one.name, visible_line(one.shown)) for one in added.servers])
    for note in added.notes:
        tell(f"workbench: {visible_line(note)}")
    for secret, about in added.missing.items():
        key = secret.partition(".")[2]
        words = f" ({visible_line(about)})" if about else ""
        tell(
            tr(
                "workbench: {secret} is missing{words}; remove the server and add it with --env {key}=…",
                secret=visible_line(secret),
                words=words,
                key=key,
            )
        )
    if names:
        tell(tr("Nothing is started yet. `workbench tools review` shows what the servers offer."))
    return 0 if names else 1


async def review(arguments: argparse.Namespace, services: Services) -> int:
    """Starts servers and shows what they offer and what changed since it was approved."""
    allowed = tuple(arguments.allow)
    async with open_workspace(arguments.workspace, services, writable=bool(allowed)) as room:
        names = arguments.names or [one.name for one in room.place.servers]
        looks = [await _review_server(room, name, allowed) for name in names]
        workspace = room.place.name
    if arguments.json:
        print_json({"workspace": workspace, "servers": [look.document() for look in looks]})
    for look in looks:
        _show(look, words=not arguments.json)
    if not looks:
        tell(NONE)
    return 0 if all(look.listing.state == "connected" for look in looks) else 1


def _show(look: ServerReview, *, words: bool) -> None:
    name = look.server.name
    if look.listing.state != "connected":
        why = look.listing.problem if look.server.enabled else _SWITCHED_OFF.format(name=name)
        tell(f"workbench: {name}: {visible_line(look.server.shown)}")
        tell(f"workbench: {name}: {visible_line(why)}")
        return
    for line in look.lines() if words else ():
        print_text(line)
    if look.waiting:
        tell(
            tr(
                "`workbench tools approve {name} --as {digest}` approves them as they are now.",
                name=name,
                digest=look.digest,
            )
        )


async def _review_server(room: OpenWorkspace, name: str, allowed: Sequence[str] = ()) -> ServerReview:
    server = room.server(name)
    if name in allowed and not server.enabled:
        await room.workbench.dispatch(KeepServer(room.id, replace(server, enabled=True), before=name))
    listing = await room.start_and_list(name)
    return ServerReview(room.server(name), listing)


async def approve(arguments: argparse.Namespace, services: Services) -> int:
    """Approves tools of a server as they are now; new chats of the workspace then have them."""
    name, *wanted = arguments.names
    async with open_workspace(arguments.workspace, services, writable=True) as room:
        look = await _review_server(room, name)
        if look.listing.state != "connected":
            _show(look, words=False)
            return 1
        if arguments.seen is not None and arguments.seen != look.digest:
            tell(
                tr(
                    "workbench: {name} says something else than was reviewed. Nothing is "
                    "approved; review it again.",
                    name=name,
                )
            )
            return 1
        tools = _tools_to_approve(look, wanted)
        await room.workbench.dispatch(ApproveTools(room.id, name, tools))
    names = [one.name for one in tools]
    if arguments.json:
        print_json({"workspace": room.place.name, "server": name, "approved": names, "digest": look.digest})
    else:
        for one in names:
            print_text(visible_line(one))
    if not names:
        tell(tr("Nothing of {name} is new or changed.", name=name))
    return 0


def _tools_to_approve(look: ServerReview, names: Sequence[str]) -> tuple[McpTool, ...]:
    """Returns the tools to approve: those named, or else all that are new or changed."""
    unknown = set(names) - {one.name for one in look.listing.tools}
    if unknown:
        said = ", ".join(map(visible_line, sorted(unknown)))
        raise InvalidInput("TOOL", tr("{name} has no {said}", name=look.server.name, said=said))
    return tuple(one for one in look.waiting if not names or one.name in names)


async def remove(arguments: argparse.Namespace, services: Services) -> int:
    """Removes a server from a workspace, with its secrets."""
    (name,) = arguments.names
    async with open_workspace(arguments.workspace, services, writable=True) as room:
        room.server(name)
        await room.workbench.dispatch(RemoveServer(room.id, name))
    print_json({"removed": name}) if arguments.json else print_text(name)
    return 0


async def login(arguments: argparse.Namespace, services: Services) -> int:
    """Signs in to a server at an address; the page's address is printed, and the browser comes back here."""
    (name,) = arguments.names
    async with open_workspace(arguments.workspace, services, writable=True) as room:
        room.server(name)
        leave = room.workbench.subscribe(_print_page)
        try:
            said = await room.workbench.sign(SignIn(room.id, name))
        finally:
            leave()
        listing = room.workbench.state.servers.get((room.id, name), McpListing(name))
        workspace = room.place.name
    if arguments.json:
        document = {
            "workspace": workspace,
            "server": name,
            "state": listing.state,
            "problem": listing.problem,
        }
        print_json({**document, "signed_in": listing.sign_in == "done"})
    tell(f"workbench: {visible_line(said)}")
    return 0 if listing.sign_in == "done" else 1


def _print_page(event: Event, state: WorkbenchState) -> None:
    if isinstance(event, ProgramShown):
        for question in event.fields.get("questions", ()):
            tell(f"workbench: {visible_line(question.message)}")
            tell(tr("Open this page in a browser on this computer:\n{url}", url=visible_line(question.url)))


async def logout(arguments: argparse.Namespace, services: Services) -> int:
    """Signs out of a server: what was kept is deleted, and revoked where the server can do that."""
    (name,) = arguments.names
    async with open_workspace(arguments.workspace, services, writable=True) as room:
        room.server(name)
        said = await room.workbench.sign(SignOut(room.id, name))
        workspace = room.place.name
    if arguments.json:
        print_json({"workspace": workspace, "server": name, "revoked": SIGN_IN_REVOKED in said})
    tell(f"workbench: {visible_line(said)}")
    return 0


async def offer(arguments: argparse.Namespace, services: Services) -> int:
    """Shows what the folder of a workspace offers, accepts it, or refuses it."""
    answered = arguments.accept or arguments.refuse
    async with open_workspace(arguments.workspace, services, writable=answered) as room:
        await room.workbench.dispatch(LookAtFolder(room.id))
        found, problem = room.workbench.state.offers.get(room.id, (None, ""))
        if problem:
            tell(f"workbench: {visible_line(problem)}")
            return 1
        if found is not None and arguments.accept:
            await _accept(room, found, tuple(arguments.allow))
        elif found is not None and arguments.refuse:
            await room.workbench.dispatch(AnswerOffer(room.id, tuple(digests(found).items()), accepted=False))
        there = found is not None
        decided = {"accepted": there and arguments.accept, "refused": there and arguments.refuse}
        document = _offer_document(room.place, found) | decided
    if arguments.json:
        print_json(document)
    elif found is not None:
        print_text(visible(describe(found)).removesuffix("\n"))
    _print_offer(found, decided)
    return 0


async def _accept(room: OpenWorkspace, found: FolderOffer, allowed: tuple[str, ...]) -> None:
    unknown = set(allowed) - {one.name for one in found.servers}
    if unknown:
        raise InvalidInput(
            "--allow", tr("the folder offers no server {unknown}", unknown=", ".join(sorted(unknown)))
        )
    files = tuple(digests(found).items())
    await room.workbench.dispatch(AnswerOffer(room.id, files, True, allowed, found.files))


def _offer_document(place: Workspace, found: FolderOffer | None) -> dict[str, Any]:
    shown = found or FolderOffer()
    return {
        "workspace": place.name,
        "folder": place.folder,
        "offers": digests(shown),
        "text": describe(shown),
        "servers": [one.name for one in shown.servers],
        "notes": list(shown.notes),
    }


def _print_offer(found: FolderOffer | None, decided: Mapping[str, bool]) -> None:
    if found is None:
        tell(tr("The folder offers nothing that is not decided yet."))
        return
    for note in found.notes:
        tell(f"workbench: {visible_line(note)}")
    if decided["refused"]:
        tell(tr("None of it is used. It is offered again only where a file of the folder changes."))
        return
    for secret in found.asked:
        tell(
            tr(
                "workbench: {secret} is missing; enter it in the window, or add the server with --env",
                secret=visible_line(secret),
            )
        )
    if not decided["accepted"]:
        tell(
            tr(
                "Nothing of it is used yet. `workbench tools offer --accept` uses it, "
                "--refuse does not; --allow NAME allows a server."
            )
        )


# How many names an action takes, at least and at most, and what is said where there are others.
_NAMES = {
    "list": (0, 0, tr("takes no NAME")),
    "add": (1, 2, tr("needs a FILE, a NAME and a URL, or a NAME -- COMMAND ARGS…")),
    "review": (0, 1, tr("takes one NAME at most")),
    "approve": (1, 1000, tr("needs the NAME of a server, and may have those of its tools")),
    "remove": (1, 1, tr("needs the NAME of a server")),
    "login": (1, 1, tr("needs the NAME of a server")),
    "logout": (1, 1, tr("needs the NAME of a server")),
    "offer": (0, 0, tr("takes no NAME")),
}
_LIST: dict[str, Any] = {"action": "append", "default": []}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `workbench tools`."""
    if isinstance(parser, LazyParser):
        parser.takes_program = True
    parser.add_argument(
        "action", nargs="?", choices=tuple(_NAMES), default="list", metavar="ACTION",
        help="list | add FILE (JSON with mcpServers or servers; - reads standard input) | add NAME URL | add NAME -- "
        "COMMAND ARGS… | review [NAME] (start servers; show what they offer, what changed) | approve NAME [TOOL …] | "
        "remove NAME | login NAME (in the browser) | logout NAME | offer (what the folder of the workspace offers)",
    )  # fmt: skip
    parser.add_argument("names", nargs="*", metavar="NAME", help="which server; the file, the address")
    parser.add_argument(
        "--workspace", metavar="NAME", help="the workspace; needed where there is more than one"
    )
    parser.add_argument(
        "--env", **_LIST, metavar="KEY=VALUE",
        help="add: a value for the program, kept encrypted; KEY alone takes it from the environment",
    )  # fmt: skip
    parser.add_argument(
        "--header", **_LIST, metavar="NAME=VALUE", help="add: a header for the address, kept encrypted"
    )
    flag: dict[str, Any] = {"action": "store_true"}
    parser.add_argument("--roots", **flag, help="add: the server may know the workspace's folder")
    parser.add_argument(
        "--sampling", **flag, help="add: the server may ask the chat's model, each time with consent"
    )
    parser.add_argument(
        "--client-id", default="", metavar="ID",
        help="add: how a server's sign-in knows this program, where programs cannot register there",
    )  # fmt: skip
    parser.add_argument(
        "--allow", **_LIST, metavar="NAME",
        help="review, offer: allow the command line of a server that is switched off",
    )  # fmt: skip
    parser.add_argument(
        "--as", dest="seen", metavar="DIGEST", help="approve: only what review showed with this digest"
    )
    answer = parser.add_mutually_exclusive_group()
    answer.add_argument("--accept", action="store_true", help="offer: use what the folder offers")
    answer.add_argument(
        "--refuse", action="store_true", help="offer: use none of it; asked again only where a file changes"
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.set_defaults(program=())


def run(arguments: argparse.Namespace, services: Services) -> int:
    """Runs the action that was named."""
    # Late: `--help` answers without them.

    least, most, needs = _NAMES[arguments.action]
    if arguments.program:
        most = 1 if arguments.action == "add" else -1
    if not least <= len(arguments.names) <= most:
        tell(tr("workbench tools: {action} {needs}", action=arguments.action, needs=needs))
        return 2
    actions: dict[str, Callable[[argparse.Namespace, Services], Awaitable[int]]] = {
        "list": list_servers,
        "add": add,
        "review": review,
        "approve": approve,
        "remove": remove,
        "login": login,
        "logout": logout,
        "offer": offer,
    }

    async def done() -> int:
        return await actions[arguments.action](arguments, services)

    return asyncio.run(done())
