"""`workbench history import`: chats from the files of this and other programs."""

from __future__ import annotations

import argparse
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.cli.open_history import opened
from workbench.cli.parts import Parts
from workbench.cli.terminal import counted, print_json, print_text, tell, visible_line
from workbench.domain.attached import MOST_ATTACHED_BYTES
from workbench.domain.attachment import Artifact
from workbench.domain.errors import InvalidInput
from workbench.domain.record import Snapshot
from workbench.domain.secret import Secret
from workbench.engine.exchange.imported import Fresh, Imported, Wanted, merged, unread
from workbench.engine.exchange.importing import import_files
from workbench.files.holding import open_folder
from workbench.files.reading import user_file_below

if TYPE_CHECKING:  # it loads what `--help` does not need
    from workbench.engine.errands.adopting import Adopted, FindFile


# Reads the text that Elara's key is made of; none is ever assumed, least of all the one in its
# documentation.

_MOST_BYTES = 64 * 1024


def read_elara_key(name: str) -> Secret:
    """The file's text without the line end at its end."""
    try:
        with open(Path(name), "rb") as stream:
            content = stream.read(_MOST_BYTES + 1)
        content.decode("utf-8")
    except OSError as problem:
        raise InvalidInput(name, problem.strerror or type(problem).__name__) from None
    except UnicodeDecodeError:
        raise InvalidInput(name, "is not text in UTF-8") from None
    if len(content) > _MOST_BYTES:
        raise InvalidInput(name, f"is longer than {_MOST_BYTES} bytes")
    key = content.removesuffix(b"\n").removesuffix(b"\r").removeprefix(b"\xef\xbb\xbf")
    if not key:
        raise InvalidInput(name, "is empty")
    return Secret(key)


# Finds files by the names an imported chat gives them, below one folder and nowhere else.

_READABLE = frozenset({"file", "note"})
_NEVER_FETCHED = frozenset({"url", "web_tab", "youtube"})


class FoundFiles:
    """The folder that may be looked into."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def take(self, wanted: Wanted, when_utc: str) -> Snapshot | str:
        """The file as it is now, or why there is none."""
        if wanted.kind in _NEVER_FETCHED:
            return "pages are never fetched again"
        if wanted.kind not in _READABLE:
            return f"a {wanted.kind.replace('_', ' ')} cannot be read from a folder"
        try:
            content, modified = _read_below(self._folder, wanted.key)
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            return "it is not text in UTF-8"
        except (OSError, ValueError) as problem:
            return getattr(problem, "strerror", None) or str(problem) or type(problem).__name__
        artifact = Artifact(wanted.key, wanted.kind, text)
        return Snapshot(wanted.chat, artifact, when_utc, content, modified)


def _read_below(folder: Path, name: str) -> tuple[bytes, str]:
    steps = name.replace("\\", "/").removeprefix("./").split("/")
    if any(step in ("", ".", "..") or ":" in step or "\0" in step for step in steps):
        raise ValueError("its name leads out of the folder")
    with closing(open_folder(str(folder))) as held, user_file_below(held, steps) as opened:
        content, status = opened.read(MOST_ATTACHED_BYTES + 1), opened.status
    if len(content) > MOST_ATTACHED_BYTES:
        raise ValueError(f"it is larger than {MOST_ATTACHED_BYTES // 1_000_000} MB")
    moment = datetime.fromtimestamp(status.st_mtime, UTC)
    return content, moment.isoformat(timespec="seconds").replace("+00:00", "Z")


_NO_FOLDER = "its text is not in the file; --attach-from DIR says where to look"


async def run_import(arguments: argparse.Namespace, parts: Parts) -> int:
    """Keep what the files hold; whatever did not come along is said, and a file that could not be used fails."""
    from workbench.engine.errands.adopting import Adoption, groups

    _check(arguments)
    imported = await _read(arguments, parts)
    adopted: list[Adopted] = []
    problems, refused = list(imported.problems), imported.refused
    if imported.archives:
        async with opened(parts, writable=True) as store:
            adoption = Adoption(store, parts.new_id, _files(arguments.attach_from))
            for some in groups(imported.archives):
                await adoption.take_all(some, imported)
        adopted, problems = adoption.adopted, [*problems, *adoption.problems]
        refused += adoption.refused
    _report(arguments, adopted, Imported((), tuple(problems), refused=refused, locked=imported.locked))
    return 1 if refused else 0


def _check(arguments: argparse.Namespace) -> None:
    if arguments.attach_from is not None and not Path(arguments.attach_from).is_dir():
        raise InvalidInput(arguments.attach_from, "is not a folder")


async def _read(arguments: argparse.Namespace, parts: Parts) -> Imported:
    key = None
    if arguments.elara_key_file is not None:
        key = parts.elara(read_elara_key(arguments.elara_key_file))
    fresh = Fresh(parts.utc_now(), parts.new_id)
    files = await parts.exchange().read(arguments.paths)
    found = [import_files(group, fresh, key) for group in files.groups]
    return merged([*found, unread(files)])


def _files(folder: str | None) -> FindFile:
    if folder is None:
        return lambda wanted, when_utc: _NO_FOLDER
    return FoundFiles(Path(folder)).take


def _report(arguments: argparse.Namespace, adopted: list[Adopted], about: Imported) -> None:
    problems = list(dict.fromkeys(about.problems))
    if arguments.json:
        chats = [{"id": one.id, "title": one.title, "messages": one.messages} for one in adopted]
        counts = {"files_refused": about.refused, "files_locked": about.locked}
        print_json({"chats": chats, "problems": problems, **counts})
        return
    for chat in adopted:
        print_text(
            f"{visible_line(chat.id)}  {counted(chat.messages, 'message')}  {visible_line(chat.title)}"
        )
    for problem in problems:
        tell(visible_line(problem))
    refused = f" Could not be used: {about.refused}." if about.refused else ""
    tell(f"Imported: {counted(len(adopted), 'chat')}.{refused}")
