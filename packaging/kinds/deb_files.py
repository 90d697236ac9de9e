"""What is written for a Debian package: its control file, change log, start script, and what lintian may pass over."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from email.utils import formatdate
from typing import NamedTuple

NAME = "context-workbench"
PLACE = f"usr/lib/{NAME}"
# Debian 12 has one Python that the libraries' binaries fit.
PYTHON = "python3.11"
SITE = f"{PLACE}/lib/{PYTHON}/site-packages"

SUMMARY = "see and edit exactly what a language model gets"
DESCRIPTION = """\
A desktop chat for people who work with models on long files and long conversations. The next request is always on
screen, piece by piece, with its tokens, what is cached and what it costs; every number updates before it is sent.

Everything is inside, a small model included: nothing is downloaded, and no key, server or account is needed.
Chats are encrypted on disk. The same program is a command for scripts: workbench ask, replay, inspect, watch.
"""
# A window opens without them; what they add is in brackets.
RECOMMENDS = ("ca-certificates", "hicolor-icon-theme", "libenchant-2-2", "xdg-utils")
SUGGESTS = ("gnome-keyring", "libgtk-3-0", "libcups2")

START = f"""\
#!/bin/sh
exec /{PLACE}/bin/python3 -I -m workbench "$@"
"""
ENVIRONMENT = "home = /usr/bin\ninclude-system-site-packages = false\n"

# What lintian says about any package that brings its libraries, and why it stays so.
OVERRIDES: Mapping[str, str] = {
    "package-installs-python-pycache-dir": "for the one Python it depends on; nothing has to run at install or removal",
    "embedded-library": "everything is inside, in the versions that are tested together",
}


class Identity(NamedTuple):
    """What a package is called, for whom, by whom, and as of when."""

    version: str
    architecture: str
    maintainer: str
    epoch: int


def control(who: Identity, depends: Iterable[str], installed_bytes: int) -> str:
    """The control file."""
    fields = {
        "Package": NAME,
        "Version": who.version,
        "Architecture": who.architecture,
        "Maintainer": who.maintainer,
        "Installed-Size": str(-(-installed_bytes // 1024)),
        "Depends": ", ".join(sorted({PYTHON, *depends})),
        "Recommends": ", ".join(RECOMMENDS),
        "Suggests": ", ".join(SUGGESTS),
        "Section": "utils",
        "Priority": "optional",
        "Description": f"{SUMMARY}\n{described(DESCRIPTION)}",
    }
    return "".join(f"{name}: {value}\n" for name, value in fields.items())


def described(text: str) -> str:
    """A long description as the control file has it: wrapped, each line after a space, a dot between paragraphs."""
    paragraphs = [textwrap.wrap(part, 78) for part in text.strip().split("\n\n")]
    return "\n .\n".join("\n".join(f" {line}" for line in lines) for lines in paragraphs)


def changelog(who: Identity) -> str:
    """The package's own change log: one entry, which says where the program's is."""
    when = formatdate(who.epoch)
    return (
        f"{NAME} ({who.version}) stable; urgency=medium\n\n"
        f"  * See CHANGELOG.md.gz for what changed in the program.\n\n"
        f" -- {who.maintainer}  {when}\n"
    )


def overrides() -> str:
    """What lintian passes over, each with its reason."""
    return "".join(f"# {why}\n{NAME}: {tag} *\n" for tag, why in OVERRIDES.items())


def shared_depends(told: str) -> list[str]:
    """The packages in the line that dpkg-shlibdeps prints."""
    line = next((one for one in told.splitlines() if one.startswith("shlibs:Depends=")), "")
    return [one.strip() for one in line.partition("=")[2].split(",") if one.strip()]
