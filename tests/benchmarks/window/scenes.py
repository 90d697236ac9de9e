"""Data folders for the window: a store of its own with the chats that a scene is about, asked of a script."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tests.benchmarks.running.workload import Words
from tests.fakes.archives import plain_archive
from workbench.domain.message import Message
from workbench.domain.record import ChatArchive
from workbench.domain.secrets import Secret
from workbench.domain.settings.context_settings import ContextSettings
from workbench.ports.history import HistoryStore
from workbench.ui.given import Choice
from workbench.wiring.window import FolderGiven

PASSPHRASE = "a passphrase for benchmarks"
WINDOW_TOKENS = 20_000_000
ANSWER = "That is all there is to say about it, and it is said in one line.\n"


def surroundings(display: str = "", unlocked: bool = True) -> dict[str, str]:
    """What a program of a scene needs around it."""
    more = {"WORKBENCH_PASSPHRASE": PASSPHRASE} if unlocked else {}
    more |= {"DISPLAY": display, "QT_QPA_PLATFORM": "xcb"} if display else {}
    return {**os.environ, "PYTHONPATH": os.environ.get("PYTHONPATH", os.getcwd()), **more}


def data_folder(place: Path) -> Path:
    """An empty one: new chats ask a script, and nobody is greeted."""
    folder, script = place / "data", place / "answer.txt"
    folder.mkdir(mode=0o700, parents=True)
    script.write_text(ANSWER, encoding="utf-8")
    lines = f'model = "{model(folder)}"\n[context]\ncontext_window = {WINDOW_TOKENS}\n'
    (folder / "settings.toml").write_text(lines, encoding="utf-8")
    return folder


def model(folder: Path) -> str:
    """The script that a folder's chats ask."""
    return f"scripted:{(folder.parent / 'answer.txt').as_posix()}"


def chat(folder: Path, key: str, turns: int) -> ChatArchive:
    """A chat of so many turns, each a question and an answer of a few lines."""
    words, said = Words(turns), []
    for number in range(turns):
        said.append(Message(f"{key} u{number}", "user", (words.text(50),)))
        said.append(Message(f"{key} a{number}", "assistant", (words.text(110),)))
    archive = plain_archive(*said, chat=key, title=f"A chat of {turns:,} turns")
    settings = ContextSettings(model=model(folder), context_window=WINDOW_TOKENS)
    return replace(archive, chat=replace(archive.chat, settings=settings))


def fill(folder: Path, chats: Sequence[ChatArchive]) -> None:
    """Make the store, and put chats into it."""

    async def filled() -> None:
        store = await opened(folder)
        for archive in chats:
            await store.adopt(archive, own=True)
        await store.close()

    asyncio.run(filled())


async def opened(folder: Path) -> HistoryStore:
    """The store of a folder, made where there is none."""
    given = FolderGiven(Namespace(data_dir=str(folder), key_file=None)).given()
    secret = Secret.of_text(PASSPHRASE)
    if not given.store_exists():
        await given.create(Choice(secret, keyring=False))
    return await given.open(secret)


def scene_of_turns(place: Path, *turns: int) -> Path:
    """A folder with a chat of each length; the last is in view when the window opens."""
    folder = data_folder(place)
    fill(folder, [chat(folder, f"chat {place}", length) for place, length in enumerate(turns)])
    return folder


def scene_of_files(place: Path, number: int) -> Path:
    """A folder with one chat and so many files attached, by the command that people use."""
    folder, files, words = data_folder(place), place / "files", Words(number)
    files.mkdir()
    for name in range(number):
        (files / f"file{name:03}.md").write_text(words.text(400), encoding="utf-8")
    command = [sys.executable, "-m", "workbench", "ask", "--data-dir", str(folder)]
    command += ["--attach", f"{files}/*.md", "--yes", "What is in them?"]
    done = subprocess.run(command, env=surroundings(), capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"the files could not be attached: {done.stderr[-500:]}")
    return folder
