"""Two real llama.cpp servers behind a real haproxy, which spreads requests over them in one of two ways."""

from __future__ import annotations

import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.fakes.builtin_stage import model_file
from workbench.providers.builtin.server import COMMAND, Launch, LlamaProcess

HAPROXY = shutil.which("haproxy", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin:/opt/homebrew/bin")
SESSION = "X-Session-ID"
KEY = "both-replicas-know-it"
CONFIG = """
defaults
    mode http
    timeout connect 5s
    timeout client 300s
    timeout server 300s
frontend turns
    bind fd@{turns}
    use_backend chats if {{ path_end /chat/completions }}
    default_backend questions
backend chats
    balance roundrobin
{servers}
backend questions
    balance roundrobin
{servers}
listen header
    bind fd@{header}
    balance hdr({session})
    hash-type consistent
{servers}
"""


@dataclass(frozen=True)
class Replicas:
    """Where the router answers.

    Attributes:
        turns: the next question of a chat goes to the next replica.
        header: requests with the same session go to the same one.
    """

    turns: str
    header: str


@contextmanager
def replicas(folder: Path) -> Iterator[Replicas]:
    """Two servers and their router, for as long as this lasts."""
    with ExitStack() as ending:
        settings = {
            "model": str(model_file()),
            "name": "smol",
            "key": KEY,
            "window_tokens": 4096,
            "threads": 1,
        }
        made = [LlamaProcess(Launch(COMMAND, settings)) for _ in range(2)]
        for one in made:
            ending.callback(one.kill)
        addresses = [one.address() for one in made]
        assert all(addresses), [one.last_words() for one in made]
        servers = "\n".join(
            f"    server s{number} {(address or '').removeprefix('http://')}"
            for number, address in enumerate(addresses)
        )
        doors = {
            name: ending.enter_context(socket.create_server(("127.0.0.1", 0))) for name in ("turns", "header")
        }
        config = folder / "haproxy.cfg"
        config.write_text(
            CONFIG.format(
                turns=doors["turns"].fileno(),
                header=doors["header"].fileno(),
                servers=servers,
                session=SESSION,
            )
        )
        inherited = tuple(door.fileno() for door in doors.values())
        router = subprocess.Popen([HAPROXY or "haproxy", "-db", "-f", str(config)], pass_fds=inherited)
        ending.callback(router.wait)
        ending.callback(router.terminate)
        places = {name: f"http://127.0.0.1:{door.getsockname()[1]}/v1" for name, door in doors.items()}
        yield Replicas(places["turns"], places["header"])
