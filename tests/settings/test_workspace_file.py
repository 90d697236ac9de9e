"""A folder's own file for its workspace: strict, by path, and without whatever it may not say."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.domain.errors import InvalidInput
from workbench.domain.folder_offer import FolderOffer
from workbench.domain.mcp_server import McpServer
from workbench.settings.workspace_file import FILE, MOST_BYTES, parse_offer, read_offer

WHOLE = """
name = "Payments"
instructions = "Be brief.\u202e"
instructions_mode = "replace"
files = ["README.md", "docs/**/*.md"]
model = "builtin"

[settings]
layout = "auto"
history.threshold = false

[servers.git]
command = "uvx"
args = ["mcp-server-git", "--repository", "${workspaceFolder}"]
env = {GITHUB_TOKEN = "${secret:git.token}"}
"""


def folder_with(tmp_path: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    return tmp_path


def test_everything_it_may_say(tmp_path: Path):
    content = WHOLE.encode()
    read = read_offer(str(folder_with(tmp_path, {FILE: content})))
    arguments = ("mcp-server-git", "--repository", "${workspaceFolder}")
    assert read == FolderOffer(
        hashlib.sha256(content).hexdigest(),
        "Payments",
        "Be brief.<U+202E>",
        "replace",
        ("README.md", "docs/**/*.md"),
        "builtin",
        {"layout": "auto", "history": {"threshold": None}},
        (McpServer("git", "uvx", arguments, {"GITHUB_TOKEN": "${secret:git.token}"}, enabled=False),),
        {"git.token": ""},
    )


def test_files_of_instructions_are_found_with_their_text(tmp_path: Path):
    folder = folder_with(
        tmp_path,
        {
            "AGENTS.md": b"Use tabs.\r\n",
            "CLAUDE.md": "Hidden \U000e0041 words".encode(),
            ".cursorrules": b"\xff\xfe",
            ".github/copilot-instructions.md": b"Be kind.",
        },
    )
    read = read_offer(str(folder))
    assert [(one.path, one.text) for one in read.found] == [
        ("AGENTS.md", "Use tabs.\n"),
        ("CLAUDE.md", "Hidden <U+E0041> words"),
        (".github/copilot-instructions.md", "Be kind."),
    ]
    assert read.found[0].digest == hashlib.sha256(b"Use tabs.\r\n").hexdigest()
    assert (read.digest, read.name) == ("", "")
    assert read.notes == (
        "CLAUDE.md: it holds characters that are not seen; they are shown as their codes.",
        ".cursorrules: it is not text in UTF-8; it is not offered.",
    )


def test_nothing_is_offered_by_an_empty_folder(tmp_path: Path):
    assert read_offer(str(tmp_path)) == FolderOffer()
    with pytest.raises(InvalidInput, match="cannot be read"):
        read_offer(str(tmp_path / "none"))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("name = 5", "name: expected a string, got 5"),
        ('name = "a\\nb"', "name: expected one line"),
        ('name = "a\\u202eb"', "name: expected one line"),
        ('title = "x"', "title: unknown field"),
        ('instructions_mode = "both"', 'instructions_mode: expected one of "replace", "add"'),
        ('files = "a"', "files: expected a list"),
        ('files = ["a", "../b"]', r"files\[1\]: expected a path below the folder"),
        ('files = ["/etc/passwd"]', "expected a path below the folder"),
        ('files = ["~/a"]', "expected a path below the folder"),
        ('files = ["C:/a"]', "expected a path below the folder"),
        ("files = [" + '"a", ' * 201 + "]", "more than 200 files"),
        ('[settings]\nlayout = "odd"', "settings.layout: expected one of"),
        ("[settings]\nlayuot = 1", "settings.layuot: unknown field; did you mean"),
        ('[settings]\nuser_memory = "x"', "settings.user_memory: this is not set here"),
        ("[settings]\ntools = []", "settings.tools: this is not set here"),
        ('rules = ["allow all"]', "rules: a folder's file cannot say what is allowed"),
        (
            '[servers.a]\ncommand = "x"\nautoApprove = ["*"]',
            "servers.a.autoApprove: a folder's file cannot say",
        ),
        ("[secrets]\na = 1", "secrets: no secrets belong"),
        (
            '[servers.a]\ncommand = "x"\nenv = {API_KEY = "hunter2"}',
            "servers.a.env.API_KEY: looks like a secret",
        ),
        ('[servers.a]\ncommand = "x"\nenv = {DBPASSWORD = "hunter2"}', "a.DBPASSWORD looks like a secret"),
        (
            '[servers.a]\nurl = "https://a.example/"\nheaders = {X-Org = "acme"}',
            "a.X-Org looks like a secret",
        ),
        ('[servers.a]\nurl = "http://a.example/"', "servers.a: http:// can be read on the way"),
        ('model = "openai:sk-abcdef1234567890"', "model: looks like a secret"),
        ("servers = 5", "servers: expected an object"),
        ("[servers]\na = 5", "servers.a: expected an object"),
        ("name = ", "not valid TOML"),
        ("a = " + "[" * 5000, "not valid TOML"),
        ("name = 2020-01-01", "name: expected a string"),
    ],
)
def test_what_is_wrong_is_said_by_its_place(text: str, says: str):
    with pytest.raises(InvalidInput, match=says) as refused:
        parse_offer(text)
    assert "hunter2" not in str(refused.value)
    assert str(refused.value).startswith(FILE)


def test_what_is_too_large_is_refused(tmp_path: Path):
    folder = folder_with(tmp_path, {FILE: b"#" * (MOST_BYTES + 1), "AGENTS.md": b"x" * (MOST_BYTES + 1)})
    with pytest.raises(InvalidInput, match="larger than 256 KB"):
        read_offer(str(folder))
    (folder / FILE).write_bytes(b"")
    assert read_offer(str(folder)).notes == ("AGENTS.md: it is larger than 256 KB; it is not offered.",)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
def test_no_link_is_followed_and_no_pipe_waited_for(tmp_path: Path):
    """A repository could carry a link to somebody's own files, which would then be sent as instructions."""
    outside = folder_with(tmp_path / "outside", {"secret": b"s3cret", "workspace.toml": b'name = "x"'})
    folder = folder_with(tmp_path / "in", {"a": b""})
    (folder / "AGENTS.md").symlink_to(outside / "secret")
    os.mkfifo(folder / "CLAUDE.md")
    (folder / ".github").symlink_to(outside)
    read = read_offer(str(folder))
    assert read.found == ()
    assert [note.split(": ")[1][:12] for note in read.notes] == ["it is a link"] * 3
    (folder / ".workbench").symlink_to(outside)
    with pytest.raises(InvalidInput, match="links are not followed"):
        read_offer(str(folder))


@given(st.text())
def test_any_text_is_an_offer_or_refused(text: str):
    try:
        offer = parse_offer(text)
    except InvalidInput:
        return
    assert isinstance(offer, FolderOffer)


@pytest.mark.parametrize("dot", [".", " . "])
def test_a_name_of_thousands_of_parts_is_refused_at_once(dot: str) -> None:
    """Python's own reader takes 36 s for the largest file of this kind: a folder could keep the program busy."""
    with pytest.raises(InvalidInput, match="more than 100 parts"):
        parse_offer(f"[servers{f'{dot}a' * 20_000}]\n")
    assert parse_offer(f'instructions = """\nChapter 1 {"." * 500} 5\n"""\n').instructions
