"""The page of the first start: what the program is for, a model that is ready, and where to go next."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea, QWidget

from workbench.domain.model import ModelListing
from workbench.domain.provider import HOSTED
from workbench.engine.state import Readiness, WorkbenchState
from workbench.ui.chat.notices import sample_words
from workbench.ui.formatting import counted, seconds
from workbench.ui.look.space import columns, fill, rows
from workbench.ui.look.tones import Tone
from workbench.ui.translation import tr
from workbench.ui.widgets.badge import Badge
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.card import Card, CardRow
from workbench.ui.widgets.labels import KeyCap, label
from workbench.ui.widgets.plain import shown
from workbench.ui.widgets.progress import ProgressLine
from workbench.ui.widgets.stack import FlowLayout, transparent
from workbench.ui.wishes import OpenSettings, Wishes

MOST_WIDTH = 720
BUILTIN = "builtin"


class Welcome(QScrollArea):
    """Shown in place of the transcript until the user goes on."""

    def __init__(self, wishes: Wishes | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.wishes = wishes or Wishes(self)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(tr("Welcome"))
        holder = transparent()
        across = columns(holder, (24, 24, 24, 16))
        content = transparent()
        content.setMaximumWidth(MOST_WIDTH)
        across.addWidget(content)
        self._column = rows(content, spacing=12)
        self._add_head()
        self.model_badge, self.model_bar = Badge(), ProgressLine()
        self.model = CardRow("chip", tr("Your model"), " ", self.model_badge)
        self._add_card(self.model)
        self._column.addWidget(self.model_bar)
        self._add_buttons()
        fill(self._column, 8, label(tr("Other models"), "ui_heading"))
        self._add_other_models()
        self._column.addWidget(label(tr("Your data"), "ui_heading"))
        self._add_data_card()
        self._add_key_hints()
        self._column.addStretch(1)
        self.setWidget(holder)
        self._shown: object = None

    def show_state(self, state: WorkbenchState, protected_by: str, code_kept: bool) -> None:
        shows = (state.readiness.get(BUILTIN), state.models, protected_by, code_kept)
        if shows == self._shown:
            return
        self._shown = shows
        self._show_model(state.readiness.get(BUILTIN))
        self._show_ollama(state.models or ())
        self.safe.set_line(protected_by)
        tone: Tone = "ok" if code_kept else "warn"
        words = tr("saved") if code_kept else tr("not saved yet")
        self.code_badge.show_words(tone, "check" if code_kept else "warn", words)

    def _add_head(self) -> None:
        self._column.addWidget(label(tr("See what the model sees before you send"), "figure", wrap=True))
        fill(self._column, label(sample_words(), "chat", "t2", wrap=True), 4)

    def _add_buttons(self) -> None:
        row = FlowLayout(None, 8, 8)
        self._column.addLayout(row)
        self.sample = button(tr("Open the sample chat"), "primary", icon="play", size="welcome")
        self.new = button(tr("New chat"), icon="plus", size="welcome")
        self.folder = button(tr("Attach a folder…"), icon="folder", size="welcome")
        self.sample.clicked.connect(lambda: self.wishes.run("go-on"))
        self.new.clicked.connect(lambda: self.wishes.run("new-chat"))
        self.folder.clicked.connect(lambda: self.wishes.run("attach-folder"))
        for made in (self.sample, self.new, self.folder):
            row.addWidget(made)

    def _add_other_models(self) -> None:
        self.ollama_badge = Badge()
        self.ollama = CardRow("server", "Ollama", " ", self.ollama_badge, self._settings_button(tr("Use")))
        server = CardRow(
            "globe", tr("OpenAI, or a compatible server"), tr("Needs a key, or the address of your own server"),
            None, self._settings_button(tr("Add…")),
        )  # fmt: skip
        others = (
            CardRow("globe", one.title, tr("Needs a key"), None, self._settings_button(tr("Add key…")))
            for one in HOSTED
            if one.name != "openai"
        )
        self._add_card(self.ollama, server, *others)

    def _add_data_card(self) -> None:
        self.code_badge = Badge()
        self.safe = CardRow(
            "shield", tr("Chats are encrypted on disk"), " ", Badge("ok", "lock", tr("protected"))
        )
        show = on_click(button(tr("Make a new code…")), lambda: self.wishes.run("recovery"))
        line = label(
            tr("Unlocks your chats if you lose the passphrase, keyring or key file. Print it."),
            "small",
            "t3",
            wrap=True,
        )
        self._add_card(self.safe, CardRow("key", tr("Recovery code"), line, self.code_badge, show))

    def _add_key_hints(self) -> None:
        row = FlowLayout(None, 14, 8)
        self._column.addLayout(row)
        for key, words in (
            ("Ctrl+K", tr("commands")), ("Ctrl+N", tr("new chat")), ("F1", tr("guide")),
            ("F6", tr("next pane")),
        ):  # fmt: skip
            pair = QWidget()
            fill(columns(pair, spacing=6), KeyCap(key), label(words, "small", "t3"))
            row.addWidget(pair)

    def _settings_button(self, words: str) -> QWidget:
        made = on_click(button(words), lambda: self.wishes.run(OpenSettings("models")))
        return made

    def _add_card(self, *lines: CardRow) -> None:
        card = Card()
        for line in lines:
            card.add_row(line)
        self._column.addWidget(card)

    def _show_model(self, readiness: Readiness | None) -> None:
        self.model.set_line(tr("SmolLM2 135M, 93 MB. Runs on this computer: no key, no account."))
        busy = readiness is not None and not readiness.ready and not readiness.problem
        self.model_bar.setVisible(busy)
        if readiness is None:
            self.model_badge.show_words("neutral", "chip", tr("not started"))
        elif readiness.problem:
            self.model_badge.show_words("err", "warn", tr("can’t start"))
            self.model.set_line(shown(readiness.problem, 200))
        elif readiness.ready:
            took = "" if readiness.took_ms is None else seconds(readiness.took_ms)
            words = tr("ready in {time}").format(time=took) if took else tr("ready")
            self.model_badge.show_words("ok", "check", words)
        else:
            self.model_badge.show_words("neutral", "chip", readiness.what or tr("starting"))
            self.model_bar.set_fraction(readiness.fraction)

    def _show_ollama(self, models: tuple[ModelListing, ...]) -> None:
        found = [one.name.partition(":")[2] for one in models if one.name.startswith("ollama:") and one.card]
        if found:
            self.ollama_badge.show_words("ok", "check", counted(len(found), tr("1 model"), tr("{n} models")))
            self.ollama.set_line(
                tr("Found on this computer: {names}").format(names=shown(", ".join(found), 80))
            )
        else:
            self.ollama_badge.show_words("neutral", "info", tr("not running"))
            self.ollama.set_line(tr("Start it to see its models here."))
