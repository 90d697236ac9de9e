"""The settings page of models and keys: where answers come from, and the keys for that."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise

from PySide6.QtCore import QSignalBlocker, Qt, QUrl, Signal
from PySide6.QtWidgets import QWidget

from workbench.domain.model import ModelCard, ModelListing, session_problem
from workbench.domain.provider import BY_NAME, HOSTED
from workbench.domain.secrets import Secret
from workbench.domain.settings.app_preferences import Preferences
from workbench.engine.program_intents import ChangePreferences, KeepProviderKey, ListModels, WarmModel
from workbench.engine.state import Readiness, WorkbenchState
from workbench.net.rules import Target, is_here, may_be_private, target_of
from workbench.ui.dialogs.model_picker import via_words, window_words
from workbench.ui.dialogs.settings_parts import Page, SettingRow, clear
from workbench.ui.look.space import columns, fill, rows
from workbench.ui.look.tones import Tone
from workbench.ui.translation import tr
from workbench.ui.widgets.badge import Badge
from workbench.ui.widgets.buttons import Button, button, on_click
from workbench.ui.widgets.card import ICON_ROOM, Card, CardRow
from workbench.ui.widgets.choice import Check, Choice, Field, SecretField
from workbench.ui.widgets.labels import label, set_text
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.widgets.stack import transparent
from workbench.ui.wishes import DeclareModel

# Leave for one server in one's own network: to be asked without encryption, and to get its key that way.


class PlainTicks(QWidget):
    """Permissions for one server: to connect without encryption and, only then, to send its key that way.

    Signals:
        changed: the new preferences.
    """

    changed = Signal(object)

    def __init__(self, url: str, preferences: Preferences) -> None:
        super().__init__()
        self._origin, self._preferences = target_of(url).origin, preferences
        self.plain = Check(tr("Ask without encryption"))
        self.plain.setToolTip(tip(tr("Others in your network can read what you send, and what it answers.")))
        self.key = Check(tr("Send its key as well"))
        self.key.setToolTip(tip(tr("Others in your network can read the key, and use it.")))
        for check, allowed in (
            (self.plain, preferences.plain_http),
            (self.key, preferences.plain_http_with_key),
        ):
            with QSignalBlocker(check):
                check.setChecked(self._origin in origins(allowed))
            check.toggled.connect(self._emit_preferences)
        self.key.setEnabled(self.plain.isChecked())
        fill(rows(self, spacing=4), self.plain, self.key)

    def _emit_preferences(self) -> None:
        plain = self.plain.isChecked()
        wanted = without_plain_http(self._preferences, self._origin)
        if plain:
            wanted = replace(wanted, plain_http=(*wanted.plain_http, self._origin))
        if plain and self.key.isChecked():
            wanted = replace(wanted, plain_http_with_key=(*wanted.plain_http_with_key, self._origin))
        self.changed.emit(wanted)


def can_be_plain(url: str) -> bool:
    """Whether a server is in the user's own network and its address has no encryption."""
    target = _target(url)
    return (
        target is not None and target.scheme == "http" and not target.is_here and may_be_private(target.host)
    )


def without_plain_http(preferences: Preferences, url: str) -> Preferences:
    """The preferences without any permission for unencrypted connections to that address."""
    gone = origins((url,))
    return replace(
        preferences,
        plain_http=tuple(one for one in preferences.plain_http if not origins((one,)) & gone),
        plain_http_with_key=tuple(
            one for one in preferences.plain_http_with_key if not origins((one,)) & gone
        ),
    )


def origins(urls: tuple[str, ...]) -> set[str]:
    """The origins of addresses; invalid addresses are ignored."""
    return {target.origin for target in map(_target, urls) if target is not None}


def _target(url: str) -> Target | None:
    try:
        return target_of(url)
    except (ValueError, KeyError):
        return None


# Adding, replacing and removing a key: the field is there only while one is typed, and what is kept is
# never shown.


class KeyAction(QWidget):
    """Buttons and field to add, replace or remove the key of one server.

    Signals:
        typed: the new key. removed: the key is to be removed.
    """

    typed = Signal(str)
    removed = Signal()

    def __init__(self, name: str, known: bool) -> None:
        super().__init__()
        self._name = name
        self.begin = on_click(button(tr("Replace…") if known else tr("Add key…")), self._show_field)
        self.forget = on_click(button(tr("Remove"), "danger"), self.removed)
        if not known:
            self.forget.hide()
        self._across = fill(columns(self, spacing=8), self.begin, self.forget)

    @cached_property
    def field(self) -> SecretField:
        made = SecretField(tr("Key"))
        made.setFixedWidth(240)
        made.setAccessibleName(tr("Key for {name}").format(name=self._name))
        made.returnPressed.connect(self._emit_key)
        made.textChanged.connect(lambda typed: self.save.setEnabled(bool(typed.strip())))
        return made

    @cached_property
    def save(self) -> Button:
        made = on_click(button(tr("Save"), "primary"), self._emit_key)
        made.setEnabled(False)
        return made

    def is_typing(self) -> bool:
        return self.begin.isHidden() and bool(self.field.text())

    def _show_field(self) -> None:
        self.begin.hide()
        self.forget.hide()
        for place, (before, made) in enumerate(pairwise((self.begin, self.field, self.save))):
            self._across.insertWidget(place, made)
            QWidget.setTabOrder(before, made)
            made.show()
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _emit_key(self) -> None:
        key = self.field.text().strip()
        if key:
            self.field.clear()
            self.typed.emit(key)


Look = tuple[Tone, str, str]


class ModelsPage(Page):
    """The sources of models, each with its state in a badge and what can be done about it."""

    def __init__(self) -> None:
        super().__init__(
            tr("Models and keys"),
            tr("The models you can use. Each key is sent only to the host it belongs to."),
        )
        self._shown: tuple[object, ...] = ()
        again = on_click(button(tr("Refresh"), icon="refresh"), lambda: self.wishes.send(ListModels()))
        self.top.addWidget(again, 0, Qt.AlignmentFlag.AlignTop)
        self._sources = transparent()
        self._sources_column = rows(self._sources)
        self.column.addWidget(self._sources)
        self.default = Choice()
        self.default.activated.connect(lambda _index: self._set_default(self.default.chosen()))
        self.add_card(SettingRow(tr("Model for new chats"), tr("Existing chats keep theirs."), self.default))
        self.add_heading(tr("Add a server"))
        self._server_form()
        self.add_heading(tr("Available models"))
        self._listed = Card()
        self._listed_column = rows(self._listed, (16, 8, 16, 8), 4)
        self.column.addWidget(self._listed)
        self.end()

    def show_state(self, state: WorkbenchState) -> None:
        self._preferences = state.preferences
        shows = (state.models, state.key_origins, state.preferences, state.readiness.get("builtin"))
        if shows == self._shown or self._is_typing_key():
            return
        self._shown = shows
        clear(self._sources_column)
        self._sources_column.addWidget(self._sources_card(state))
        self._show_models(state.models or ())

    def _is_typing_key(self) -> bool:
        """Whether a key is being typed, whose field must not be replaced meanwhile."""
        found: list[KeyAction] = list(self._sources.findChildren(KeyAction))
        return any(action.is_typing() for action in found)

    def _sources_card(self, state: WorkbenchState) -> Card:
        card = Card()
        card.add_row(self._builtin_row(state.readiness.get("builtin")))
        card.add_row(self._ollama_row(state.models or ()))
        for one in HOSTED:
            # A gateway in its place has a key of its own.
            origin = origin_of(state.preferences.addresses.get(one.name, one.url))
            host = origin.removeprefix("https://").removesuffix(":443")
            known = origin in _with_ports(state.key_origins)
            via = next(
                (via_words(each) for each in state.models or () if each.name.startswith(f"{one.name}:")), ""
            )
            card.add_row(self._hosted_row(one.title, shown(host) + via, (origin, known)))
        for name, url in state.preferences.servers.items():
            known = origin_of(url) in _with_ports(state.key_origins)
            reason = server_refusal(name, state.models)
            found = any(one.card and one.name.startswith(f"{name}:") for one in state.models or ())
            line = "" if reason else server_line(name, state.models)
            card.add_row(self._server_row(name, url, known, line, found))
            if reason:
                told = label(shown(reason, 1000), "small", "err", wrap=True)
                told.setContentsMargins(ICON_ROOM + 12, 6, 12, 8)
                card.add_row(told)
        return card

    def _builtin_row(self, readiness: Readiness | None) -> CardRow:
        looks: Look = ("neutral", "chip", tr("not started"))
        if readiness is not None and readiness.problem:
            looks = ("err", "warn", tr("can’t start"))
        elif readiness is not None:
            looks = ("ok", "check", tr("ready")) if readiness.ready else ("neutral", "chip", tr("starting"))
        start = None
        if readiness is None or readiness.problem:
            start = on_click(button(tr("Start")), lambda: self.wishes.send(WarmModel("builtin")))
        line = readiness.problem if readiness is not None and readiness.problem else ""
        words = shown(line, 160) or tr("SmolLM2 135M, runs on this computer")
        return CardRow("chip", tr("Built-in"), words, Badge(*looks), start)

    def _ollama_row(self, models: Sequence[ModelListing]) -> CardRow:
        found = [one for one in models if one.name.startswith("ollama:") and one.card is not None]
        looks: Look = ("ok", "check", tr("detected")) if found else ("neutral", "info", tr("not running"))
        line = (
            (tr("one model found") if len(found) == 1 else tr("{n} models found").format(n=len(found)))
            if found
            else tr("Start it to see its models here.")
        )
        return CardRow("server", "Ollama", line, Badge(*looks))

    def _hosted_row(self, name: str, host: str, key: tuple[str, bool]) -> CardRow:
        origin, known = key
        looks: Look = ("ok", "key", tr("key saved")) if known else ("neutral", "key", tr("no key"))
        action = KeyAction(name, known)
        action.typed.connect(lambda key: self.wishes.send(KeepProviderKey(origin, Secret.of_text(key))))
        action.removed.connect(lambda: self.wishes.send(KeepProviderKey(origin, None)))
        return CardRow("globe", name, host, Badge(*looks), action)

    def _server_row(self, name: str, url: str, known: bool, line: str, answers: bool) -> CardRow:
        looks: Look = ("ok", "key", tr("key saved")) if known else ("neutral", "key", tr("no key"))
        if answers and not known:
            looks = ("ok", "check", tr("no key needed"))
        action = KeyAction(name, known)
        action.typed.connect(lambda key: self.wishes.send(KeepProviderKey(url, Secret.of_text(key))))
        action.removed.connect(lambda: self.wishes.send(KeepProviderKey(url, None)))
        session = self._preferences.sessions.get(name, "")
        told = tr("session in {name}").format(name=shown(session, 64)) if session else ""
        words = " · ".join(filter(None, (shown(url, 120), told, shown(line, 240))))
        row = CardRow("server", shown(name), words, Badge(*looks), action)
        row.line.setToolTip(tip(words))
        edit = on_click(button(tr("Edit")), lambda: self._edit_server(name, url))
        edit.setAccessibleName(tr("Edit {name}").format(name=shown(name)))
        row.end.addWidget(edit)
        remove = on_click(button(tr("Remove server"), "danger"), lambda: self._remove_server(name))
        row.end.addWidget(remove)
        if can_be_plain(url):
            plain = PlainTicks(url, self._preferences)
            plain.changed.connect(self._send)
            row.end.addWidget(plain)
        return row

    def _server_form(self) -> None:
        card = Card()
        down = rows(card, (16, 12, 16, 12), 6)
        row, more = columns(down, spacing=8), columns(down, spacing=8)
        self.server_problem = label("", "small", "err", wrap=True)
        self.server_name = Field(tr("Name, such as lab"))
        self.server_url = Field(tr("Address, such as localhost:8080"))
        self.server_key = SecretField(tr("Key, if it needs one"))
        self.server_session = Field(tr("Session header, if any"))
        self.server_session.setToolTip(
            tip(
                tr(
                    "For several replicas behind a router: the header that it routes by, such as X-Session-ID, "
                    "or prompt_cache_key or user for a field of the request. Every request of a chat names the "
                    "same session, so its cache stays warm."
                )
            )
        )
        self.server_add = on_click(button(tr("Add")), self._add_server)
        self._edited = ""
        for field in (self.server_name, self.server_url, self.server_key, self.server_session):
            field.returnPressed.connect(self._add_server)
            field.textEdited.connect(lambda _: self.server_problem.hide())
        self.server_name.setMaximumWidth(160)
        fill(row, self.server_name, self.server_url)
        fill(more, self.server_key, self.server_session, self.server_add)
        self.server_problem.hide()
        down.addWidget(self.server_problem)
        self.column.addWidget(card)

    def _show_models(self, models: Sequence[ModelListing]) -> None:
        clear(self._listed_column)
        usable = [one for one in models if one.usable and one.card is not None]
        names = [one.name for one in usable]
        if self._preferences.model not in names:
            names.insert(0, self._preferences.model)
        self.default.clear()
        for name in names:
            self.default.addItem(shown(name, 60), name)
        self.default.choose(self._preferences.model)
        for one in usable:
            assert one.card is not None
            line = columns(self._listed_column, spacing=12)
            line.addWidget(label(shown(one.name, 60), "ui"), 1)
            count = _count_words(one.card)
            fill(line, label(count, "small", "t3"), label(window_words(one.card), "small", "t2"))
            facts = one.card
            if facts.window_assumed or facts.window_from or facts.counted_at_send or facts.declared:
                about = button(tr("Window and abilities…"), "ghost", size="small")
                about.setAccessibleName(tr("Window and abilities of {name}").format(name=shown(one.name, 60)))
                about.clicked.connect(lambda _=False, name=one.name: self.wishes.run(DeclareModel(name)))
                line.addWidget(about)
        if not usable:
            self._listed_column.addWidget(label(tr("Nothing was found yet."), "small", "t3"))

    def _set_default(self, model: str) -> None:
        self._send(replace(self._preferences, model=model))

    def _edit_server(self, name: str, url: str) -> None:
        """Put a server back into the form to edit it; Save replaces it."""
        self._edited = name
        self.server_name.setText(name)
        self.server_url.setText(url)
        self.server_session.setText(self._preferences.sessions.get(name, ""))
        self.server_add.setText(tr("Save"))
        self.server_url.setFocus()

    def _add_server(self) -> None:
        url = full_address(self.server_url.text().strip())
        name = self.server_name.text().strip() or host_name(url)
        known = {one: at for one, at in self._preferences.servers.items() if one != self._edited}
        session = self.server_session.text().strip()
        problem = server_problem(name, url, known) or _session_words(session)
        set_text(self.server_problem, problem)
        self.server_problem.setVisible(bool(problem))
        if not problem:
            if key := self.server_key.text().strip():
                self.wishes.send(KeepProviderKey(url, Secret.of_text(key)))
            sessions = {
                **self._sessions_without(self._edited or name),
                **({name: session} if session else {}),
            }
            self._send(replace(self._preferences, servers={**known, name: url}, sessions=sessions))
            self._edited = ""
            self.server_add.setText(tr("Add"))
            self.server_name.clear()
            self.server_url.clear()
            self.server_session.clear()
            self.server_key.clear()

    def _sessions_without(self, name: str) -> dict[str, str]:
        return {known: way for known, way in self._preferences.sessions.items() if known != name}

    def _remove_server(self, name: str) -> None:
        servers = {known: url for known, url in self._preferences.servers.items() if known != name}
        left = replace(self._preferences, servers=servers, sessions=self._sessions_without(name))
        # Leave that was given to its address ends with it.
        self._send(without_plain_http(left, self._preferences.servers[name]))

    def _send(self, wanted: Preferences) -> None:
        self.wishes.send(ChangePreferences(wanted, self._preferences))


def full_address(typed: str) -> str:
    """A typed address, completed: with a scheme, and with /v1 if it has no path, as compatible servers expect."""
    if not typed or " " in typed:
        return typed
    url = QUrl(typed if "://" in typed else f"{'http' if _is_near(typed) else 'https'}://{typed}")
    if url.host() and url.path() in ("", "/"):
        url.setPath("/v1")
    return url.toString()


def _is_near(typed: str) -> bool:
    """Whether a host is this computer or in its network, where servers seldom have a certificate."""
    host = typed.partition("/")[0].rpartition(":")[0] or typed.partition("/")[0]
    host = host.strip("[]")
    return is_here(host) or may_be_private(host)


def host_name(url: str) -> str:
    """A name for an unnamed server: its host and port."""
    parsed = QUrl(url)
    port = f"-{parsed.port()}" if parsed.port() > 0 else ""
    return f"{parsed.host()}{port}" if parsed.host() else ""


def server_problem(name: str, url: str, known: Collection[str]) -> str:
    """Why a server cannot be added as typed; empty if it can."""
    if not name or not url:
        return tr("A server needs an address, such as localhost:8080 or https://gpu1.lab.example/v1.")
    if ":" in name or name in BY_NAME:
        return tr("“{name}” can’t be used as a name here. Choose another one.").format(name=shown(name, 40))
    if name in known:
        return tr("A server named “{name}” already exists. Remove it first, or choose another name.").format(
            name=shown(name, 40)
        )
    parsed = QUrl(url)
    if parsed.scheme() not in ("http", "https") or not parsed.host():
        return tr("An address looks like https://gpu1.lab.example/v1, or http://127.0.0.1:8080/v1.")
    return ""


def _session_words(session: str) -> str:
    why = session_problem(session) if session else ""
    return tr("The session can’t be named that way: {why}.").format(why=why) if why else ""


def server_refusal(name: str, models: Sequence[ModelListing] | None) -> str:
    """Why a server's models cannot be used; empty if they can, or if it was not asked yet."""
    mine = [one for one in models or () if one.name.partition(":")[0] == name]
    return "" if not mine or any(one.card is not None for one in mine) else mine[0].advice


def server_line(name: str, models: Sequence[ModelListing] | None) -> str:
    """What a server answered when asked for its models."""
    mine = [one for one in models or () if one.name.partition(":")[0] == name]
    found = [one for one in mine if one.card is not None]
    if found:
        count = tr("one model") if len(found) == 1 else tr("{n} models").format(n=len(found))
        return count + via_words(found[0])
    if not mine:
        return tr("being asked for its models")
    return mine[0].advice or tr("names no models; type {name}:MODEL to ask one").format(name=name)


def origin_of(url: str) -> str:
    """The origin of a server's address, with its port, for which its key is stored."""
    parsed = QUrl(url)
    port = parsed.port(443 if parsed.scheme() == "https" else 80)
    return f"{parsed.scheme()}://{parsed.host()}:{port}"


def _with_ports(origins: Sequence[str]) -> set[str]:
    """The origins with their ports, to be compared."""
    return {origin if origin.count(":") > 1 else f"{origin}:443" for origin in origins}


def _count_words(card: ModelCard) -> str:
    if card.tokenizer.startswith("server:"):
        at_send = tr("counted by its own server, at Send")
        return at_send if card.counted_at_send else tr("counted by its own server")
    return tr("counted exactly") if card.exact else tr("counted approximately")
