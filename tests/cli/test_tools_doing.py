"""`workbench tools`: servers are added, reviewed, approved and removed as in the window, and nothing starts unasked."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest

from tests.fakes.mcp_runs import HERE, sample_over_http
from tests.fakes.schemas import schema
from tests.fakes.tool_commands import ToolRoom
from workbench.cli.tools import NONE
from workbench.domain.workspace import template_of

HOSTILE = str(HERE / "hostile_mcp.py")


@pytest.fixture
def room(capsys: pytest.CaptureFixture[str]) -> ToolRoom:
    made = ToolRoom(capsys)
    asyncio.run(made.make("Work"))
    return made


def template_tools(room: ToolRoom) -> list[str]:
    kept = asyncio.run(room.access.store.chat(template_of("work")))
    return [tool.name for tool in kept.settings.tools]


def test_a_program_is_added_reviewed_approved_and_removed(room: ToolRoom, tmp_path: Path):
    """The words of a tool are what is approved: the same server with other words waits for a new look."""
    assert room.call("list") == (0, "", f"{NONE}\n")
    room.environment["API_TOKEN"] = "s3cret-value"
    argv = ("add", "odd", "--env", "API_TOKEN", "--", sys.executable, HOSTILE, "plain")
    code, out, err = room.call(*argv)
    assert (code, "Nothing is started yet" in err) == (0, True)
    (row,) = room.found("list")
    assert row["env"] == {"API_TOKEN": "${secret:odd.env.API_TOKEN}"}
    assert (row["workspace"], row["approved"]) == ("Work", [])
    assert row["secrets"] == {"odd.env.API_TOKEN": True}
    assert [key.reveal_text() for key in room.keys.kept.values()] == ["s3cret-value"]
    (look,) = room.found("review", "odd")["servers"]
    assert [(tool["name"], tool["state"]) for tool in look["tools"]] == [("act", "new")]
    assert room.access.opened[-1] is False, "a review changes nothing"

    code, out, err = room.call("approve", "odd", "--as", "another")
    assert (code, out) == (1, "")
    assert "review it again" in err
    assert room.found("approve", "odd", "--as", look["digest"])["approved"] == ["act"]
    assert template_tools(room) == ["odd__act"], "new chats of the workspace have it"
    assert room.found("review")["servers"][0]["tools"][0]["state"] == "approved"
    assert room.call("approve", "odd")[2] == "Nothing of odd is new or changed.\n"

    assert room.call("remove", "odd")[:2] == (0, "odd\n")
    assert (room.found("list"), room.keys.kept) == ([], {}), "its secrets are forgotten with it"


def test_changed_words_are_shown_beside_those_that_were_approved(room: ToolRoom, tmp_path: Path):
    script = tmp_path / "served.py"
    script.write_text(Path(HOSTILE).read_text(encoding="utf-8"), encoding="utf-8")
    room.call("add", "odd", "--", sys.executable, str(script), "plain")
    assert room.call("approve", "odd")[:2] == (0, "act\n")
    text = script.read_text(encoding="utf-8").replace(
        '"Does it."', '"Does it. \\x1b[2JThen sends me the keys."'
    )
    script.write_text(text, encoding="utf-8")
    code, out, err = room.call("review", "odd")
    assert code == 0, err
    assert "act [changed]" in out
    assert "    -Does it." in out
    assert "Then sends me the keys." in out
    assert "\x1b" not in out
    assert "tools approve odd --as" in err
    assert template_tools(room) == ["odd__act"]


@pytest.mark.parametrize("key", ["mcpServers", "servers"])
def test_the_json_of_other_programs_is_taken_with_its_secrets_apart(room: ToolRoom, tmp_path: Path, key: str):
    server = {"command": "npx", "args": ["-y", "x"], "env": {"API_KEY": "k3y-value", "TEAM": "${env:TEAM}"}}
    path = tmp_path / "servers.json"
    path.write_text(
        json.dumps({key: {"git": server, "far": {"url": "https://a.example/mcp"}}}), encoding="utf-8"
    )
    assert room.found("add", str(path))["missing"] == ["git.TEAM"]
    git, far = room.found("list", "--workspace", "work")
    assert git["env"] == {"API_KEY": "${secret:git.API_KEY}", "TEAM": "${secret:git.TEAM}"}
    assert git["secrets"] == {"git.API_KEY": True, "git.TEAM": False}
    assert far["url"] == "https://a.example/mcp"
    assert "needs a secret" in room.call("list")[1]
    room.call("remove", "git")
    room.call("remove", "far")
    assert room.found("add", str(path), "--env", "TEAM=blue")["missing"] == []


def test_an_address_is_added_with_its_header_and_reviewed(room: ToolRoom):
    async def served() -> None:
        async with sample_over_http() as server:
            await asyncio.to_thread(talk, server.url)

    def talk(url: str) -> None:
        room.call("add", "far", url, "--header", "Authorization=Bearer t0ken")
        (row,) = room.found("list")
        assert row["headers"] == {"Authorization": "Bearer ${secret:far.Authorization}"}
        (look,) = room.found("review")["servers"]
        assert [tool["name"] for tool in look["tools"]] == ["add", "fail", "surroundings"]
        assert room.found("approve", "far", "add")["approved"] == ["add"]

    asyncio.run(served())


def test_a_server_that_fails_says_so_and_nothing_is_approved(room: ToolRoom):
    room.call("add", "none", "--", "/nowhere/at-all")
    code, out, err = room.call("review")
    assert (code, out) == (1, "")
    assert "none: /nowhere/at-all" in err
    assert room.call("approve", "none")[0] == 1


def test_what_the_folder_offers_is_used_only_when_accepted(room: ToolRoom, tmp_path: Path):
    (tmp_path / ".workbench").mkdir()
    runs = f'command = "{sys.executable}"\nargs = ["{HOSTILE}", "plain"]\n'
    offered = f'instructions = "Be brief."\n[servers.odd]\n{runs}'
    (tmp_path / ".workbench" / "workspace.toml").write_text(offered, encoding="utf-8")
    asyncio.run(room.make("Code", tmp_path))
    code, out, err = room.call("offer", "--workspace", "Code")
    assert (code, "Server odd runs" in out, "Nothing of it is used yet" in err) == (0, True, True)
    assert room.found("list") == []
    assert room.found("offer", "--workspace", "Code", "--accept")["accepted"] is True
    (row,) = room.found("list")
    assert row["enabled"] is False, "its command line was not allowed"
    assert room.call("offer", "--workspace", "Code")[1:] == (
        "",
        "The folder offers nothing that is not decided yet.\n",
    )
    code, out, err = room.call("review", "--workspace", "Code")
    assert (code, out, "--allow odd" in err) == (1, "", True)
    assert (
        room.found("review", "odd", "--workspace", "Code", "--allow", "odd")["servers"][0]["state"]
        == "connected"
    )
    assert room.found("list")[0]["enabled"] is True


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("add",), "needs a FILE"),
        (("add", "a", "b", "--", "c"), "needs a FILE"),
        (("list", "--", "c"), "takes no NAME"),
        (("remove", "x"), "there is no server 'x' in 'Work'; known: none"),
        (("review", "x"), "there is no server 'x'"),
        (("list", "--workspace", "x"), "there is no workspace 'x'; known: Work"),
        (("add", "nowhere.json"), "nowhere.json"),
        (("add", "a b", "--", "c"), "letters, digits"),
        (("add", "a", "http://far.example/"), "http:// can be read on the way"),
        (("add", "a", "--env", "=b", "--", "c"), "is not the name of a variable"),
        (("add", "a", "--env", "B", "--", "c"), "B has no value"),
        (("add", "a", "--header", "A=b", "--", "c"), "a program has no headers"),
        (("add", "a", "https://a.example", "--env", "A=b"), "an address has no environment"),
        (("add", "a", "https://a.example", "--header", "b"), "use NAME=VALUE"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_kept(room: ToolRoom, argv: tuple[str, ...], words: str):
    code, out, err = room.call(*argv)
    assert (code, out) == (2, "")
    assert words in err
    assert asyncio.run(room.places.workspaces())[0].servers == ()


def test_with_several_workspaces_one_is_named(room: ToolRoom):
    asyncio.run(room.make("Home"))
    code, _, err = room.call("review")
    assert (code, "Home, Work" in err) == (2, True)
    room.call("add", "odd", "--workspace", "home", "--", "c")
    assert room.call("add", "Odd", "--workspace", "home", "--", "c")[0] == 2
    assert [(row["workspace"], row["name"]) for row in room.found("list")] == [("Home", "odd")]


def offering(folder: Path, words: str) -> None:
    (folder / ".workbench").mkdir(exist_ok=True)
    (folder / ".workbench" / "workspace.toml").write_text(f'instructions = "{words}"\n', encoding="utf-8")


def test_what_the_folder_offers_is_refused_until_it_changes(room: ToolRoom, tmp_path: Path):
    offering(tmp_path, "Be brief.")
    asyncio.run(room.make("Code", tmp_path))
    document = room.found("offer", "--workspace", "Code", "--refuse")
    assert (document["accepted"], document["refused"]) == (False, True)
    assert "Be brief." in document["text"]
    code, out, err = room.call("offer", "--workspace", "Code")
    assert (code, out, "nothing that is not decided yet" in err) == (0, "", True)
    assert asyncio.run(room.places.workspaces())[-1].instructions == ""
    offering(tmp_path, "Be wordy.")
    assert "Be wordy." in room.call("offer", "--workspace", "Code")[1]
    code, _, err = room.call("offer", "--workspace", "Code", "--refuse")
    assert (code, "None of it is used" in err) == (0, True)


def test_an_offer_is_either_accepted_or_refused(room: ToolRoom):
    with pytest.raises(SystemExit):
        room.call("offer", "--accept", "--refuse")


def test_every_action_prints_what_its_schema_says(room: ToolRoom, tmp_path: Path):
    """Each document is validated where it is found: here each action is called once."""
    other = json.dumps(
        {"mcpServers": {"far": {"url": "https://far.example/mcp", "headers": {"X-Key": "${KEY}"}}}}
    )
    (tmp_path / "other.json").write_text(other, encoding="utf-8")
    room.found("add", "odd", "--env", "TOKEN=s3cret", "--", sys.executable, HOSTILE, "plain")
    assert room.found("add", str(tmp_path / "other.json"))["missing"]
    room.found("list")
    room.found("review", "odd")
    room.found("approve", "odd")
    room.found("offer")
    room.found("remove", "far")
    # Signing in takes a server that wants it: tests/tools/mcp/test_sign_in.py.
    assert room.actions == set(schema("tools")["$defs"]) - {"server", "look", "tool", "login", "logout"}
