"""Rounds of chaos: a person uses the program, something happens to it, and what they saw as kept is looked for."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import random
import select
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.chaos.facts import Account
from tests.chaos.person import PASSPHRASE, Person, found_facts, open_workbench
from tests.chaos.processes import PRELOADED, alive, command_of, descendants, fork, vandal, wait_for
from tests.fakes.made_pdf import made_pdf
from tests.storage.faults.power_cuts import Disk, read_journal
from workbench.domain.errors import WorkbenchError

LIVES = 10
"""Rounds in one data folder: enough for it to grow old, few enough to look through all of it each time."""
ACTS = 60
_LEFT_S = 8.0
_REFUSED = 3
_PROMISED_DRAFT_S = 1.0


@dataclass
class Tally:
    """What happened so far.

    Attributes:
        acts: done, by kind. rounds: by what happened in them. refused: acts that ended with a message.
        acknowledged: facts that were looked for again. lost: what of them was not there, with its round.
        worst_wait_s: the longest that an act took.
        draft_s, answer_s: for how long something newer had been shown than the draft, or the part of an answer, that
            came back. late: drafts that were older than is promised.
    """

    acts: Counter[str] = field(default_factory=Counter)
    rounds: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    acknowledged: int = 0
    lost: list[str] = field(default_factory=list)
    worst_wait_s: float = 0.0
    worst_act: str = ""
    draft_s: float = 0.0
    draft_in: str = ""
    late: list[str] = field(default_factory=list)
    answer_s: float = 0.0
    answer_in: str = ""


class Round:
    """One life of the program, from its start to its end."""

    def __init__(self, place: Path, models: Sequence[str], seed: str, tally: Tally, window: bool) -> None:
        self.place, self.models, self.seed, self.tally, self.window = place, models, seed, tally, window
        self.choice = random.Random(seed)
        self.account = Account()
        self.data = place / "data"
        self.began = self.slept = False
        self.ended_at = 0.0

    # What a fork does.

    def work(self, to: int, prepare: Callable[[], None]) -> None:
        prepare()
        # Where programs are led that the watch passes on.
        os.environ["OPENAI_BASE_URL"] = next(url for url in self.models if "/slow/" in url)[7:].partition(
            "#"
        )[0]
        run = self._in_window if self.window else self._headless
        try:
            run(to)
        except WorkbenchError:  # a disk that fails while the store, or a chat, is opened
            os._exit(_REFUSED)

    def _headless(self, to: int) -> None:
        async def live() -> None:
            workbench, _ = await open_workbench(self.place)
            await Person(workbench, random.Random(self.seed), self.place / "files", self.models, to).live(
                ACTS
            )
            await workbench.close()

        asyncio.run(live())

    def _in_window(self, to: int) -> None:
        from tests.chaos.window import live_in_window

        live_in_window(self.place, lambda bench: Person(
            bench, random.Random(self.seed), self.place / "files", self.models, to
        ), ACTS)  # fmt: skip

    # What its parent does.

    def run(self, prepare: Callable[[], None], meanwhile: Callable[[int], None], seconds: float) -> None:
        """Start the program, let something happen, and kill it after so long unless it has ended."""
        reading, writing = os.pipe()
        child = fork(lambda: self.work(writing, prepare))
        os.close(writing)
        children: set[int] = set()
        until = time.monotonic() + 120
        while time.monotonic() < until:
            if not self._listen(reading, 0.05):
                break
            children |= set(descendants(child))
            if self.began and until > self._start + seconds:
                until = self._start + seconds
            if self.began:
                meanwhile(child)
        self.ended_at = time.monotonic()
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGCONT)
            os.kill(child, signal.SIGKILL)
        while self._listen(reading, 0.2):
            pass
        os.close(reading)
        _, status = os.waitpid(child, 0)
        code = os.waitstatus_to_exitcode(status)
        if code == _REFUSED:
            self.tally.refused["start, or a chat: it was refused with a message"] += 1
        elif code not in (0, -signal.SIGKILL):
            self.tally.lost.append(f"{self.seed}: the program ended by an error of its own")
        self._look_for(children)

    _rest = b""
    _start = 0.0
    _act = ""

    def _listen(self, reading: int, seconds: float) -> bool:
        """Hear what the person says; False when nobody speaks any more."""
        ready, _, _ = select.select([reading], [], [], seconds)
        if not ready:
            return not (self.ended_at and time.monotonic() > self.ended_at + 5)
        told = os.read(reading, 1 << 20)
        *lines, self._rest = (self._rest + told).split(b"\n")
        for line in lines:
            self._hear(json.loads(line))
        return bool(told)

    def _hear(self, told: dict[str, Any]) -> None:
        account = self.account
        if not self.began:
            self.began, self._start = True, time.monotonic()
        account.running = tuple(told.get("running", account.running))
        self._act = told.get("act", self._act)
        if "shown" in told:
            account.acknowledge(told["shown"], told["at"])
        account.acting = tuple(told.get("touches", account.acting))
        if "partial" in told:
            chat, question, size = told["partial"]
            account.grew(chat, question, size, told["at"])
        if "ended" in told:
            self._count(told["ended"], told["took"])

    def _count(self, ended: str, took_s: float) -> None:
        tally = self.tally
        tally.acts[self._act] += 1
        if took_s > tally.worst_wait_s:
            tally.worst_wait_s, tally.worst_act = took_s, f"{self._act} in {self.seed}"
        if ended == "hung":
            tally.lost.append(f"{self.seed}: {self._act} did not end")
        elif ended != "done":
            tally.refused[f"{self._act}: {ended[9:70]}"] += 1

    def _look_for(self, children: set[int]) -> None:
        """No process that the program started outlives it for long."""
        until = time.monotonic() + _LEFT_S
        while (left := [one for one in children if alive(one)]) and time.monotonic() < until:
            time.sleep(0.05)
        if left:
            names = ", ".join(map(command_of, left))
            self.tally.lost.append(f"{self.seed}: these outlived the program: {names}")
            for one in left:
                with suppress(ProcessLookupError):
                    os.kill(one, signal.SIGKILL)

    def compare(self) -> None:
        """Start the program again and hold what it shows against what was acknowledged."""
        found = in_fork(lambda: asyncio.run(found_facts(self.place)))
        if isinstance(found, str):
            self.tally.lost.append(f"{self.seed}: it does not start again: {found}")
            return
        facts: dict[str, str] = found["facts"]
        self.tally.acknowledged += len(self.account.kept)
        self.tally.lost += [f"{self.seed}: {one}" for one in self.account.lost(facts)]
        self.tally.lost += [f"{self.seed}: the store's check says {one}" for one in found["problems"]]
        if self.slept:
            return
        for key, text in facts.items():
            if key.startswith("draft "):
                age = self.account.draft_age_s(key.split()[1], text, self.ended_at)
                if age > _PROMISED_DRAFT_S:
                    shown = [one for _, one in self.account.drafts[key.split()[1]][-3:]]
                    self.tally.late.append(f"{self.seed}: {age:.2f} s: {text!r} after {shown}")
                if age > self.tally.draft_s:
                    self.tally.draft_s, self.tally.draft_in = age, self.seed
        for key in self.account.running:
            size = found["partial"].get(key, 0)
            missed = [at for at, shown in self.account.partials.get(key, []) if shown > size]
            if missed and self.ended_at - missed[0] > self.tally.answer_s:
                self.tally.answer_s, self.tally.answer_in = self.ended_at - missed[0], self.seed


def in_fork(work: Callable[[], Any]) -> Any:
    """What something comes to in a fork of this process; the message where it raised one of ours."""
    reading, writing = os.pipe()

    def run() -> None:
        os.close(reading)
        try:
            result = work()
        except WorkbenchError as problem:
            result = f"{type(problem).__name__}: {problem}"
        with os.fdopen(writing, "w") as to:
            json.dump(result, to)

    child = fork(run)
    os.close(writing)
    with os.fdopen(reading) as told:
        said = told.read()
    os.waitpid(child, 0)
    return json.loads(said) if said else "an error of its own"


# What may happen. Each prepares the fork, acts on it from outside, or changes what lies on the disk afterwards.


def killed(one: Round) -> None:
    one.run(lambda: None, lambda child: None, one.choice.uniform(0.05, 3.0))


def closed(one: Round) -> None:
    """It ends by itself, as when somebody closes it."""
    one.run(lambda: None, lambda child: None, 120)
    one.ended_at = time.monotonic()
    one.account.acting = ()


def write_fails(one: Round) -> None:
    error = one.choice.choice((errno.EIO, errno.ENOSPC))
    number, many = one.choice.randrange(400), one.choice.choice((1, 1, 3, 50, 10_000))
    folder = str(one.data).encode()
    one.run(
        lambda: PRELOADED.fail_from(folder, number, many, error), lambda child: None, one.choice.uniform(1, 4)
    )


def power_cut(one: Round) -> None:
    journal = one.place / "journal"
    journal.unlink(missing_ok=True)
    before = {str(path): path.read_bytes() for path in one.data.rglob("*") if path.is_file()}
    folder, name = str(one.data).encode(), str(journal).encode()
    one.run(lambda: PRELOADED.begin_recording(folder, name), lambda child: None, one.choice.uniform(0.3, 3.0))
    disk = Disk(before)
    for event in read_journal(journal) if journal.exists() else ():
        disk.see(event)
    for path in [path for path in one.data.rglob("*") if path.is_file()]:
        path.unlink()
    for name_of, content in disk.image(one.choice.choice(("none", "some", "all")), one.choice).items():
        Path(name_of).write_bytes(content)
        Path(name_of).chmod(0o600)
    journal.unlink(missing_ok=True)


def clock_jumps(one: Round) -> None:
    shift = one.choice.choice((-86_400 * 400, -3600, 3600, 86_400 * 30, 86_400 * 3650))
    one.run(lambda: PRELOADED.shift_clock(shift), lambda child: None, one.choice.uniform(0.5, 3.0))


def sleeps(one: Round) -> None:
    """The machine sleeps in the middle of something, and wakes."""

    def nap(child: int) -> None:
        if one.choice.random() < 0.1:
            one.slept = True
            os.kill(child, signal.SIGSTOP)
            time.sleep(one.choice.uniform(0.1, 1.0))
            os.kill(child, signal.SIGCONT)

    one.run(lambda: None, nap, one.choice.uniform(1.0, 4.0))


def files_swapped(one: Round) -> None:
    with vandal(one.place / "files", one.choice.getrandbits(30)):
        one.run(lambda: None, lambda child: None, one.choice.uniform(1.0, 4.0))
    fill_files(one.place / "files")


def children_die(one: Round) -> None:
    """Readers of documents, servers of tools and the built-in model."""
    one.models = [*one.models, *["builtin"] * len(one.models)]

    often = one.choice.choice((0.5, 0.05, 0.02))  # a model lives longer than a reader

    def kill_one(child: int) -> None:
        for started in descendants(child):
            if one.choice.random() < often:
                with suppress(ProcessLookupError):
                    os.kill(started, signal.SIGKILL)

    one.run(lambda: None, kill_one, one.choice.uniform(1.0, 15.0))


def second_program(one: Round) -> None:
    """Somebody asks and looks by commands in the same folder while the program runs: both write, neither loses."""
    codes: list[int] = []
    ask = ("ask", "Hello?", "--model", next(model for model in one.models if "/good/" in model))

    def start(child: int) -> None:
        if len(codes) < 2:
            codes.append(_command(one, *(("history", "list") if codes else ask)))

    one.run(lambda: None, start, one.choice.uniform(2.0, 4.0))
    if set(codes) - {0}:
        one.tally.lost.append(f"{one.seed}: commands beside the program ended with {codes}")


def damaged(one: Round) -> None:
    """Files of the store are cut, emptied or spoiled: the program says so, and leaves them as they are."""
    killed(one)
    one.compare()
    one.account.kept.clear()
    kept = one.place / "kept"
    shutil.rmtree(kept, ignore_errors=True)
    shutil.copytree(one.data, kept)
    victim = one.choice.choice(
        [path for path in one.data.iterdir() if path.name in ("store.db", "keys.json")]
    )
    content = victim.read_bytes()
    place = one.choice.randrange(len(content))
    spoilt = one.choice.choice(
        (content[:place], b"", content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
    )
    victim.write_bytes(spoilt)
    found = in_fork(lambda: asyncio.run(found_facts(one.place)))
    if not isinstance(found, str) and not found["problems"]:
        one.account.kept = {}
        whole = in_fork(lambda: asyncio.run(found_facts(one.place)))["facts"]
        shutil.rmtree(one.data)
        shutil.copytree(kept, one.data)
        expected = in_fork(lambda: asyncio.run(found_facts(one.place)))["facts"]
        missing = expected.keys() - whole.keys()
        one.tally.lost += [
            f"{one.seed}: silently gone from a damaged {victim.name}: {key}" for key in missing
        ]
    elif victim.exists() and victim.stat().st_size < len(spoilt):
        one.tally.lost.append(f"{one.seed}: a damaged {victim.name} was made smaller")
    shutil.rmtree(one.data)
    shutil.copytree(kept, one.data)
    shutil.rmtree(kept)


def _command(one: Round, *words: str) -> int:
    """The exit code of a command of the program, in a fork."""

    def run() -> None:
        from workbench.__main__ import main

        os.environ["WORKBENCH_PASSPHRASE"] = PASSPHRASE.reveal_text()
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nowhere, stream)
        os._exit(main([*words, "--data-dir", str(one.data)]))

    status = wait_for(fork(run), 60)
    return -1 if status is None else os.waitstatus_to_exitcode(status)


EVENTS: dict[str, Callable[[Round], None]] = {
    "killed": killed, "power cut": power_cut, "a write fails": write_fails, "closed": closed,
    "the clock jumps": clock_jumps, "sleeps and wakes": sleeps, "files are swapped": files_swapped,
    "children die": children_die, "a second program": second_program, "store damaged": damaged,
}  # fmt: skip


def fill_files(files: Path) -> None:
    """What a person attaches: texts of some length, and documents that a process of its own reads."""
    shutil.rmtree(files, ignore_errors=True)
    files.mkdir(parents=True)
    for number in range(6):
        (files / f"note{number}.md").write_text(
            f"# Note {number}\n" + f"line {number} of the note\n" * 20 * (number + 1)
        )
    (files / "code.py").write_text("def f(x):\n    return x\n\n" * 30)
    (files / "paper.pdf").write_bytes(made_pdf(["A page of a paper about rivers.", "Another page."]))


@contextmanager
def told_to(log: Path | None) -> Iterator[None]:
    """Errors that the program prints go into a file."""
    with ExitStack() as stack:
        if log is not None:
            before = os.dup(2)
            to = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            os.dup2(to, 2)
            stack.callback(os.dup2, before, 2)
        sys.stderr.flush()
        yield


def rounds(
    place: Path, models: Sequence[str], seed: int, tally: Tally, windows: bool = True
) -> Iterator[str]:
    """One round after the other, without end; each is reproduced by its name, which is its seed."""
    for number in range(10**9):
        name = f"{seed}.{number}"
        choice = random.Random(f"what happens in {name}")
        if number % LIVES == 0:
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir(parents=True, mode=0o700)
            fill_files(place / "files")
            in_fork(lambda: asyncio.run(found_facts(place)))
        what = (
            choice.choice(list(EVENTS)) if choice.random() < 0.7 else choice.choice(("killed", "power cut"))
        )
        one = Round(place, models, name, tally, windows and choice.random() < 0.3)
        EVENTS[what](one)
        one.compare()
        tally.rounds[what + (" (window)" if one.window else "")] += 1
        yield f"{name} {what}{' with its window' if one.window else ''}"
