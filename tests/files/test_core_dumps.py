"""A crash leaves no copy of the memory behind, in which the keys are."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.files.core_dumps import forbid_core_dumps

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="core dumps as Linux has them")

# Where core dumps are allowed, run something, say whether this process may still be dumped, and crash.
SCRIPT = """
import ctypes, os, resource, sys
hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
said = os.fdopen(os.dup(2), "w")
pid = os.fork()
if not pid:
    exec(sys.argv[1])
    print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0), resource.getrlimit(resource.RLIMIT_CORE), file=said, flush=True)
    os.abort()
status = os.waitpid(pid, 0)[1]
print("died", os.WTERMSIG(status), os.WCOREDUMP(status), file=sys.stderr)
"""
COMMAND = "from workbench.__main__ import main; main(['history', 'list', '--data-dir', 'none'])"
WINDOW = "from workbench.__main__ import main; main(['--data-dir', 'none'])"
ALONE = f"from {forbid_core_dumps.__module__} import forbid_core_dumps as forbid; forbid()"
MODEL = "from workbench.providers.builtin.child import main; main()"
READER = "from workbench.sources.extract.child import main; main([])"
SEARCH = "from workbench.tools.workspace.expression_child import limit_itself; limit_itself()"


@pytest.mark.parametrize("run", [COMMAND, WINDOW, MODEL, READER, SEARCH, ALONE])
def test_a_crash_leaves_nothing_on_the_disk(tmp_path: Path, run: str):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, run],
        cwd=tmp_path,
        env={"PATH": os.defpath, "PYTHONPATH": str(Path(__file__).parents[2]), "HOME": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stderr.splitlines()[-2:] == ["0 (0, 0)", "died 6 False"]
    assert not list(tmp_path.glob("core*"))
