"""Dialogs that export chats to files and import them, with progress and a way to cancel."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from workbench.domain.job import Job
from workbench.engine.program_intents import CancelJob, ExportChats, ImportChats, UndoImport
from workbench.engine.state import WorkbenchState
from workbench.ui.formatting import size
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.card import Card, CardRow
from workbench.ui.widgets.choice import Check, Choice, Field
from workbench.ui.widgets.floating import Sheet
from workbench.ui.widgets.labels import label, set_text
from workbench.ui.widgets.plain import shown
from workbench.ui.widgets.progress import ProgressRow
from workbench.ui.widgets.stack import scroll_area, transparent
from workbench.ui.wishes import Wishes

# A double click opens what ends so: resources/desktop says it to the system.
OWN_ENDING = "workbench.json"
ENDINGS = {
    "json": OWN_ENDING, "markdown": "md", "html": "html", "openai": "json", "sharegpt": "json",
    "trajectory": OWN_ENDING, "curl": "sh", "lines": "jsonl", "otlp": "json",
}  # fmt: skip
_WITH_PATHS = ("markdown", "html")


def formats() -> tuple[tuple[str, str, str], ...]:
    """Formats of an export: name, title, and what they keep."""
    return (
        (
            "json",
            tr("Workbench JSON"),
            tr("Everything: branches, requests, attachments. Can be imported again."),
        ),
        ("markdown", tr("Markdown"), tr("To read and to share: the branch in view, as text.")),
        (
            "html",
            tr("Web page"),
            tr("To read anywhere: one page with all branches, attachments and costs. It runs nothing."),
        ),
        ("openai", tr("OpenAI messages"), tr("The branch in view as a list of messages.")),
        ("sharegpt", tr("ShareGPT"), tr("The branch in view, for training tools.")),
    )


def watched_formats() -> tuple[tuple[str, str, str], ...]:
    """More formats for watched chats: name, title, and what they keep."""
    return (
        ("trajectory", tr("Trajectories"), tr("One per request, to replay and to test.")),
        ("curl", tr("curl commands"), tr("One per request, byte for byte. The key is left out.")),
        ("lines", tr("JSON lines"), tr("One per request: tokens, causes, forecast, price.")),
        ("otlp", tr("OpenTelemetry spans"), tr("All requests as OTLP JSON, without their texts.")),
    )


class JobRows(QWidget):
    """Rows of running and finished exports and imports.

    Signals:
        cancelled: the id of a job to cancel. undone: the id of an import to undo.
    """

    cancelled = Signal(str)
    undone = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._column = rows(self, spacing=4)
        self._rows: dict[str, ProgressRow] = {}
        self._ended: dict[str, CardRow] = {}
        self._shown: dict[str, Job] = {}

    def show_jobs(self, jobs: Sequence[Job]) -> None:
        for job in jobs:
            if job.state == "running":
                self._show_running(job)
            elif job.id not in self._ended or self._shown[job.id] != job:
                self._show_ended(job)

    def _show_running(self, job: Job) -> None:
        row = self._rows.get(job.id)
        if row is None:
            words = tr("Exporting as {what}") if job.kind == "export" else tr("Importing {what}")
            icon = "download" if job.kind == "export" else "external"
            row = ProgressRow(icon, words.format(what=shown(job.subject)), "", tr("Cancel"))
            row.cancelled.connect(lambda key=job.id: self.cancelled.emit(key))
            self._rows[job.id] = row
            self._column.addWidget(row)
        amount = tr("{done} of {total}").format(done=job.done, total=job.total) if job.total else ""
        row.show_progress(job.done / job.total if job.total else None, amount)

    def _show_ended(self, job: Job) -> None:
        for row in (self._rows.pop(job.id, None), self._ended.pop(job.id, None)):
            if row is not None:
                self._column.removeWidget(row)
                row.deleteLater()
        title, icon = _result_words(job)
        action: QWidget | None = None
        if job.place and job.state == "done":
            action = button(tr("Show file"), "link", icon="external")
            action.clicked.connect(lambda: _show_folder(job.place))
        elif job.kind == "import" and job.chats and not job.undone:
            action = button(tr("Undo"), "link", icon="undo")
            action.setToolTip(tr("Remove everything this import added"))
            action.clicked.connect(lambda: self.undone.emit(job.id))
        note = "\n".join(shown(line, 300) for line in job.note.splitlines())
        line = CardRow(icon, title, label(note, "small", "t3", wrap=True), None, action)
        self._ended[job.id], self._shown[job.id] = line, job
        self._column.addWidget(line)


class ExportDialog(Sheet):
    """Asks which chats to export, in which format and where to.

    Signals:
        place_wanted: the user wants to choose the file.
    """

    place_wanted = Signal()

    def __init__(self, chosen: str, wishes: Wishes | None = None, parent: QWidget | None = None) -> None:
        super().__init__(tr("Export chats"), 640, 600, parent)
        self.wishes = wishes or Wishes(self)
        self._chosen = chosen
        self._checks: dict[str, Check] = {}
        self._job_number = 0
        self.format = Choice(tuple((name, title) for name, title, _ in formats()))
        self.format.setAccessibleName(tr("Format"))
        self.kept = label("", "small", "t3", wrap=True)
        self.kept.setMinimumHeight(2 * self.kept.fontMetrics().lineSpacing())
        self.paths = Check(tr("Full paths of attached files"))
        room = self.paths.sizePolicy()
        room.setRetainSizeWhenHidden(True)  # nothing below it moves while formats are looked through
        self.paths.setSizePolicy(room)
        self.paths.setToolTip(tr("Write where files are on this computer, not only their names."))
        self.path = Field(tr("Where to"))
        browse = on_click(button(tr("Choose…")), self.place_wanted)
        self._list = transparent()
        self._list_column = rows(self._list, (12, 8, 12, 8), 6)
        self.jobs = JobRows()
        self.jobs.cancelled.connect(lambda job: self.wishes.send(CancelJob(job)))
        self.everything = Check(tr("All chats"))
        self._build_layout(browse)
        self.go = on_click(button(tr("Export"), "primary"), self._export)
        self.go.setDefault(True)
        close = on_click(button(tr("Close"), shortcut_hint="Esc"), self.reject)
        fill(self.foot, STRETCH, close, self.go)
        self.format.currentIndexChanged.connect(self._update_choice)
        self.path.textChanged.connect(self._update_choice)
        self.everything.toggled.connect(self._tick_all)
        self._update_choice()

    def show_state(self, state: WorkbenchState) -> None:
        for chat in state.chats:
            if chat.id not in self._checks:
                check = Check(shown(chat.title or tr("New chat"), 70), chat.id == self._chosen)
                check.toggled.connect(self._update_choice)
                self._checks[chat.id] = check
                self._list_column.insertWidget(self._list_column.count() - 1, check)
        watched = next((chat.filed.watched for chat in state.chats if chat.id == self._chosen), None)
        if watched is not None and self.format.findData(watched_formats()[0][0]) < 0:
            for name, title, _ in watched_formats():
                self.format.addItem(title, name)
        self.jobs.show_jobs([job for job in state.jobs if job.kind == "export"])
        self._update_choice()

    def set_path(self, path: str) -> None:
        self.path.setText(path)

    def suggested_path(self) -> str:
        return str(Path.home() / f"chats.{ENDINGS[self.format.chosen()]}")

    def chosen_chats(self) -> tuple[str, ...]:
        return tuple(key for key, check in self._checks.items() if check.isChecked())

    def _build_layout(self, browse: QWidget) -> None:
        self.body.addWidget(label(tr("Chats"), "ui_heading"))
        card = Card()
        inside = rows(card, (1, 1, 1, 1))
        fill(self._list_column, self.everything, STRETCH)
        inside.addWidget(scroll_area(self._list, tr("Chats to export")))
        self.body.addWidget(card, 1)
        fill(columns(self.body, spacing=8), label(tr("Format"), "ui_label"), self.format, (self.kept, 1))
        self.body.addWidget(self.paths)
        fill(columns(self.body, spacing=8), label(tr("To"), "ui_label"), (self.path, 1), browse)
        self.body.addWidget(self.jobs)

    def _tick_all(self, ticked: bool) -> None:
        for check in self._checks.values():
            check.setChecked(ticked)

    def _update_choice(self) -> None:
        told = (*formats(), *watched_formats())
        line = next(line for name, _, line in told if name == self.format.chosen())
        set_text(self.kept, line)
        self.paths.setVisible(self.format.chosen() in _WITH_PATHS)
        chosen = self.chosen_chats()
        self.go.setEnabled(bool(chosen) and bool(self.path.text().strip()))
        self.go.setText(tr("Export {n}").format(n=len(chosen)) if len(chosen) > 1 else tr("Export"))

    def _export(self) -> None:
        self._job_number += 1
        job = f"export-{id(self)}-{self._job_number}"
        chosen = self.format.chosen()
        paths = chosen in _WITH_PATHS and self.paths.isChecked()
        place = self.path.text().strip()
        self.wishes.send(ExportChats(job, self.chosen_chats(), chosen, place, paths=paths))


class ImportDialog(Sheet):
    """Asks which files to import; their format is recognised.

    Signals:
        files_wanted, folder_wanted: the user wants to choose files or a folder.
        arrived: the first chat that was imported.
    """

    files_wanted = Signal()
    folder_wanted = Signal()
    arrived = Signal(str)

    def __init__(self, wishes: Wishes | None = None, parent: QWidget | None = None) -> None:
        super().__init__(tr("Import chats"), 600, 0, parent)
        self.wishes = wishes or Wishes(self)
        self._files: list[str] = []
        self._job_number = 0
        self._job = ""
        lead = tr(
            "Takes the exports of ChatGPT, Claude.ai, Gemini, LibreChat, LM Studio, Open WebUI and Cherry Studio, "
            "as .zip, file or folder, and Workbench JSON, trajectories, Markdown, OpenAI messages and ShareGPT. "
            "Chats you imported before only get what is new."
        )
        self.body.addWidget(label(lead, "ui", "t2", wrap=True))
        row = columns(self.body, spacing=8)
        choose = on_click(button(tr("Choose files…"), icon="file"), self.files_wanted)
        self.names = label(tr("Nothing chosen yet"), "small", "t3", wrap=True)
        folder = on_click(button(tr("Choose folder…"), icon="folder"), self.folder_wanted)
        fill(row, choose, folder, STRETCH)
        self.body.addWidget(self.names)
        self.jobs = JobRows()
        self.jobs.cancelled.connect(lambda job: self.wishes.send(CancelJob(job)))
        self.jobs.undone.connect(lambda job: self.wishes.send(UndoImport(job)))
        fill(self.body, self.jobs, STRETCH)
        self.go = on_click(button(tr("Import"), "primary"), self._import)
        self.go.setDefault(True)
        self.go.setEnabled(False)
        close = on_click(button(tr("Close"), shortcut_hint="Esc"), self.reject)
        fill(self.foot, STRETCH, close, self.go)

    def show_state(self, state: WorkbenchState) -> None:
        self.jobs.show_jobs([job for job in state.jobs if job.kind == "import"])
        done = next((job for job in state.jobs if job.id == self._job and job.state == "done"), None)
        if done is not None:
            self._job = ""
            if done.chats:
                self.arrived.emit(done.chats[0])

    def set_files(self, paths: list[str]) -> None:
        self._files = list(paths)
        set_text(self.names, shown(", ".join(Path(path).name for path in paths), 200))
        self.go.setEnabled(bool(paths))
        self.go.setFocus(Qt.FocusReason.OtherFocusReason)

    def _import(self) -> None:
        self._job_number += 1
        self._job = f"import-{id(self)}-{self._job_number}"
        self.wishes.send(ImportChats(self._job, tuple(self._files)))


def _result_words(job: Job) -> tuple[str, str]:
    if job.undone:
        return tr("Import undone"), "undo"
    if job.state == "failed":
        return tr("Not finished"), "warn"
    if job.state == "cancelled":
        return tr("Stopped after {n}").format(n=job.done), "x"
    if job.kind == "import":
        number = len(job.chats)
        words = tr("Imported 1 chat") if number == 1 else tr("Imported {n} chats")
        return words.format(n=number), "check"
    words = tr("Exported 1 chat, {size}") if job.done == 1 else tr("Exported {n} chats, {size}")
    return words.format(n=job.done, size=size(job.written_bytes)), "check"


def _show_folder(place: str) -> None:
    path = Path(place)
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(path if path.is_dir() else path.parent)))
