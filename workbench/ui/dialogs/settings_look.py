"""Settings: appearance, and the page that only tells, the shortcuts."""

from __future__ import annotations

from PySide6.QtCore import Signal

from workbench.engine.state import WorkbenchState
from workbench.ui.commands import specs, with_keys
from workbench.ui.dialogs.settings_parts import Page, Setting
from workbench.ui.look.fonts import CHAT_SIZES, CODE_SIZES, ZOOMS, TextSizes
from workbench.ui.memory import SCALES
from workbench.ui.translation import translator
from workbench.ui.widgets.choice import Check, Choice
from workbench.ui.widgets.labels import KeyCap
from workbench.ui.widgets.segmented import Segmented

_tr = translator("LookPage")

USUAL = TextSizes()


class LookPage(Page):
    """Light or dark, and whether things move.

    Signals:
        mode_changed: `system`, `light`, `dark` or `contrast`. motion_changed: whether everything shall keep still.
        sizes_changed: how large text shall be (`TextSizes`). scale_changed: how large everything, once it is restarted.
    """

    mode_changed = Signal(str)
    motion_changed = Signal(bool)
    sizes_changed = Signal(object)
    scale_changed = Signal(str)

    def __init__(self, mode: str, calm: bool, sizes: TextSizes = USUAL, scale: str = SCALES[0]) -> None:
        super().__init__(_tr("Appearance"), _tr("Applies at once; the scale after a restart."))
        themes = (("system", _tr("System")), ("light", _tr("Light")), ("dark", _tr("Dark")))
        self.mode = Segmented((*themes, ("contrast", _tr("High contrast"))))
        self.mode.set_current(mode)
        self.mode.chosen.connect(self.mode_changed)
        self.calm = Check(checked=calm)
        self.calm.toggled.connect(self.motion_changed)
        self.add_card(
            Setting(_tr("Theme"), _tr("Ctrl+Shift+D switches between light and dark."), self.mode),
            Setting(_tr("Reduce motion"), _tr("Turns off animations."), self.calm),
        )
        self._sizes = sizes
        self.zoom = self._choice([(str(one), f"{one:.0%}") for one in ZOOMS])
        self.chat = self._choice([(str(px), f"{px} px") for px in CHAT_SIZES])
        self.code = self._choice([(str(px), f"{px} px") for px in CODE_SIZES])
        self.add_card(
            Setting(_tr("Zoom"), _tr("Ctrl and + or − change it anywhere; Ctrl+0 puts it back."), self.zoom),
            Setting(_tr("Text of chats"), _tr("Questions, answers and what you write."), self.chat),
            Setting(_tr("Code"), _tr("Code in answers, requests and differences."), self.code),
        )
        self.scale = Choice(tuple((one, f"{float(one):.0%}") for one in SCALES))
        self.scale.choose(scale)
        self.scale.activated.connect(lambda _index: self.scale_changed.emit(self.scale.chosen()))
        words = _tr("Enlarges text, icons and spacing alike. Restart to apply.")
        self.add_card(Setting(_tr("Scale of the window"), words, self.scale))
        self.show_sizes(sizes)
        self.end()

    def show_sizes(self, sizes: TextSizes) -> None:
        self._sizes = sizes
        for shown, value in ((self.zoom, sizes.zoom), (self.chat, sizes.chat_px), (self.code, sizes.code_px)):
            shown.choose(str(value))

    def _choice(self, items: list[tuple[str, str]]) -> Choice:
        made = Choice(tuple(items))
        made.activated.connect(lambda _index: self._change())
        return made

    def _change(self) -> None:
        wanted = TextSizes(float(self.zoom.chosen()), int(self.chat.chosen()), int(self.code.chosen()))
        if wanted != self._sizes:
            self._sizes = wanted
            self.sizes_changed.emit(wanted)


class KeysPage(Page):
    """The shortcuts of the whole window."""

    def __init__(self) -> None:
        super().__init__(_tr("Shortcuts"), _tr("Press Ctrl+/ to see all of them and change them."))
        self._caps = {spec.id: KeyCap(spec.shortcut) for spec in specs()}
        self.add_card(*(Setting(spec.title, "", self._caps[spec.id]) for spec in specs()))
        self.end()

    def show_state(self, state: WorkbenchState) -> None:
        for spec in with_keys(specs(), state.preferences.shortcuts):
            self._caps[spec.id].show_key(spec.shortcut)
