"""Draws scenes: the real window at a moment of the scripted conversation, as a PNG file."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QLocale, QPoint, QPointF, QRect, QSize, Qt
from PySide6.QtGui import QImage, QPainter, QRegion
from PySide6.QtWidgets import QApplication, QWidget

from workbench.domain.errors import InvalidInput
from workbench.domain.translation import tr
from workbench.showroom.player import moments
from workbench.showroom.scenes import SCENES, Stage
from workbench.showroom.script import (
    Moment,
)
from workbench.sources.resources import resource_path
from workbench.ui.look.appearance import Appearance
from workbench.ui.program.app import ENGLISH, make_app
from workbench.ui.widgets.floating import MARGIN
from workbench.ui.widgets.motion import reduce_motion


@dataclass(frozen=True, slots=True)
class Shot:
    """How a scene is taken; `theme` is the scene's own where none is asked for, `part` one widget of the window."""

    scene: str
    width: int = 1600
    height: int = 1000
    scale: float = 1.0
    theme: str | None = None
    part: str = ""


def write_picture(path: str, shot: Shot) -> None:
    """Play the conversation to the moment of a scene, and draw it into a PNG file."""
    name = SCENES[shot.scene].moment
    try:
        # Before the conversation is played: whoever mistyped the folder does not wait for it.
        with Path(path).open("ab"):
            pass
        drawn = png_of(take(shot, asyncio.run(moments([name]))[name], resource_path()))
        Path(path).write_bytes(drawn)
    except OSError as problem:
        raise InvalidInput(
            "--screenshot", tr("{path} cannot be written: {strerror}", path=path, strerror=problem.strerror)
        ) from problem


def take(shot: Shot, moment: Moment, resources: Path) -> QImage:
    """The picture of a scene at its moment; the same every time."""
    with staged(shot, moment, resources) as stage:
        picture = photograph(stage.window, shot.scale)
        for dialog in stage.over:
            lay_over(picture, dialog, shot.scale)
        if not shot.part:
            return picture
        if shot.part == "dialog":
            return photograph(stage.over[-1], shot.scale).copy(_without_shadow(stage.over[-1], shot.scale))
        return picture.copy(_place(stage.window, stage.part(shot.part), shot.scale))


def _place(window: QWidget, part: QWidget, scale: float) -> QRect:
    """Where a part of the window is on its picture."""
    corner = part.mapTo(window, QPoint(0, 0))
    return QRect(QPoint(round(corner.x() * scale), round(corner.y() * scale)), part.size() * scale)


def _without_shadow(dialog: QWidget, scale: float) -> QRect:
    margin = round(MARGIN * scale)
    return QRect(QPoint(0, 0), dialog.size() * scale).adjusted(margin, margin, -margin, -margin)


@contextmanager
def staged(shot: Shot, moment: Moment, resources: Path) -> Iterator[Stage]:
    """A scene at its moment, drawn to the end, to be looked at."""
    QLocale.setDefault(ENGLISH)
    app = make_app(resources)
    reduce_motion(True)
    scene = SCENES[shot.scene]
    appearance = Appearance()
    appearance.apply(app, "dark" if (shot.theme or scene.theme) == "dark" else "light")
    stage = Stage(QSize(shot.width, shot.height), moment)
    scene.play(stage)
    _settle(app)
    stage.window.chat.transcript.finish_drawing()
    _settle(app)
    try:
        yield stage
    finally:
        stage.close()
        _settle(app)


def photograph(widget: QWidget, scale: float) -> QImage:
    """A widget with everything in it, painted at a pixel density."""
    picture = QImage(widget.size() * scale, QImage.Format.Format_RGB32)
    picture.setDevicePixelRatio(scale)
    picture.fill(Qt.GlobalColor.white)
    widget.render(picture)
    return picture


def lay_over(picture: QImage, dialog: QWidget, scale: float) -> None:
    """Put a dialog in the middle of the picture: it is a window of its own, which no window paints."""
    part = QImage(dialog.size() * scale, QImage.Format.Format_ARGB32_Premultiplied)
    part.setDevicePixelRatio(scale)
    part.fill(Qt.GlobalColor.transparent)
    dialog.render(part, QPoint(), QRegion(dialog.rect()), QWidget.RenderFlag.DrawChildren)
    painter = QPainter(picture)
    room = picture.deviceIndependentSize()
    painter.drawImage(
        QPointF((room.width() - dialog.width()) / 2, (room.height() - dialog.height()) / 2), part
    )
    painter.end()


def png_of(picture: QImage) -> bytes:
    """The picture as the bytes of a PNG file."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    picture.save(buffer, "PNG")  # type: ignore[call-overload]  # the stub wants bytes, the library refuses them
    return bytes(buffer.data().data())


def _settle(app: QApplication) -> None:
    """Let layouts and lazy widgets finish; there is no loop running that would."""
    for _ in range(20):
        app.processEvents()
        app.sendPostedEvents()
