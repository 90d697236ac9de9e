"""The import of 5,000 chats by the command, as ChatGPT exports them: processor time and memory, and the same again."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.running.figures import MB, Figure, Means, at_most
from tests.fakes.exports import chatgpt_node

CHATS, MESSAGES = 5_000, 8
CHAT = "00000000-aaaa-4bbb-8ccc-{:012}"
MOST_S, MOST_MB = 10.0, 300.0
_NOTED: dict[str, object] = {
    "model_slug": "gpt-x", "request_id": "0" * 32, "timestamp_": "absolute", "message_type": None,
    "finish_details": {"type": "stop", "stop_tokens": [1, 2]}, "citations": [], "content_references": [],
}  # fmt: skip


def export(chats: int, messages: int) -> bytes:
    """So many chats of so many messages, each about as long as people's are."""
    chance = random.Random(7)
    words = [f"word{n}" for n in range(3000)]

    def chat(number: int) -> dict[str, object]:
        before, mapping = None, {}
        for place in range(messages):
            key = f"{number:08x}-{place:04x}-4aaa-8bbb-000000000000"
            said = " ".join(chance.choices(words, k=chance.randint(5, 120)))
            role = "assistant" if place % 2 else "user"
            mapping[key] = chatgpt_node(
                key, before, role, said, metadata=_NOTED, status="finished_successfully"
            )
            before = key
        title = " ".join(chance.choices(words, k=4))
        return {"conversation_id": CHAT.format(number), "title": title, "create_time": 1_700_000_000 + number,
                "mapping": mapping, "current_node": before}  # fmt: skip

    return json.dumps([chat(number) for number in range(chats)]).encode()


def imported(file: Path, store: Path) -> tuple[float, float]:
    """The command in a process of its own: its processor time in seconds, and the most memory it held in megabytes."""
    environment = {
        **os.environ,
        "WORKBENCH_PASSPHRASE": "a passphrase for a benchmark",
        "WORKBENCH_DATA_DIR": str(store),
    }
    command = [sys.executable, "-m", "workbench", "history", "import", str(file), "--json"]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as child:
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0, child.returncode
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1000


def figures(means: Means) -> Iterator[Figure]:
    """The first import, then the same one again, then one in which a tenth of the chats have grown."""
    with tempfile.TemporaryDirectory() as folder:
        file, store = Path(folder) / "conversations.json", Path(folder) / "store"
        store.mkdir(mode=0o700)
        file.write_bytes(export(CHATS, MESSAGES))
        yield Figure("the file", file.stat().st_size / 1e6, MB)
        for name in ("new", "all of it here already"):
            took_s, held_mb = imported(file, store)
            yield Figure(f"{CHATS:,} chats, {name}: processor time", took_s, "s", goal=at_most(MOST_S))
            yield Figure(f"{CHATS:,} chats, {name}: memory at most", held_mb, MB, goal=at_most(MOST_MB))
