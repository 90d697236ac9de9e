"""Where tokens are kept between two starts of the program: one file, written whole."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept of a token: when, for which client, and how it ended."""

    number: int
    client: str
    at: str
    ended: str = ""

    def line(self) -> str:
        """As it stands in the file."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def of(cls, line: str) -> Kept:
        """From the file; what is not there has its default."""
        known = json.loads(line)
        return cls(**{key: known[key] for key in ("number", "client", "at", "ended") if key in known})


def append_kept(path: Path, new: Kept) -> None:
    """Add a token behind the others; the old file stays until the new one is on the disk."""
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8") as made:
        made.write(before + new.line() + "\n")
        made.flush()
        os.fsync(made.fileno())
    os.replace(made.name, path)


@dataclass(frozen=True, slots=True)
class Renewal:
    """What is kept of a renewal: when, for which client, and how it ended."""

    number: int
    client: str
    at: str
    ended: str = ""

    def line(self) -> str:
        """As it stands in the file."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def of(cls, line: str) -> Renewal:
        """From the file; what is not there has its default."""
        known = json.loads(line)
        return cls(**{key: known[key] for key in ("number", "client", "at", "ended") if key in known})


def append_renewal(path: Path, new: Renewal) -> None:
    """Add a renewal behind the others; the old file stays until the new one is on the disk."""
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8") as made:
        made.write(before + new.line() + "\n")
        made.flush()
        os.fsync(made.fileno())
    os.replace(made.name, path)


@dataclass(frozen=True, slots=True)
class Refusal:
    """What is kept of a refusal: when, for which client, and how it ended."""

    number: int
    client: str
    at: str
    ended: str = ""

    def line(self) -> str:
        """As it stands in the file."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def of(cls, line: str) -> Refusal:
        """From the file; what is not there has its default."""
        known = json.loads(line)
        return cls(**{key: known[key] for key in ("number", "client", "at", "ended") if key in known})


def append_refusal(path: Path, new: Refusal) -> None:
    """Add a refusal behind the others; the old file stays until the new one is on the disk."""
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8") as made:
        made.write(before + new.line() + "\n")
        made.flush()
        os.fsync(made.fileno())
    os.replace(made.name, path)


@dataclass(frozen=True, slots=True)
class SignIn:
    """What is kept of a sign-in: when, for which client, and how it ended."""

    number: int
    client: str
    at: str
    ended: str = ""

    def line(self) -> str:
        """As it stands in the file."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def of(cls, line: str) -> SignIn:
        """From the file; what is not there has its default."""
        known = json.loads(line)
        return cls(**{key: known[key] for key in ("number", "client", "at", "ended") if key in known})


def append_signin(path: Path, new: SignIn) -> None:
    """Add a sign-in behind the others; the old file stays until the new one is on the disk."""
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8") as made:
        made.write(before + new.line() + "\n")
        made.flush()
        os.fsync(made.fileno())
    os.replace(made.name, path)


@dataclass(frozen=True, slots=True)
class Expiry:
    """What is kept of an expiry: when, for which client, and how it ended."""

    number: int
    client: str
    at: str
    ended: str = ""

    def line(self) -> str:
        """As it stands in the file."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def of(cls, line: str) -> Expiry:
        """From the file; what is not there has its default."""
        known = json.loads(line)
        return cls(**{key: known[key] for key in ("number", "client", "at", "ended") if key in known})


def append_expiry(path: Path, new: Expiry) -> None:
    """Add an expiry behind the others; the old file stays until the new one is on the disk."""
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8") as made:
        made.write(before + new.line() + "\n")
        made.flush()
        os.fsync(made.fileno())
    os.replace(made.name, path)

