"""What other users of the computer, and other programs of the same user, get of the program's files and memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or os.getuid() != 0, reason="other users are made by root only, as Linux has them"
)
NOBODY = 65534
SAMPLE = [{"role": "user", "content": "my secret diary"}, {"role": "assistant", "content": "I see."}]
RUN = "import os, sys; os.umask(0); from workbench.__main__ import main; sys.exit(main())"

# A program and its attacker, both of the same user, who is not root. The program says when it is ready; the attacker
# looks at it in every way there is, and prints those that the system let it.
SAME_USER = """
import ctypes, os, resource, signal, sys
from workbench.files.core_dumps import forbid_core_dumps
libc, ready = ctypes.CDLL(None), os.pipe()
os.setgroups([]); os.setgid(65534); os.setuid(65534)
libc.prctl(4, 1, 0, 0, 0)  # as every program is that was started by its user
program = os.fork()
if not program:
    if sys.argv[1] == "ours":
        forbid_core_dumps()
    os.write(ready[1], b"x")
    signal.pause()
os.read(ready[0], 1)
def memory():
    start = int(open(f"/proc/{program}/maps").readline().split("-")[0], 16)
    with open(f"/proc/{program}/mem", "rb", 0) as there:
        there.seek(start)
        there.read(8)
def debugger():
    if libc.ptrace(16, program, 0, 0) != 0:
        raise PermissionError
    os.waitpid(program, 0)
    libc.ptrace(17, program, 0, 0)
ways = {"environment": lambda: open(f"/proc/{program}/environ").read(), "memory": memory, "debugger": debugger,
    "files": lambda: os.listdir(f"/proc/{program}/fd")}
for name, look in ways.items():
    try:
        look()
        print(name, flush=True)
    except PermissionError:
        pass
os.kill(program, signal.SIGKILL)
"""


@pytest.fixture
def home() -> Iterator[Path]:
    """A folder that every user may enter, as home folders are on many systems."""
    with tempfile.TemporaryDirectory() as made:
        Path(made).chmod(0o755)
        yield Path(made)


def opens_as_nobody(path: Path) -> bool:
    done = subprocess.run(
        ["ls" if path.is_dir() else "cat", path],
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
        capture_output=True,
    )
    return done.returncode == 0


def test_another_user_opens_none_of_the_program_s_files(home: Path):
    """Whatever the user's own habit is for new files: here everybody might read and write them."""
    (home / "chat.json").write_text(json.dumps(SAMPLE), encoding="utf-8")
    environment = {
        "PATH": os.defpath, "HOME": str(home), "WORKBENCH_PASSPHRASE": "correct horse battery staple",
        "WORKBENCH_DATA_DIR": str(home / "data"), "PYTHONPATH": str(Path(__file__).parents[2]),
    }  # fmt: skip
    for command in (["history", "import", "chat.json"], ["history", "backup", "saved"], ["keys", "rotate"]):
        subprocess.run(
            [sys.executable, "-c", RUN, *command], cwd=home, env=environment, check=True, capture_output=True
        )
    made = [path for path in home.rglob("*") if path.name != "chat.json"]
    assert {"store.db", "keys.json", "saved"} <= {path.name for path in made}
    assert opens_as_nobody(home / "chat.json")
    assert [path for path in made if opens_as_nobody(path)] == []


@pytest.mark.parametrize(
    ("whose", "allowed"), [("any", ["environment", "memory", "debugger", "files"]), ("ours", [])]
)
def test_another_program_of_the_user_reads_neither_memory_nor_environment(whose: str, allowed: list[str]):
    """Of any other program it does; the window, every command and our children forbid it."""
    done = subprocess.run(
        [sys.executable, "-c", SAME_USER, whose],
        env={"PATH": os.defpath, "PYTHONPATH": str(Path(__file__).parents[2])},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert (done.stdout.split(), done.stderr) == (allowed, "")
