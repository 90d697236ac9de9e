"""Replaces secrets in a watched request by placeholders, and puts them back in the calls of its answer."""

from __future__ import annotations

import hmac
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from workbench.context.clean.secrets import find_secrets
from workbench.context.watch.pieces import compact
from workbench.context.watch.splicing import Path, path_of, value_at
from workbench.domain.reading.loose_json import count_in, parsed, table_in, tables_in, text_in
from workbench.domain.watch.exchange import WatchedFormat
from workbench.domain.watch.request import WatchedPiece

_READ = ("system", "question", "reminder", "answer", "call", "result")
_LEAST = 8
"""Shorter ones are left alone: what they are made of stands in too many other places."""
_MOST_KNOWN = 4096
# A provider checks these, or they are no text: ids, kinds, thoughts with their signatures, pictures.
_UNREAD = frozenset({
    "id", "type", "role", "name", "call_id", "tool_use_id", "tool_call_id", "signature", "thinking", "data",
    "encrypted_content", "media_type", "mime_type", "mimeType", "cache_control", "url", "image_url", "file_id",
    "thoughtSignature", "reasoning_content", "status",
})  # fmt: skip

_OWN_KEYS = frozenset({"input", "args", "arguments", "response"})
"""Below these, keys are a tool's own."""


@dataclass(slots=True)
class Redactor:
    """Finds secrets, remembering by digest what was looked through (bench watch: a long request with rules on).

    Attributes:
        salt: makes placeholders of one program in one conversation; nobody who sees one can try out what it stands for.
        clean: messages of the conversation's last request, with None in place of those that had a secret.
    """

    salt: bytes
    known: dict[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    clean: list[Any] = field(default_factory=list)

    def redact(
        self,
        body: Any,
        pieces: Sequence[WatchedPiece],
        messages: Sequence[Any],
        secrets: dict[str, str],
        spared: Callable[[str], bool],
    ) -> tuple[list[tuple[Path, str]], dict[str, str]]:
        """Texts to replace, with their places, and the secrets that were in them; new ones are added to `secrets`.

        `messages`: those that pieces name by their numbers.
        """

        def read_but(clean: list[Any]) -> list[WatchedPiece]:
            """What is to be looked through: all but what stands in messages that are clean."""
            fresh = [n for n, (one, known) in enumerate(zip_longest(messages, clean)) if one is not known]
            some = {-1, *fresh, *range(len(messages), max((one.message for one in pieces), default=-1) + 1)}
            return [
                one for one in pieces if one.message in some and one.kind in _READ and not spared(one.text)
            ]

        looked, before = read_but(self.clean), len(secrets)
        for one in looked:
            for secret, kind in self._found(body, one):
                secrets.setdefault(secret, self._placeholder(secret, kind))
        if len(secrets) > before:
            looked = read_but([])
        edits, used = dict[Path, str](), dict[str, str]()
        # Also where nothing around it says so: what was put back in a call comes back with the next request.
        forms = {form: held for one, held in secrets.items() for form in (one, json.dumps(one)[1:-1])}
        pattern = re.compile("|".join(re.escape(one) for one in sorted(forms, key=len, reverse=True)))
        behind = {held: secret for secret, held in secrets.items()}
        dirty = {one.message for one in looked if "REDACTED_" in one.text}
        for one in looked if secrets else ():
            for path, text in _texts(body, _home(body, one)):
                if found := set(pattern.findall(text)):
                    edits[path] = pattern.sub(lambda hit: forms[hit[0]], text)
                    used |= {behind[forms[form]]: forms[form] for form in found}
                    dirty.add(one.message)
        self.clean = [None if n in dirty else one for n, one in enumerate(messages)]
        return [*edits.items()], used | _mentioned(looked, secrets)

    def _found(self, body: Any, piece: WatchedPiece) -> tuple[tuple[str, str], ...]:
        known = self.known.get(piece.digest)
        if known is None:
            if len(self.known) >= _MOST_KNOWN:
                del self.known[next(iter(self.known))]
            texts = [text for _, text in _texts(body, _home(body, piece))]
            texts += [
                inner for text in texts if piece.kind == "call" for _, inner in _texts(parsed(text), ())
            ]
            hits = [(text[one.start : one.end], one.kind) for text in texts for one in find_secrets(text)]
            known = tuple(hit for hit in dict.fromkeys(hits) if len(hit[0]) >= _LEAST)
            self.known[piece.digest] = known
        return known

    def _placeholder(self, secret: str, kind: str) -> str:
        told = hmac.digest(self.salt, secret.encode("utf-8", "surrogatepass"), "sha256").hex()[:12]
        return f"REDACTED_{kind}_{told}"


def hidden(text: str, secrets: Mapping[str, str]) -> str:
    """A text with placeholders in place of known secrets."""
    for secret, placeholder in secrets.items():
        text = text.replace(secret, placeholder)
    return text


def _mentioned(pieces: Sequence[WatchedPiece], secrets: Mapping[str, str]) -> dict[str, str]:
    """Secrets whose placeholders stand in this request already: an answer named one, and may name it again."""
    there = [one.text for one in pieces if "REDACTED_" in one.text]
    return {secret: held for secret, held in secrets.items() if any(held in text for text in there)}


def _home(body: Any, piece: WatchedPiece) -> Path:
    """The block that a piece was read from."""
    path = path_of(piece.path)
    if len(path) > 1 and path[-1] == "text":  # what it cites stands beside it
        return path[:-1]
    if "tool_calls" in path:  # also custom ones, which are called otherwise within
        path = path[: path.index("tool_calls") + 2]
    value = value_at(body, path)
    return path if value is not None or piece.kind == "call" else path[:-1]


def _texts(body: Any, path: Path) -> Iterator[tuple[Path, str]]:
    """All texts below a place that a model reads, with their places."""
    waiting = [(path, value_at(body, path))]
    while waiting:
        at, value = waiting.pop()
        inside = not _OWN_KEYS.isdisjoint(at[1:])
        if isinstance(value, str):
            yield at, value
        elif isinstance(value, dict):
            waiting += (((*at, key), one) for key, one in value.items() if inside or key not in _UNREAD)
        elif isinstance(value, list):
            waiting += (((*at, n), one) for n, one in enumerate(value))


# The way back: arguments of calls, whole or while they stream. Everything else of an answer stays as it is.


class Restorer:
    """Puts secrets back in the calls of one answer; placeholders may be split over pieces of a stream."""

    def __init__(self, name: WatchedFormat, secrets: Mapping[str, str]) -> None:
        self._format, self._secrets = name, dict(secrets)
        self._pattern = re.compile("|".join(map(re.escape, sorted(secrets, key=len, reverse=True))))
        self._held: dict[str, str] = {}
        self._raw: dict[str, bool] = {}

    def whole(self, body: bytes) -> bytes:
        """An answer that is not a stream; unchanged where it has no call with a placeholder."""
        try:
            document = json.loads(body)
            changed = self._document(document)
        except (ValueError, RecursionError):
            return body
        return body if changed is document else compact(changed).encode("utf-8", "surrogatepass")

    def event(self, text: str) -> str:
        """A whole event of a stream, or a line of one; before it what had to be held back, if it ends something."""
        try:
            return self._event(text)
        except RecursionError:
            return text

    def _event(self, text: str) -> str:
        head, mark, told = self._parts(text)
        document = parsed(told) if told.lstrip().startswith("{") else None
        if not isinstance(document, dict):
            return self._ends(mark) + text if "[DONE]" in told else text
        changed = self._delta(document)
        if changed is None:
            changed = self._document(document)
            before = self._ends(mark) if self._closes(document) else ""
            return before + text if changed is document else before + self._written(head, mark, changed)
        return text if changed is document else self._written(head, mark, changed)

    def rest(self) -> str:
        """What was still held back at the end of a stream."""
        return self._ends("" if self._format == "ollama" else "data: ")

    def _parts(self, text: str) -> tuple[str, str, str]:
        """What stands before the data of an event, its mark, and the data."""
        lines = text.split("\n")
        data = [line.rstrip("\r") for line in lines if line.startswith("data:")]
        if not data:
            return "", "", text
        head = "".join(
            f"{line}\n" for line in lines if line and not line.startswith("data:") and line != "\r"
        )
        return head, "data: ", "\n".join(line[5:].lstrip(" ") for line in data)

    def _written(self, head: str, mark: str, document: Any) -> str:
        said = json.dumps(document, ensure_ascii=True, separators=(",", ":"))
        return f"{head}{mark}{said}\n\n" if mark else f"{said}\n"

    # Pieces of arguments.

    def _delta(self, event: Mapping[str, Any]) -> Any:
        """An event with a piece of arguments, changed; None where it is none, itself where nothing changes."""
        kind = text_in(event, "type")
        if self._format == "anthropic" and kind == "content_block_delta":
            delta = table_in(event, "delta")
            if text_in(delta, "type") != "input_json_delta":
                return event
            text = self._grown(f"{count_in(event, 'index')}", text_in(delta, "partial_json"))
            return _changed(event, ("delta", "partial_json"), text)
        if self._format == "responses" and kind in _ARGUMENT_DELTAS:
            key = f"{kind.split('.')[1]}:{count_in(event, 'output_index')}"
            return _changed(event, ("delta",), self._grown(key, text_in(event, "delta"), raw=kind == _CUSTOM))
        if self._format == "openai":
            return self._chunk(event)
        return None

    def _chunk(self, event: Mapping[str, Any]) -> Any:
        changed: Any = event
        choices = event.get("choices")
        for n, choice in enumerate(choices if isinstance(choices, list) else ()):
            calls = table_in(choice, "delta").get("tool_calls") if isinstance(choice, dict) else None
            for m, call in enumerate(calls if isinstance(calls, list) else ()):
                for name, field_name in (("function", "arguments"), ("custom", "input")):
                    given = table_in(call, name).get(field_name) if isinstance(call, dict) else None
                    if isinstance(given, str):
                        text = self._grown(f"{n}:{count_in(call, 'index')}", given, raw=name == "custom")
                        changed = _changed(
                            changed, ("choices", n, "delta", "tool_calls", m, name, field_name), text
                        )
        return changed if changed is not event else None

    def _grown(self, key: str, piece: str, *, raw: bool = False) -> str:
        """What may go on of a piece: an end that may be the beginning of a placeholder is held back."""
        self._raw[key] = raw
        text = self._put_back(self._held.pop(key, "") + piece, raw=raw)
        held = next((n for n in range(min(len(text), self._longest()), 0, -1) if self._begins(text[-n:])), 0)
        if held:
            self._held[key] = text[-held:]
        return text[: len(text) - held]

    def _longest(self) -> int:
        return max(map(len, self._secrets)) - 1

    def _begins(self, text: str) -> bool:
        return any(one.startswith(text) for one in self._secrets)

    def _put_back(self, text: str, *, raw: bool = False) -> str:
        found = self._pattern.sub(lambda hit: self._plain(hit[0], raw), text)
        return text if found == text else found

    def _plain(self, placeholder: str, raw: bool) -> str:
        secret = self._secrets[placeholder]
        return secret if raw else json.dumps(secret, ensure_ascii=False)[1:-1]

    def _closes(self, event: Mapping[str, Any]) -> bool:
        if not self._held:
            return False
        kind = text_in(event, "type")
        said = any(one.get("finish_reason") for one in tables_in(event, "choices"))
        return said or kind in _ENDING or kind.endswith((".done", ".completed", ".incomplete", ".failed"))

    def _ends(self, mark: str) -> str:
        """Events with what was held back, since nothing more comes that could complete it."""
        held, self._held = self._held, {}
        return "".join(self._written(*self._rest(key, text, mark)) for key, text in held.items())

    def _rest(self, key: str, text: str, mark: str) -> tuple[str, str, Any]:
        if self._format == "anthropic":
            delta = {"type": "input_json_delta", "partial_json": text}
            name = "content_block_delta"
            return f"event: {name}\n", mark, {"type": name, "index": _number(key), "delta": delta}
        first, _, place = key.partition(":")
        if self._format == "responses":
            name = f"response.{first}.delta"
            return f"event: {name}\n", mark, {"type": name, "output_index": _number(place), "delta": text}
        inner = {"custom": {"input": text}} if self._raw.get(key) else {"function": {"arguments": text}}
        call = {"index": _number(place), **inner}
        return "", mark, {"choices": [{"index": int(first), "delta": {"tool_calls": [call]}}]}

    # Whole calls.

    def _document(self, document: Any, inside: bool = False, key: str = "") -> Any:
        """A value with secrets put back in its calls; itself where nothing changes."""
        if isinstance(document, str):
            # Arguments that are written as JSON have another one within; an object or a custom input is as it is.
            return self._put_back(document, raw=key != "arguments") if inside else document
        if isinstance(document, dict):
            calls = _is_call(document)
            made = {
                name: self._document(
                    one, inside or (calls and name in _ARGUMENTS), name if not inside else ""
                )
                for name, one in document.items()
            }
            return made if any(made[name] is not one for name, one in document.items()) else document
        if isinstance(document, list):
            items = [self._document(one, inside, "") for one in document]
            return items if any(a is not b for a, b in zip(items, document, strict=True)) else document
        return document


_CUSTOM = "response.custom_tool_call_input.delta"
_ARGUMENT_DELTAS = ("response.function_call_arguments.delta", _CUSTOM)
_ENDING = ("content_block_stop", "message_delta", "message_stop", "error")
_ARGUMENTS = frozenset({"input", "arguments", "args", "action"})


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else 0


def _is_call(block: Mapping[str, Any]) -> bool:
    """Whether an object is a call, or an event about one."""
    kind = str(block.get("type", ""))
    if kind.endswith(("tool_use", "_call", "arguments.done", "call_input.done")):
        return True
    return "args" in block or ("name" in block and ("arguments" in block or "input" in block))


def _changed(event: Any, path: Sequence[str | int], text: str) -> Any:
    """An event with another text at a place; the event itself where that is the same."""
    if value_at(event, tuple(path)) == text:
        return event
    made = event.copy()
    made[path[0]] = text if len(path) == 1 else _changed(event[path[0]], path[1:], text)
    return made
