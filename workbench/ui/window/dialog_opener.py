"""Opens the window's dialogs, and updates them with every new state while they are open."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QRect, Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication, QDialog, QWidget

from workbench.domain.files.attached import LeftOut
from workbench.domain.files.folder import FollowedFolder
from workbench.domain.guide import FIRST_PAGE, GuidePage
from workbench.domain.secrets import Secret
from workbench.engine.attaching_intents import AttachPages, FollowFolder
from workbench.engine.intents import AttachFiles, ListChats
from workbench.engine.program_intents import ChangePreferences, WarmModel
from workbench.ui.commands import Command, specs
from workbench.ui.look.fonts import TextSizes
from workbench.ui.look.theme import Mode
from workbench.ui.offers import Offer
from workbench.ui.steps import Step, apply_settings
from workbench.ui.translation import tr
from workbench.ui.widgets.file_chooser import choose_files, choose_folder, save_file
from workbench.ui.widgets.motion import reduce_motion
from workbench.ui.widgets.plain import shown
from workbench.ui.window.key_changes import KeyChanges
from workbench.ui.window.session import Session
from workbench.ui.window.staying import Staying
from workbench.ui.wishes import KeyChange, SettingsPage

if TYPE_CHECKING:  # dialogs are loaded when they are opened: the first paint needs none of them
    from workbench.ui.dialogs.folder.dialog import FolderChoice, FolderDialog
    from workbench.ui.dialogs.guide import GuideDialog
    from workbench.ui.dialogs.model_picker import ModelPicker
    from workbench.ui.dialogs.palette import Palette
    from workbench.ui.dialogs.settings_dialog import SettingsDialog
    from workbench.ui.dialogs.shortcut_list import ShortcutList
    from workbench.ui.dialogs.transfer import ExportDialog, ImportDialog
    from workbench.ui.dialogs.web_search import WebSearchDialog


class DialogOpener(QObject):
    """Opens dialogs over a session's window; what is chosen in them is sent as wishes of the window."""

    def __init__(self, session: Session, keys: KeyChanges) -> None:
        super().__init__(session)
        self._session, self._window, self._keys = session, session.window, keys
        self._wishes = session.window.wishes
        self._settings: SettingsDialog | None = None
        self._picker: ModelPicker | None = None
        self._palette: Palette | None = None
        self._transfers: list[ExportDialog | ImportDialog] = []
        self._crash: QDialog | None = None
        self._folder: FolderDialog | None = None
        self._guide: GuideDialog | None = None
        self._guide_page = ""
        self._queued_folders: list[str] = []
        self._web: WebSearchDialog | None = None
        self.sample: Callable[[], None] = lambda: None
        self.keep_chats: Callable[[], None] = lambda: None
        self.staying: Staying | None = None
        session.rendered.connect(self._update)
        keys.told.connect(session.tell)
        session.over = self._say_over
        session.refusals.connect(self._list_refusals)
        session.folders_given.connect(self._queue_folders)
        session.many_given.connect(self._ask_about_many)

    def change_keys(self, change: KeyChange) -> None:
        self._keys.run(change, self._parent())

    def model_picker(self, below: QWidget) -> None:
        from workbench.ui.dialogs.model_picker import ModelPicker

        if self._picker is None:
            self._picker = ModelPicker(self._wishes, self._window)
            self._picker.picked.connect(self._pick)
            self._picker.looked_at.connect(self._offer_model)
        chat = self._session.chat
        self._picker.show_state(self._session.state, chat.chat.settings.model if chat else "")
        self._picker.open_below(below)

    def _model_step(self, model: str) -> Step | None:
        chat = self._session.chat
        if chat is None:
            return None
        title = tr("Ask {model}").format(model=shown(model))
        return apply_settings(chat, replace(chat.chat.settings, model=model), title)

    def _offer_model(self, model: str, at: QRect | None) -> None:
        step = self._model_step(model) if model else None
        if step is None or at is None:
            self._wishes.offer(None)
        else:
            line = tr("Another model reads the whole request again.")
            self._wishes.offer(Offer(step.title, step.do, line, icon="chip", at=at))

    def declare_model(self, name: str) -> None:
        """Open the dialog for what a model can do; without a name, for the current chat's model."""
        from workbench.ui.dialogs.model_facts import ModelFactsDialog, known_of

        chat = self._session.chat
        model = name or (chat.chat.settings.model if chat else "")
        if model:
            self._show(ModelFactsDialog(known_of(self._session.state, model), self._wishes, self._parent()))

    def _list_refusals(self, left_out: tuple[LeftOut, ...]) -> None:
        from workbench.ui.dialogs.attaching import NotAttachedDialog

        if self._web is not None and self._web.isVisible() and self._web.refuse(left_out):
            return
        dialog = NotAttachedDialog(left_out, self._parent(), self._why_no_pictures())
        dialog.pages_wanted.connect(self._attach_pages)
        dialog.password_typed.connect(self._attach_locked)
        self._show(dialog)

    def _why_no_pictures(self) -> str:
        chat, models = self._session.chat, self._session.state.models or ()
        name = "" if chat is None else chat.chat.settings.model
        card = next((one.card for one in models if one.name == name), None)
        words = tr("{model} can’t see pictures. Choose a model that can, then attach it again.")
        return "" if card is None or card.images else words.format(model=shown(name))

    def _attach_pages(self, path: str, first: int, last: int, password: Secret | None) -> None:
        self._session.send_in_chat(lambda chat: (AttachPages(chat, path, first, last, password),))

    def _attach_locked(self, path: str, password: Secret) -> None:
        self._session.send_in_chat(lambda chat: (AttachFiles(chat, (path,), passwords=(password,)),))

    def attach_page(self, address: str = "") -> None:
        from workbench.ui.dialogs.attaching import AttachPageDialog

        dialog = AttachPageDialog(address, self._parent())
        dialog.chosen.connect(self._attach_address)
        self._show(dialog)

    def search_web(self) -> None:
        from workbench.ui.dialogs.web_search import WebSearchDialog

        dialog = self._web = WebSearchDialog(self._session.chat_id, self._wishes, self._parent())
        dialog.show_state(self._session.state)
        self._show(dialog)

    def _attach_address(self, address: str) -> None:
        self._session.send(AttachFiles(self._session.chat_id, (address,)))

    def _say_over(self, words: str) -> bool:
        settings = self._settings
        if settings is None or not settings.isVisible():
            return False
        settings.say(words)
        return True

    def _parent(self) -> QWidget:
        """The parent of a new dialog: the settings if they are open, else the window."""
        settings = self._settings
        return settings if settings is not None and settings.isVisible() else self._window

    def palette(self, commands: Sequence[Command], *, alone: bool = False) -> None:
        """Open the palette with these commands, and with all chats unless `alone`; close it if it is open."""
        from workbench.ui.dialogs.palette import Palette

        if self._palette is None:
            self._palette = Palette(self._window)
            self._palette.ran.connect(self._wishes.run)
            self._palette.tried.connect(self._session.try_settings)
        if self._palette.isVisible():
            self._palette.close()
            return
        self._palette.open_with(commands, None if alone else self._session.state)

    def connections(self) -> None:
        from workbench.ui.dialogs.connections import ConnectionsDialog

        self._show(ConnectionsDialog(self._session.given.network, self._parent()))

    def guide(self, page: GuidePage = "") -> None:
        """Open the guide at a page, or turn the open guide to it."""
        from workbench.ui.dialogs.guide import GuideDialog

        if self._guide is None:
            given = self._session.given
            self._guide = GuideDialog(given.guide(), given.guide_picture, self._shortcuts, self._parent())
            self._guide.show_page(page or self._guide_page or FIRST_PAGE)
            self._show(self._guide)
        elif page:
            self._guide.show_page(page)

    def _shortcuts(self) -> ShortcutList:
        from workbench.ui.dialogs.shortcut_list import ShortcutList

        made = ShortcutList(specs(), self._session.state.preferences.shortcuts)
        made.changed.connect(self._keep_shortcuts)
        return made

    def _keep_shortcuts(self, chosen: Mapping[str, str]) -> None:
        held = self._session.state.preferences
        self._session.send(ChangePreferences(replace(held, shortcuts=chosen), held))

    def importing(self, files: Sequence[str] = ()) -> None:
        """Open the import of chats; given files are already selected, and their chat opens when it is imported."""
        from workbench.ui.dialogs.transfer import ImportDialog

        dialog = ImportDialog(self._wishes, self._window)
        if files:
            dialog.set_files(list(files))
            dialog.arrived.connect(self._session.open_chat)
        dialog.files_wanted.connect(lambda: self._choose_import(dialog))
        dialog.folder_wanted.connect(lambda: self._choose_import_folder(dialog))
        self._open_transfer(dialog)

    def appearance(self, mode: Mode) -> None:
        app = QApplication.instance()
        if isinstance(app, QApplication):
            self._session.memory.keep("appearance", mode)
            self._session.appearance.apply(app, mode)

    def text_sizes(self, wanted: TextSizes) -> None:
        app = QApplication.instance()
        if isinstance(app, QApplication):
            self._session.memory.keep_sizes(wanted)
            self._session.appearance.resize(app, wanted)
            if self._settings is not None:
                self._settings.show_sizes(wanted)

    def choose_folder(self) -> None:
        """Ask for a folder, then open the dialog that attaches files from it."""
        choose_folder(self._folder or self._window, tr("Add a folder"), self.folder)

    def folder(self, path: str, only: Sequence[str] = ()) -> None:
        from workbench.ui.dialogs.folder.dialog import FolderDialog

        if self._folder is None:
            self._folder = FolderDialog(self._wishes, self._window)
            self._folder.added.connect(self._add_from_folder)
            self._folder.change_wanted.connect(self.choose_folder)
            self._show(self._folder)
        self._folder.show_state(self._session.state, self._session.chat)
        self._folder.look_through(path, self._session.chat_id, frozenset(only) if only else None)

    def _queue_folders(self, folders: tuple[str, ...]) -> None:
        self._queued_folders += folders
        if self._folder is None and self._queued_folders:
            self.folder(self._queued_folders.pop(0))

    def _ask_about_many(self, paths: tuple[str, ...]) -> None:
        from workbench.ui.dialogs.attaching import ManyFilesDialog

        dialog = ManyFilesDialog(paths, self._parent())
        dialog.accepted.connect(lambda: self._session.attach(paths))
        self._show(dialog)

    def _add_from_folder(self, choice: FolderChoice) -> None:
        follow = choice.follow
        self._session.attach(choice.paths, choice.priority, choice.folder)
        if follow is not None:
            self._session.send_in_chat(lambda chat: (FollowFolder(chat, follow),))

    def follow_folder(self) -> None:
        """Ask for a folder, and search it for every question of the chat from then on."""
        choose_folder(self._window, tr("Follow a folder"), self._follow)

    def is_read_only(self) -> bool:
        """Whether the chat was written by another program, which is then said before anything is asked for."""
        chat = self._session.chat
        if chat is None or chat.chat.filed.watched is None:
            return False
        self._session.tell(
            tr("This chat can only be read. “Go on from here” makes a chat of your own from it.")
        )
        return True

    def _follow(self, path: str) -> None:
        folder = FollowedFolder(os.path.abspath(path), searched=True)
        self._session.send_in_chat(lambda chat: (FollowFolder(chat, folder),))

    def found_file(self, path: str) -> None:
        """Open a file that was quoted from in the system's program for it."""
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(path)):
            self._session.tell(tr("No program here opens this file. It is {path}").format(path=path))

    def data_folder(self) -> None:
        """Show the data folder in the file manager; if that fails, say where it is."""
        place = self._session.given.place
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(place)):
            self._session.tell(tr("Couldn’t open the folder. Your data is in {place}").format(place=place))

    def settings_file(self) -> None:
        """Open the settings file in the system's editor; if there is none for it, say where it is."""
        problem = self._session.state.sending_off
        path = (
            problem.path if problem is not None else os.path.join(self._session.given.place, "settings.toml")
        )
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(path)):
            self._session.tell(tr("No program here opens this file. It is {path}").format(path=path))

    def crash(self, text: str) -> None:
        self._session.when_open(lambda: self._show_crash(text))

    def _show_crash(self, text: str) -> None:
        from workbench.ui.dialogs.crash_report import CrashDialog

        if self._crash is None:  # a painter that fails does so at every frame: one report is enough to read
            self._crash = CrashDialog(text, self._window)
            self._show(self._crash)

    def settings(self, page: SettingsPage = "") -> None:
        from workbench.ui.dialogs.settings_dialog import SettingsDialog

        if self._settings is None:
            made = SettingsDialog(self._session.memory, self._session.given.place, self._wishes, self._window)
            made.about = self._session.given.about
            made.appearance_changed.connect(self.appearance)
            made.motion_changed.connect(self._reduce_motion)
            made.sizes_changed.connect(self.text_sizes)
            self._keys.status.connect(made.show_keys)
            self._settings = made
            made.desktop_wanted.connect(self._show_desktop)
            if self.staying is not None:
                self.staying.changed.connect(self._show_desktop)
        self._keys.look()
        self._settings.show_state(self._session.state)
        if page:
            self._settings.show_page(page)
        self._settings.open()

    def _show_desktop(self) -> None:
        if self._settings is not None and self.staying is not None:
            self.staying.look()
            self._settings.show_desktop(self.staying.has_tray(), self.staying.has_keys, self.staying.key)

    def close_settings(self) -> None:
        """Close the settings, for what is shown behind them."""
        if self._settings is not None and self._settings.isVisible():
            self._settings.close()

    def _reduce_motion(self, still: bool) -> None:
        self._session.memory.keep("reduced-motion", still)
        reduce_motion(still)

    def export(self, chat: str = "") -> None:
        """Open the export of chats; the given or the current chat is already selected."""
        from workbench.ui.dialogs.transfer import ExportDialog

        dialog = ExportDialog(chat or self._session.chat_id, self._wishes, self._window)
        dialog.place_wanted.connect(lambda: self._choose_export(dialog))
        self._open_transfer(dialog)

    def _open_transfer(self, dialog: ExportDialog | ImportDialog) -> None:
        self._session.send(ListChats())
        dialog.show_state(self._session.state)
        self._transfers.append(dialog)
        self._show(dialog)

    def _choose_export(self, dialog: ExportDialog) -> None:
        save_file(self._window, tr("Export to"), dialog.suggested_path(), dialog.set_path)

    def _choose_import(self, dialog: ImportDialog) -> None:
        choose_files(self._window, tr("Import from"), dialog.set_files)

    def _choose_import_folder(self, dialog: ImportDialog) -> None:
        choose_folder(self._window, tr("Import from"), lambda folder: dialog.set_files([folder]))

    def _pick(self, model: str) -> None:
        if self._session.chat is not None:
            self._session.do_step(self._model_step(model))
            self._session.send(WarmModel(model))  # the chat itself has the old one until the step is done

    def _show(self, dialog: QDialog) -> None:
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.finished.connect(lambda _result: self._forget(dialog))
        dialog.open()

    def _forget(self, dialog: QDialog) -> None:
        if dialog is self._crash:
            self._crash = None
        if dialog is self._web:
            self._web = None
        if self._guide is not None and dialog is self._guide:
            self._guide_page = self._guide.page() if self._guide.page() != "shortcuts" else ""
            self._guide = None
        if dialog is self._folder:
            self._folder = None
            self._queue_folders(())
        self._transfers = [other for other in self._transfers if other is not dialog]

    def _update(self) -> None:
        state = self._session.state
        if self._settings is not None and self._settings.isVisible():
            self._settings.show_state(state)
        if self._picker is not None and self._picker.isVisible():
            chat = self._session.chat
            self._picker.show_state(state, chat.chat.settings.model if chat else "")
        if self._folder is not None:
            self._folder.show_state(state, self._session.chat)
        if self._web is not None and self._web.isVisible():
            self._web.show_state(state)
        for transfer in self._transfers:
            transfer.show_state(state)
