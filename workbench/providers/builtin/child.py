"""The child process of the built-in model: runs llama.cpp's server on loopback until its standard input closes.

It is started by its path and imports nothing of the program. It reads one line of JSON with the settings, which include
the key, so that this is in no argument or environment; it writes one line with the address, or the error. When standard
input ends the process ends, so that it cannot outlive a parent that was killed.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TextIO

# Progress is told, and a stop heeded, once a batch; larger ones are no faster on a processor.
_BATCH_TOKENS = 128
_ERRORS_ONLY = 1
# A page's request gets this as the only origin that may read the answer, and it is none that a page can have.
_NO_ORIGIN = "https://nobody.invalid"
# How often a thread looks before it sleeps while it waits for the others. Where one of them does not get its core,
# those that never sleep keep it from running: beside four busy programs 0.7 tokens a second instead of 14.
_LOOKS = "1000"
_SET_DUMPABLE = 4  # PR_SET_DUMPABLE of prctl(2)


def main() -> None:
    """Serves until standard input ends."""
    _forbid_core_dumps()
    answers = _private_output()
    settings = json.loads(sys.stdin.readline() or "null")
    if settings is None:
        return
    try:
        with _ending_with_input():
            server = _serve(settings)
    except (ImportError, RuntimeError, OSError) as error:
        _tell(answers, {"error": f"{type(error).__name__}: {error}"})
        return
    _tell(answers, {"address": server.listening_address})
    sys.stdin.read()
    # Nothing is to be saved, and taking the server down in order could wait for an answer under way.
    os._exit(0)


def _forbid_core_dumps() -> None:
    """Prevents core dumps, since memory holds the key and the chat; a new program can be dumped again by default."""
    if sys.platform == "linux":
        import ctypes
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        ctypes.CDLL(None).prctl(_SET_DUMPABLE, 0, 0, 0, 0)


@contextmanager
def _ending_with_input() -> Iterator[None]:
    """Lets the system end the process when its input closes, since llama.cpp holds Python's lock while it loads."""
    if sys.platform != "linux":
        yield
        return
    import fcntl
    import select

    flags = fcntl.fcntl(0, fcntl.F_GETFL)
    fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(0, fcntl.F_SETFL, flags | os.O_ASYNC)
    try:
        # The signal is for what happens from now on; nothing comes after the settings but the end.
        if select.select([0], [], [], 0)[0]:
            os._exit(0)
        yield
    finally:
        fcntl.fcntl(0, fcntl.F_SETFL, flags)


def _private_output() -> TextIO:
    """Returns standard output for our messages alone; what libraries print goes to standard error."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return answers


def _tell(answers: TextIO, line: Mapping[str, str]) -> None:
    answers.write(json.dumps(line) + "\n")
    answers.flush()


def _serve(settings: Mapping[str, Any]) -> Any:
    os.environ.setdefault("GOMP_SPINCOUNT", _LOOKS)  # noqa: TID251 - read once, by the library
    from xllamacpp import CommonParams, Server  # type: ignore[import-untyped]

    params = CommonParams()
    params.model.path = settings["model"]
    params.model_alias = {settings["name"]}
    params.api_keys = [settings["key"]]
    params.n_ctx = settings["window_tokens"]
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = settings["threads"]
    params.n_parallel = 1
    params.n_batch = params.n_ubatch = _BATCH_TOKENS
    params.cache_ram_mib = 0
    params.ui = False
    params.offline, params.fit_params = True, False
    params.cors_origins, params.cors_credentials = _NO_ORIGIN, False
    params.verbosity = _ERRORS_ONLY
    return Server(params)


if __name__ == "__main__":
    main()
