"""The child process that reads documents: waits for files, and reads each in a forked worker within limits.

It is started by its path. The process itself only passes messages on: each file is read by a fork of it, which has the
libraries loaded already, no descriptor but one pipe, and limits for memory, time, files and processes. Where the system
has no fork (or with `--once`) the process reads one file itself and ends. It ends when its standard input does.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from workbench.domain.codec import decode
from workbench.domain.files.document import AS_FOUND, PLAIN_KINDS, TEXT_KINDS, Document, DocumentKind, Reading
from workbench.domain.files.pictures import picture_in
from workbench.domain.translation import tr, with_values_noted
from workbench.files.core_dumps import forbid_core_dumps
from workbench.sources.extract.kinds import KINDS, Given, binary_kind, text_kind
from workbench.sources.extract.messages import (
    IDLE_SECONDS,
    MOST_ANSWER_BYTES,
    MOST_ASKED_BYTES,
    BadMessage,
    WholeReads,
    document_message,
    frame_message,
    is_one_message,
    is_page,
    read_message,
    write_all,
)
from workbench.sources.extract.refusal import MOST_CHARACTERS, MOST_SECTIONS, NeedsPassword, Unreadable
from workbench.sources.extract.signs import ZIP, known_format
from workbench.sources.extract.text import decode_text

# A file in, a document out: finds the kind, calls its reader, and puts down how it was read.


_DEEPEST = 3
"""How deeply nested documents are read: a message in a message in a message."""


def read_document(name: str, content: bytes, reading: Reading, password: str = "") -> Document:
    """Reads a file as a document; `Unreadable` where it has no text."""
    return _checked_read(name, content, reading, password, 0)


def _checked_read(name: str, content: bytes, reading: Reading, password: str, depth: int) -> Document:
    document = _read(name, content, reading, password, depth)
    if len(document.text) > MOST_CHARACTERS:
        raise Unreadable(
            tr("its text has over {most_characters:,} characters", most_characters=MOST_CHARACTERS),
            tr("Attach a part of it."),
        )
    if document.read_as.kind not in PLAIN_KINDS:
        _refuse_empty(document)
    notes = document.read_as.notes
    if len(document.sections) >= MOST_SECTIONS:
        notes = (*notes, tr("its outline ends after {most_sections:,} parts", most_sections=MOST_SECTIONS))
    read_as = replace(document.read_as, chosen=reading, notes=notes)
    return replace(document, read_as=read_as, sections=document.sections[:MOST_SECTIONS])


def preload_pages() -> None:
    """Reads a page of our own, so that every fork has what that takes: half of the time of a small page.

    Nothing else is imported: a fork takes the longer the more there is, and a folder may have thousands of pages.
    """
    document_message(read_document("page.html", b"<html><title>a</title><p>b</p></html>", AS_FOUND))


def preload() -> None:
    """Imports the readers' libraries, so that every fork has them."""
    import charset_normalizer  # noqa: F401

    from workbench.sources.extract import images  # noqa: F401

    for kind in KINDS.values():
        kind.load()


def _refuse_empty(document: Document) -> None:
    if not document.text.strip() and not document.scanned:
        raise Unreadable(
            tr("it is {words} without any text", words=KINDS[document.read_as.kind].words),
            tr("Attach another file."),
        )


def _read(name: str, content: bytes, reading: Reading, password: str, depth: int) -> Document:
    def inside(title: str, attached: bytes) -> Document:
        return _checked_read(title, attached, AS_FOUND, "", depth + 1)

    given = Given(name, content, password=password, read=inside if depth < _DEEPEST else None)
    if reading.kind in TEXT_KINDS:
        text, encoding = _text_of(content, reading)
        return _read_as(reading.kind, replace(given, text=text, encoding=encoding))
    if reading.kind:
        return _read_as(_check_kind(content, reading.kind), given)
    kind = binary_kind(content)
    if kind is not None:
        return _read_as(kind, given)
    text, encoding = decode_text(content, reading.encoding)
    return _read_as(text_kind(name, text), replace(given, text=text, encoding=encoding))


def _read_as(kind: DocumentKind, given: Given) -> Document:
    return KINDS[kind].load()(given)


def _check_kind(content: bytes, wanted: DocumentKind) -> DocumentKind:
    """Returns the kind that was chosen, if the file is of that kind; otherwise refuses it."""
    if wanted not in KINDS:
        raise Unreadable(
            tr("it is to be read as {wanted!r}, which has no reader", wanted=wanted),
            tr("Choose another kind, or let it be found."),
        )
    found = _detected_words(content)
    if found == KINDS[wanted].words:
        return wanted
    raise Unreadable(
        tr("it is not {words}: it is {found}", words=KINDS[wanted].words, found=found),
        tr("Choose another kind, or let it be found."),
    )


def _detected_words(content: bytes) -> str:
    try:
        kind = binary_kind(content)
    except Unreadable as refusal:
        return refusal.reason.removeprefix("it is ")
    return tr("text, or of no kind that is known") if kind is None else KINDS[kind].words


def _text_of(content: bytes, reading: Reading) -> tuple[str, str]:
    try:
        return decode_text(content, reading.encoding)
    except Unreadable as refusal:
        if reading.encoding:
            raise
        known = (
            known_format(content) is not None or picture_in(content) is not None or content.startswith(ZIP)
        )
        what = _detected_words(content) if known or content.lstrip().startswith(b"%PDF-") else ""
        raise (
            Unreadable(tr("it is {what}, not text", what=what), refusal.advice) if what else refusal
        ) from None


# -P keeps this folder, whose modules are named after formats, out of the path; the program itself must be in it.
sys.path.insert(0, str(Path(__file__).resolve().parents[3]))


MEMORY_BYTES = 1536 * 1024 * 1024
CPU_SECONDS = 30
_MOST_DESCRIPTORS = 24
_PIECE_BYTES = 1024 * 1024


def main(arguments: list[str]) -> None:
    """Serves files until the input ends, or none came for a while."""
    forbid_core_dumps()
    # Whatever a library prints must not come between the messages.
    questions, answers = os.fdopen(os.dup(0), "rb", 0), os.fdopen(os.dup(1), "wb", 0)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    sys.dont_write_bytecode = True
    gc.set_threshold(50_000)  # looking through it copies what a fork shares, for a page that is read in 3 ms
    if "--once" in arguments or not hasattr(os, "fork"):
        write_all(answers, answer(*read_message(WholeReads(questions), MOST_ASKED_BYTES)))
        return
    loaded = set[Callable[[], None]]()
    # Nobody has to end a process that ends by itself when it is not used.
    while select.select([questions], [], [], IDLE_SECONDS)[0]:
        try:
            head, body = read_message(WholeReads(questions), MOST_ASKED_BYTES)
        except BadMessage:
            return
        write_all(answers, _read_in_worker(head, body, questions))
        if (load := preload_pages if is_page(str(head.get("name", ""))) else preload) not in loaded:
            load()
            # What the forks share is not looked through for garbage, which would copy it for each of them.
            gc.freeze()
            loaded.add(load)


def _read_in_worker(head: Mapping[str, Any], body: bytes, questions: IO[bytes]) -> bytes:
    """Reads a file in a forked worker; returns its answer, or how it ended without one."""
    mine, its = os.pipe()
    worker = os.fork()
    if not worker:
        # Whatever happens in here, only the worker may end by it.
        try:
            _confine(its)
            with os.fdopen(its, "wb", 0) as answers:
                write_all(answers, answer(head, body))
        finally:
            os._exit(0)
    os.close(its)
    came = _collect_output(mine, worker, questions)
    os.close(mine)
    status = os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1])
    if came is None:
        return frame_message({"failed": "output"})
    return came if status == 0 and is_one_message(came) else frame_message({"failed": _failure_word(status)})


def _failure_word(status: int) -> str:
    if status == -getattr(signal, "SIGXCPU", 0):
        return "time"
    # The system ends by this signal what has no memory left.
    return "memory" if status == -getattr(signal, "SIGKILL", 0) else "crash"


def _collect_output(pipe: int, worker: int, questions: IO[bytes]) -> bytes | None:
    """Collects a worker's output; None where it is too long.

    The worker is killed when the program that asked is gone.
    """
    came = bytearray()
    while True:
        ready, _, _ = select.select([pipe, questions.fileno()], [], [])
        if questions.fileno() in ready:
            # Nothing is asked meanwhile: the program is gone.
            os.kill(worker, signal.SIGKILL)
            os._exit(0)
        piece = os.read(pipe, _PIECE_BYTES)
        if not piece:
            return bytes(came)
        came += piece
        if len(came) > MOST_ANSWER_BYTES + _PIECE_BYTES:
            os.kill(worker, signal.SIGKILL)
            return None


def _confine(pipe: int) -> None:
    """Restricts a worker: closes its descriptors, and sets limits for memory, time, files and processes."""
    import resource

    os.closerange(3, pipe)
    os.closerange(pipe + 1, 4096)
    for limit, most in (
        (resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1)),
        (resource.RLIMIT_AS, (_mapped_bytes() + MEMORY_BYTES,) * 2),
        (resource.RLIMIT_CORE, (0, 0)),
        (resource.RLIMIT_FSIZE, (0, 0)),
        (resource.RLIMIT_NOFILE, (_MOST_DESCRIPTORS, _MOST_DESCRIPTORS)),
        (resource.RLIMIT_NPROC, (0, 0)),
    ):
        # A system that knows no such limit still has the others, and the clock of whoever asked.
        with suppress(OSError, ValueError):
            resource.setrlimit(limit, most)


def _mapped_bytes() -> int:
    try:
        pages = int(Path("/proc/self/statm").read_bytes().split()[0])
    except (OSError, ValueError, IndexError):
        return 1024 * 1024 * 1024
    return pages * os.sysconf("SC_PAGE_SIZE")


# What is asked, and the answer to it.


def answer(head: Mapping[str, Any], body: bytes) -> bytes:
    """Answers one request; whatever the file does to its reader becomes an answer too."""
    try:
        made = TASKS[str(head.get("task"))](head, body)
    except Unreadable as refusal:
        locked = {"locked": True} if isinstance(refusal, NeedsPassword) else {}
        return frame_message(with_values_noted({"refused": [refusal.reason, refusal.advice], **locked}))
    except MemoryError:
        return frame_message({"failed": "memory"})
    except RecursionError:
        return frame_message({"failed": "nesting"})
    except Exception as error:  # noqa: BLE001  (a library may raise anything at what it does not expect)
        return frame_message({"failed": "error", "what": type(error).__name__})
    return made if len(made) <= MOST_ANSWER_BYTES else frame_message({"failed": "output"})


def _document(head: Mapping[str, Any], body: bytes) -> bytes:
    reading, password = decode(Reading, head["reading"]), str(head.get("password", ""))
    return document_message(read_document(str(head["name"]), body, reading, password))


def _documents(head: Mapping[str, Any], body: bytes) -> bytes:
    answers, at = [], 0
    for name, length in head["files"]:
        answers.append(answer({**head, "task": "document", "name": name}, body[at : at + length]))
        at += length
    return frame_message({"answers": len(answers)}, b"".join(answers))


def _pictures(head: Mapping[str, Any], body: bytes) -> bytes:
    from workbench.sources.extract.pdf import page_pictures

    made = page_pictures(body, int(head["first"]), int(head["last"]), str(head.get("password", "")))
    sizes = [[number, len(picture)] for number, picture in made]
    return frame_message({"pictures": sizes}, b"".join(picture for _, picture in made))


def _smaller(head: Mapping[str, Any], body: bytes) -> bytes:
    from workbench.sources.extract.images import smaller_picture

    made = smaller_picture(body, int(head["most_bytes"]), int(head["longest_side"]))
    return frame_message({"pictures": [[1, len(made)]]}, made)


TASKS: dict[str, Callable[[Mapping[str, Any], bytes], bytes]] = {
    "document": _document,
    "documents": _documents,
    "pictures": _pictures,
    "smaller": _smaller,
}

if __name__ == "__main__":
    main(sys.argv[1:])
