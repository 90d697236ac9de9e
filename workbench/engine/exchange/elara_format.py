"""Elara's files: one message each, named by time and order, encrypted, wrapped or bare.

Since September 2025 that program writes the same fields with capitals, `Content` in place of `ciphertext`, and
unencrypted messages as they are; both forms are read, names in any case.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from workbench.domain.errors import CannotOpen, InvalidInput
from workbench.domain.message import Role
from workbench.domain.record import ChatArchive, Record
from workbench.domain.text import repair_text
from workbench.domain.translation import tr
from workbench.engine.exchange.branch import active_branch, role_and_texts
from workbench.engine.exchange.foreign_json import (
    EPOCH,
    from_stamp,
    parse_moment,
    parse_repaired,
    read_text,
    to_stamp,
    to_utc,
    written,
)
from workbench.engine.exchange.imported import Fresh, Ids, Imported, ImportedMessage, linear_archive, started
from workbench.ports.folder import SealedFiles

SEALED = "AES-256-GCM"
PLAIN = "PLAINTEXT"
_NAME = re.compile(r"(\d{8}T\d{9}Z)_(\d+)_([A-Za-z]+)\.json", re.ASCII)
_ROLES: dict[object, Role] = {"user": "user", "assistant": "assistant", "system": "system"}
_NUMBERED: tuple[Role, ...] = ("user", "assistant", "system")
_FIELDS = ("role", "content", "timestamputc", "metadata")
_TITLE = tr("Elara conversation")
_SEALED_CONTENT = ("ciphertext", "content")
_SEED_NAMES = {"Alg": "alg", "Iv": "iv", "Content": "ciphertext", "Tag": "tag"}


def is_elara(document: object) -> bool:
    """Whether a JSON value is one of Elara's files, in any of its forms."""
    if not isinstance(document, dict):
        return False
    names = {name.lower() for name in document}
    sealed = "alg" in names and not names.isdisjoint(_SEALED_CONTENT)
    return sealed or {"role", "content", "timestamputc"} <= names


def is_elara_name(name: str) -> bool:
    """Whether the name is one of Elara's file names; then it is one, however damaged."""
    return _NAME.fullmatch(name) is not None


def export_elara(archive: ChatArchive) -> tuple[tuple[str, bytes], ...]:
    """One file per message of the branch in view, as bare JSON: its name, and the content to seal."""
    files = []
    last = EPOCH
    for number, record in enumerate(active_branch(archive), start=1):
        own = parse_moment(record.created_utc) or last
        # The order is that of the names, also where a clock went backwards.
        last = max(last, own)
        fields = _fields(record, written(own))
        body = json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
        files.append((f"{to_stamp(last)}_{number:04}_{fields['role'].lower()}.json", body))
    return tuple(files)


def enveloped(body: bytes, key: SealedFiles | None, seed_form: bool = False) -> bytes:
    """A message of `export_elara` as a file: sealed or in the clear, in the newer or the older form."""
    if seed_form:
        return plain_envelope(body) if key is None else _in_seed_names(key.seal(body))
    message = _capitalised(json.loads(body))
    if key is None:
        return json.dumps({"Alg": PLAIN, "Content": message}, ensure_ascii=False).encode("utf-8")
    return key.seal(json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8"))


def plain_envelope(body: bytes) -> bytes:
    """An envelope of the older form, without encryption."""
    return json.dumps({"alg": PLAIN, "ciphertext": base64.b64encode(body).decode("ascii")}).encode("ascii")


def _in_seed_names(envelope: bytes) -> bytes:
    fields = json.loads(envelope)
    return json.dumps({_SEED_NAMES.get(name, name): value for name, value in fields.items()}).encode("ascii")


def _capitalised(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name[:1].upper() + name[1:]: value for name, value in fields.items()}


def import_elara(files: Sequence[tuple[str, bytes]], fresh: Fresh, key: SealedFiles | None) -> Imported:
    """One chat from all files, in the order of their names; those that cannot be opened are counted."""
    said: list[ImportedMessage] = []
    problems: list[str] = []
    locked = refused = 0
    for name, raw in sorted(files):
        try:
            said.append(_read(name, parse_repaired(read_text(_opened(raw, key))), problems))
        except CannotOpen as problem:
            locked += 1
            problems.append(f"{name}: {problem}")
        except InvalidInput as problem:
            refused += 1
            problems.append(tr("{name}: {problem}; left out", name=name, problem=problem))
    if locked:
        problems.append(tr("{locked} of {n} files could not be decrypted.", locked=locked, n=len(files)))
    if not said:
        return Imported((), tuple(problems), refused=refused + locked, locked=locked)
    chat = started(fresh.new_id(), _TITLE, said[0].created_utc or fresh.now_utc)
    archive = linear_archive(chat, said, Ids(fresh.new_id), fresh.now_utc)
    return Imported((archive,), tuple(problems), refused=refused + locked, locked=locked)


def _fields(record: Record, when: str) -> dict[str, Any]:
    role, texts = role_and_texts(record.entry)
    metadata = dict(_metadata(record))
    if role == "tool":
        # Elara knows three roles; its notes put everything else under System and classify it by metadata.
        role, metadata = "system", {**metadata, "kind": "tool_result"}
    fields = {"role": role.capitalize(), "content": "\n\n".join(texts), "timestampUtc": when}
    return {**fields, "metadata": metadata} if metadata else fields


def _metadata(record: Record) -> Iterator[tuple[str, str]]:
    """Metadata as text, the only type Elara stores."""
    for name, value in record.metadata.items():
        shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=True)
        yield repair_text(str(name)), repair_text(shown)
    if record.state != "complete":
        yield "state", record.state


def _opened(raw: bytes, key: SealedFiles | None) -> bytes:
    document = parse_repaired(read_text(raw))
    if not isinstance(document, dict):
        raise InvalidInput("", tr("expected an object"))
    envelope = _lowered(document)
    if "alg" not in envelope:
        return raw
    if envelope["alg"] == PLAIN:
        return _in_the_clear(envelope)
    if envelope["alg"] != SEALED:
        raise InvalidInput("alg", tr("expected {sealed} or {plain}", sealed=SEALED, plain=PLAIN))
    if key is None:
        raise CannotOpen(tr("it is encrypted, and no key was given"))
    return key.open(raw)


def _in_the_clear(envelope: Mapping[str, Any]) -> bytes:
    content = envelope.get("content")
    if "ciphertext" not in envelope and isinstance(content, dict):
        return json.dumps(content).encode("ascii")
    return _decoded(envelope.get("ciphertext", content))


def _decoded(ciphertext: object) -> bytes:
    if not isinstance(ciphertext, str):
        raise InvalidInput("ciphertext", tr("expected a string in base64"))
    try:
        return base64.b64decode(ciphertext, validate=True)
    except (binascii.Error, ValueError):
        raise InvalidInput("ciphertext", tr("is not base64")) from None


def _read(name: str, document: object, problems: list[str]) -> ImportedMessage:
    if not isinstance(document, dict):
        raise InvalidInput("", tr("expected an object"))
    fields = _lowered(document)
    if not isinstance(fields.get("content"), str):
        raise InvalidInput("content", tr("expected a string"))
    parts = _NAME.fullmatch(name)
    role = _role(fields.get("role"), parts)
    when = to_utc(fields.get("timestamputc")) or (from_stamp(parts.group(1)) if parts else None)
    if when is None:
        problems.append(tr("{name}: it has no time that can be read; the one before it was used", name=name))
    metadata = fields.get("metadata")
    unknown = sorted(field for field in fields if field not in _FIELDS)
    if unknown:
        problems.append(
            tr(
                "{name}: unknown parts were left out: {unknown}",
                name=name,
                unknown=", ".join(unknown),
            )
        )
    return ImportedMessage(
        role,
        (fields["content"],),
        when,
        id=name.removesuffix(".json") if parts else None,
        metadata=metadata if isinstance(metadata, dict) else {},
    )


def _role(role: object, parts: re.Match[str] | None) -> Role:
    """Role by name, by .NET's enum number, or by the file's name."""
    if isinstance(role, int) and not isinstance(role, bool) and 0 <= role < len(_NUMBERED):
        return _NUMBERED[role]
    named = role.lower() if isinstance(role, str) else parts.group(3).lower() if parts else None
    if named not in _ROLES:
        raise InvalidInput("role", tr("expected User, Assistant or System"))
    return _ROLES[named]


def _lowered(document: Mapping[str, Any]) -> dict[str, Any]:
    return {name.lower(): value for name, value in document.items()}
