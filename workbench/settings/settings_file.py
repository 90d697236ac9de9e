"""The settings file: TOML that people edit too, so comments, order and unknown entries stay; keys never get in.

A file that cannot be understood is left where and as it is: it may say where requests go, so nothing is sent by it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn

from workbench.domain.errors import InvalidInput
from workbench.domain.provider import HOSTED
from workbench.domain.reading.node import JsonPath
from workbench.domain.settings.app_preferences import Preferences, SavingOff, SettingsProblem, blocking
from workbench.domain.translation import tr
from workbench.files.reading import broken_link, user_file
from workbench.files.writing import FOLDER_MODE, write_whole
from workbench.settings.form import (
    Position,
    check_form,
    mistake_in,
    position_of,
    read_form,
    unknown_names,
    write_form,
)
from workbench.settings.key_like import cut, dotted, key_like

# Changes entries of a TOML text and leaves the rest as it was written: comments, order, and what nobody knows.


Change = Callable[[MutableMapping[str, Any]], None]


def edited(text: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """The text with what differs between old and new put in, and everything that looks like a key taken out.

    Each result is read again before it counts: the library loses its way in tables that are written in several
    places, and then the less careful way is taken.
    """
    import tomlkit  # only changes need it: reading does not, and it takes 10 ms of a start

    entries = tomllib.loads(text)
    take_out_keys(entries)
    apply(entries, old, new)
    for change in (_carefully(old, new), _table_by_table(entries)):
        result = _changed_text(text, change)
        if result is not None and tomlkit.parse(result).unwrap() == entries:
            return result
    return tomlkit.dumps(entries)


def take_out_keys(entries: Any) -> None:
    """Remove what looks like a key, from plain entries or a document of tomlkit."""
    plain = entries if type(entries) is dict else entries.unwrap()
    for place in list(key_like(plain)):
        cut(entries, place)


def apply(entries: MutableMapping[str, Any], old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
    """Change only what differs, entry by entry."""
    for name in old.keys() - new.keys():
        entries.pop(name, None)
    for name, value in new.items():
        before, inside = old.get(name), entries.get(name)
        if name in old and before == value:
            continue
        if isinstance(value, dict) and isinstance(inside, MutableMapping):
            apply(inside, before if isinstance(before, dict) else {}, value)
        else:
            entries[name] = value


def _carefully(old: Mapping[str, Any], new: Mapping[str, Any]) -> Change:
    def change(document: MutableMapping[str, Any]) -> None:
        take_out_keys(document)
        apply(document, old, new)

    return change


def _table_by_table(entries: Mapping[str, Any]) -> Change:
    """Whatever changed at the top is written anew; only the comments inside it are lost."""

    import tomlkit

    def change(document: MutableMapping[str, Any]) -> None:
        plain = tomlkit.parse(tomlkit.dumps(document)).unwrap()
        for name in plain:
            if name not in entries or entries[name] != plain[name]:
                del document[name]
        for name, value in entries.items():
            if name not in document:
                document[name] = value

    return change


def _changed_text(text: str, change: Change) -> str | None:
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(text)
        change(document)
        result = tomlkit.dumps(document)
        tomlkit.parse(result)
    except (TOMLKitError, LookupError, TypeError, ValueError, AttributeError):
        return None
    return result


# A look through settings that are TOML: what they say, and what is wrong with them, by line and column.
#
# Names that mean where a request goes, or what is taken out of it, are known however they are misspelt: what was
# meant by them is not guessed, and nothing is sent.


KEYS_BELONG = tr("`workbench keys provider` keeps keys encrypted")
GUARDED = (
    *(one.gateway for one in HOSTED if one.gateway),
    "servers",
    "redaction",
    "proxy",
    "ca_file",
    "offline",
    "spend",
)
"""The settings that say where a request goes, which way, whether at all, what it may cost, and what is taken out of
it."""

# What people write who expect such a setting where there is none, or under another name.
_WORDS = frozenset({"url", "uri", "address", "endpoint", "gateway", "proxy", "host", "server", "redact"})
_TABLES = ("servers", "models", "shortcuts")
_NEAR, _VERY_NEAR = 0.8, 0.85


def near_guarded(name: str) -> str:
    """Which of those names, or of the words in them, an unknown one is close to; empty where none is."""
    near = _close(name, GUARDED, _NEAR) or _close(name, tuple(_WORDS), _NEAR)
    return near or next((word for word in re.split(r"[^a-z]+", name.lower()) if word in _WORDS), "")


def _close(name: str, names: Sequence[str], cutoff: float) -> str:
    near = get_close_matches(name.lower(), names, n=1, cutoff=cutoff)
    return near[0] if near else ""


def near_inside(place: tuple[str, ...], entries: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
    """The unknown entry, and those inside it, whose names are close to one of those, each with that name."""
    value: Any = entries
    for step in place:
        value = value[step]
    near = near_guarded(place[-1])
    if near:
        yield place, near
    elif isinstance(value, Mapping):
        for name in value:
            yield from near_inside((*place, str(name)), entries)


def misplaced(entries: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str], str]]:
    """Settings that stand below the head of a table where any name goes, so that they mean nothing; and which."""
    for table in _TABLES:
        inside = entries.get(table)
        for name in inside if isinstance(inside, Mapping) else ():
            near = _close(str(name), GUARDED, _VERY_NEAR)
            # A server may be called that: its address is no other's.
            if near and near != table and (table, name) != ("servers", "proxy"):
                yield (table, str(name)), near


class TomlCheck:
    """A look through a text that is TOML: the preferences in it, and everything that is wrong with them."""

    def __init__(self, path: str, text: str) -> None:
        self._path, self._text = path, text
        self.problems: list[SettingsProblem] = []
        entries = tomllib.loads(text)
        for place in key_like(entries):
            # Without its address, a provider would be asked itself.
            blocks = place[0] in GUARDED and len(place) == 1
            goes = "" if blocks else tr(", and goes when settings are saved")
            said = tr(
                "{dotted} looks like a key. It is not used{goes}: {keys_belong}",
                dotted=dotted(place),
                goes=goes,
                keys_belong=KEYS_BELONG,
            )
            self._note(place, said, blocks=blocks)
        take_out_keys(entries)
        for place, words in _suspects(entries):
            self._note(place, words)
        for unknown, suggestion in unknown_names(entries):
            if not list(near_inside(unknown, entries)):
                said = tr(
                    "{dotted} is not a setting; it is left as it is{suggestion}",
                    dotted=dotted(unknown),
                    suggestion=suggestion,
                )
                self._note(unknown, said, blocks=False)
        self.preferences = read_form(
            entries, lambda at, words: self._note(at, tr("{dotted}: {words}", dotted=dotted(at), words=words))
        )

    def _note(self, place: JsonPath, words: str, *, blocks: bool = True) -> None:
        at = position_of(place, self._text) or Position(1, 1)
        self.problems.append(SettingsProblem(self._path, words, *at, blocks=blocks))


def _suspects(entries: dict[str, Any]) -> Iterator[tuple[JsonPath, str]]:
    """What is no setting here, and was probably meant to say where requests go or what is taken out of them."""
    for unknown, _ in unknown_names(entries):
        for place, near in near_inside(unknown, entries):
            like = (
                tr("but very like {near}", near=near)
                if near in GUARDED
                else tr("but reads like an address, proxy or redaction")
            )
            yield place, tr("{dotted} is not a setting, {like}", dotted=dotted(place), like=like)
    for place, meant in misplaced(entries):
        yield (
            place,
            f"{dotted(place)} has no effect below [{place[0]}]; {meant} belongs above the first table",
        )


FILE_NAME = "settings.toml"
MOST_BYTES = 256 * 1024
_HEAD = "# Settings of Context Workbench. Keys do not belong here: `workbench keys provider` keeps them.\n\n"


class SettingsFile:
    """The settings of one data folder → PreferencesStore."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE_NAME
        self._problems: tuple[SettingsProblem, ...] = ()
        self._known = Preferences()
        self._seen = False

    @property
    def problems(self) -> tuple[SettingsProblem, ...]:
        """What was wrong when the file was last read."""
        return self._problems

    def load(self) -> Preferences:
        """What the file says; what is wrong has its default, and the file is left as it is."""
        text, wrong = self._read()
        if text is None and wrong is None and self._seen:
            # Deleted, or a disk that is away: who goes on without it has to say so.
            words = tr("the file was there and is gone; put it back, or start again to go on without it")
            wrong = SettingsProblem(str(self._path), words)
        self._known, self._problems = Preferences(), () if wrong is None else (wrong,)
        if text is not None:
            self._seen = True
            looked = TomlCheck(str(self._path), text)
            self._known, self._problems = looked.preferences, tuple(looked.problems)
        return self._known

    def save(self, preferences: Preferences) -> None:
        """Write what differs from what was read last; whatever else was changed in the file since stays."""
        new, old = write_form(preferences), write_form(self._known)
        for place in key_like(new):
            raise InvalidInput(
                dotted(place),
                tr("looks like a key, and was not saved; {keys_belong}", keys_belong=KEYS_BELONG),
            )
        check_form(new, _refuse)
        text, wrong = self._read()
        if text is not None:
            wrong = blocking(tuple(TomlCheck(str(self._path), text).problems))
        if wrong is not None:
            raise SavingOff(wrong)
        if text is None:
            text, old = _HEAD, write_form(Preferences())
        self._write(edited(text, old, new))
        self._known = preferences

    def _read(self) -> tuple[str | None, SettingsProblem | None]:
        """The file's text, where there is one that can be understood; else what is wrong with it, if anything is."""
        try:
            with user_file(str(self._path)) as opened:
                content = opened.read(MOST_BYTES + 1)
        except FileNotFoundError:
            link = broken_link(self._path)
            words = tr("the file could not be read (the link {link} leads nowhere)", link=link)
            return None, None if link is None else SettingsProblem(str(self._path), words)
        except OSError as problem:
            return None, SettingsProblem(
                str(self._path),
                tr("the file {problem_text}", problem_text=_problem_text(tr("could not be read"), problem)),
            )
        wrong = _wrong_with(content)
        if wrong is None:
            return content.decode(), None
        words, at = wrong
        return None, SettingsProblem(str(self._path), words, *(at or ()))

    def _write(self, text: str) -> None:
        try:
            path = self._path.resolve()
            path.parent.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
            write_whole(path, text.encode())
        except OSError as problem:
            words = tr(
                "{problem_text} and is as it was",
                problem_text=_problem_text(tr("could not be written"), problem),
            )
            raise InvalidInput(str(self._path), words) from None


def _wrong_with(content: bytes) -> tuple[str, Position | None] | None:
    """Why this cannot be settings, and where; without the reader's own words, which may quote what stands there."""
    if len(content) > MOST_BYTES:
        return tr("the file is far too large"), None
    try:
        tomllib.loads(content.decode())
    except (ValueError, RecursionError):
        return tr("this is not valid TOML"), mistake_in(content) or Position(1, 1)
    return None


def _refuse(place: JsonPath, words: str) -> NoReturn:
    raise InvalidInput(dotted(place), tr("{words}; nothing was saved", words=words))


def _problem_text(what: str, problem: OSError) -> str:
    return tr(
        "{what} ({strerror})", what=what, strerror=problem.strerror or str(problem) or type(problem).__name__
    )
