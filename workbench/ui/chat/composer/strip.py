"""The strip under the message: the budget bar in small, its figures, and the buttons that attach and send."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QLayout, QWidget

from workbench.domain.guide import GuidePage
from workbench.domain.shown.envelope_view import EnvelopeView, SegmentRow
from workbench.ui import formatting
from workbench.ui.look.space import columns, rows
from workbench.ui.translation import tr
from workbench.ui.widgets.budget_bar.bar import BarModel, BudgetBar, window_note
from workbench.ui.widgets.budget_bar.segments import BarMemo
from workbench.ui.widgets.buttons import button, on_click, tool_button
from workbench.ui.widgets.guided import tell_figure
from workbench.ui.widgets.labels import SumFigure
from workbench.ui.widgets.plain import tip

# The figures of the composer's strip, from the one request that all other views show too.


FigureName = Literal["total", "files", "room", "cached", "cost", "exact"]
NARROW_PX = 500
FIRST_TO_GO: tuple[FigureName, ...] = ("exact", "room", "cost", "cached")
FIRST_TO_GO_OVER: tuple[FigureName, ...] = ("exact", "cost", "cached", "room")
"""Which figures go when there is no room for all: what is free before what is cached, but how much is too much last."""

ALWAYS_IN_NARROW = 2
"""How many of those that go first do so in a narrow strip whatever room there is; over the limit, one."""

NOTHING = "—"
_PAGES: Mapping[FigureName, GuidePage] = {
    "total": "budget", "files": "priorities", "room": "budget", "cached": "cache", "cost": "cache", "exact": "budget",
}  # fmt: skip


class Figure(NamedTuple):
    """A value, what follows it more quietly, and its unit; `short_unit` is for a narrow strip.

    `pressable` says that a click does something about it.
    """

    name: FigureName
    value: str
    unit: str
    why: str
    rest: str = ""
    short_unit: str = ""
    token: str = "t1"
    icon: str = ""
    pressable: bool = False

    @property
    def page(self) -> GuidePage:
        """Where the guide says more."""
        return _PAGES[self.name]


def figures_of(view: EnvelopeView | None) -> tuple[Figure, ...]:
    """All figures, in their order; before a request was counted they say that nobody knows."""
    if view is None:
        waiting = tr("Counting tokens…")
        return (Figure("total", NOTHING, tr("tokens in request"), waiting, short_unit=tr("tokens")),)
    files = _files(view)
    return (_total(view), *files, _room(view), _cached(view), _cost(view), _exact(view))


def fitting(
    widths: Mapping[FigureName, float], room: float, strip_width: float, over: bool = False
) -> frozenset[FigureName]:
    """The figures that have room; of those that have not, the least needed go first."""
    shown = dict(widths)
    always = 0 if strip_width >= NARROW_PX else 1 if over else ALWAYS_IN_NARROW
    for place, name in enumerate(FIRST_TO_GO_OVER if over else FIRST_TO_GO):
        if place < always or sum(shown.values()) > room:
            shown.pop(name, None)
    return frozenset(shown)


def _total(view: EnvelopeView) -> Figure:
    total, limit = formatting.short_tokens(view.total_tokens), formatting.short_tokens(view.limit_tokens)
    why = tr("The sum of all rows, {total} of {limit} tokens; {reserve} more are kept for the reply.").format(
        total=formatting.tokens(view.total_tokens),
        limit=formatting.tokens(view.limit_tokens),
        reserve=formatting.tokens(view.reserve_tokens),
    )
    note = window_note(view)
    if note:
        why = f"{note} " + tr("Press to set it.")
    return Figure(
        "total",
        formatting.about(total, view.exact),
        tr("tokens, window assumed") if view.window_assumed else tr("tokens in request"),
        why,
        rest=tr("/ {limit}").format(limit=limit),
        short_unit=tr("assumed") if view.window_assumed else tr("tokens"),
        token="err" if view.over_tokens else "t1",
        pressable=bool(note),
    )


def left_out(view: EnvelopeView | None) -> frozenset[str]:
    """The attachments that a limit keeps out of a request."""
    rows = [] if view is None else _attached(view)
    sent = {row.key.id for row in rows if row.counted}
    return frozenset(row.key.id for row in rows if row.state == "dropped") - sent


def _attached(view: EnvelopeView) -> list[SegmentRow]:
    layers = (layer for layer in view.layers if layer.name in ("L2_PREVIOUS", "L3_TURN"))
    return [row for layer in layers for row in layer.rows if row.tunable]


def _files(view: EnvelopeView) -> tuple[Figure, ...]:
    """How many of the attachments go out; said wherever that is not all of them."""
    out, every = left_out(view), {row.key.id for row in _attached(view)}
    if not out:
        return ()
    why = formatting.counted(
        len(out),
        tr("1 of {all} attachments won’t be sent: no room in this request."),
        tr("{n} of {all} attachments won’t be sent: no room in this request."),
    ).replace("{all}", formatting.tokens(len(every)))
    if len(every) == 1:
        why = tr("The attachment won’t be sent: no room in this request.")
    sent, rest = (
        formatting.tokens(len(every) - len(out)),
        tr("of {n}").format(n=formatting.tokens(len(every))),
    )
    return (Figure("files", sent, tr("files"), why, rest=rest, token="warn"),)


def _room(view: EnvelopeView) -> Figure:
    if view.over_tokens:
        over = formatting.signed_tokens(view.over_tokens)
        why = tr("Sending is blocked: the request is over by {n} tokens.").format(
            n=formatting.tokens(view.over_tokens)
        )
        return Figure("room", over, tr("over the limit"), why, token="err")
    why = tr("{n} tokens can still be added: the limit less the request.").format(
        n=formatting.tokens(view.free_tokens)
    )
    free = formatting.about(formatting.short_tokens(view.free_tokens), view.exact)
    return Figure("room", free, tr("free"), why)


def _cached(view: EnvelopeView) -> Figure:
    if view.cached_tokens is None:
        why = tr("What this provider has cached is unknown.")
        return Figure("cached", NOTHING, tr("cached"), why)
    why = tr("{n} of {total} tokens are unchanged and expected from the provider’s cache.")
    if view.cached_exact:
        why = tr("{n} of {total} tokens are cached, as the server reports.")
    return Figure(
        "cached",
        formatting.percent(view.cached_share),
        tr("cached"),
        why.format(n=formatting.tokens(view.cached_tokens), total=formatting.tokens(view.total_tokens)),
    )


def _cost(view: EnvelopeView) -> Figure:
    if view.local:
        why = tr("The model runs on this computer.")
        return Figure("cost", tr("no cost"), tr("runs here"), why)
    if view.cost_usd is None:
        return Figure("cost", NOTHING, tr("price unknown"), tr("No price is known for this model."))
    why = tr("About {price} for the request, with cached tokens at their own price; the reply is extra.")
    price = formatting.usd(view.cost_usd)
    return Figure("cost", formatting.usd(view.cost_usd, about=True), tr("this turn"), why.format(price=price))


def _exact(view: EnvelopeView) -> Figure:
    if view.exact:
        why = tr("Counted with the model’s own tokeniser.")
        return Figure("exact", tr("exact"), tr("token count"), why, token="ok", icon="check")
    if view.counted_at_send:
        why = tr(
            "The model’s server is another computer and counts your draft only when you send it, "
            "unless you allow more in Settings, Models."
        )
        return Figure("exact", tr("estimate"), tr("counted at Send"), why, token="warn", icon="approx")
    if view.spread is not None:
        why = tr("An estimate, corrected by what the provider reported of earlier requests.")
        words = tr("estimated {spread}").format(spread=formatting.spread(view.spread))
        return Figure("exact", words, tr("token count"), why, token="warn", icon="approx")
    why = tr("The model’s tokeniser is unknown: the count is an estimate, on the safe side.")
    return Figure("exact", tr("estimate"), tr("token count"), why, token="warn", icon="approx")


def cut_words(names: Sequence[str], sent: int, whole: int) -> str:
    """How much of files is sent that don't fit whole, and how to send them so."""
    part = formatting.tokens_of(sent, whole)
    if len(names) == 1:
        words = tr("Only {part} tokens of {name} fit. Press Enter again to send.")
        return words.format(part=part, name=names[0])
    words = tr("Only {part} tokens of {n} files fit. Press Enter again to send.")
    return words.format(part=part, n=formatting.tokens(len(names)))


def stay_out_words(out: int, of: int) -> str:
    """That so many of all attachments are not sent, and how to send anyway."""
    if of == 1:
        return tr("The attachment won’t be sent. Press Enter again to send anyway.")
    words = formatting.counted(
        out,
        tr("1 of {all} attachments won’t be sent. Press Enter again to send anyway."),
        tr("{n} of {all} attachments won’t be sent. Press Enter again to send anyway."),
    )
    return words.replace("{all}", formatting.tokens(of))


SendState = Literal["ready", "blocked", "waiting", "running", "asked"]
"""What the large button does; `asked` is a running turn whose tool waits for a person, and has Esc for itself."""

SIDE, BUTTON_GAP = 12, 2
EMPTY_BAR = BarModel(limit_tokens=1)


class StripFigure(SumFigure):
    """A figure of the strip; it gets wider when it must, and narrower only when its unit or its colour changes.

    Signals:
        pressed: it was clicked, and something can be done about it.
    """

    pressed = Signal()

    value_height, unit_height = 19, 14
    side = 11
    icon_size, icon_gap = 14, 4

    def __init__(self) -> None:
        super().__init__()
        self._figure: Figure | None = None
        self._narrow = False

    def show_in_strip(self, figure: Figure, narrow: bool, first: bool) -> None:
        """Show a figure; in a narrow strip with its short unit, the first one without a line before it."""
        if (figure, narrow, first) == (self._figure, self._narrow, self._first):
            return
        looks = None if self._figure is None else (self._figure.unit, self._figure.token, self._narrow)
        if looks != (figure.unit, figure.token, narrow):
            self._least, self._unit = 0, ""  # measured anew, also where the figure is the same
        before_pressable = self._figure is not None and self._figure.pressable
        self._figure, self._narrow, self._first = figure, narrow, first
        unit = figure.short_unit if narrow and figure.short_unit else figure.unit
        self.show_figure(figure.value, unit, figure.token, figure.icon, figure.rest)
        self.setAccessibleName(f"{figure.value} {figure.rest} {figure.unit}")
        tell_figure(self, figure.why, figure.page)
        if figure.pressable != before_pressable:
            hand = Qt.CursorShape.PointingHandCursor if figure.pressable else Qt.CursorShape.ArrowCursor
            self.setCursor(hand)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        pressable = self._figure is not None and self._figure.pressable
        if pressable and self.rect().contains(event.position().toPoint()):
            self.pressed.emit()

    def figure(self) -> Figure | None:
        return self._figure


class Strip(QWidget):
    """Bar, figures and buttons.

    Signals:
        send_pressed, stop_pressed: the large button, by what it then is.
        window_pressed: the window is assumed, and is to be set.
    """

    window_pressed = Signal()
    send_pressed = Signal()
    stop_pressed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._figures: tuple[Figure, ...] = ()
        self._state: SendState | None = None
        self._why: str | None = None
        self._fitted: tuple[object, ...] = ()
        self._bars, self.bar = BarMemo(), BudgetBar(compact=True)
        self.attach = tool_button("clip", tr("Attach"), tr("Attach files, a folder, or what was copied"))
        self.once = tool_button(
            "chevron-up",
            tr("Send once with…"),
            tr("Send this once with another model or parameters (Ctrl+Shift+Return)"),
        )
        self.send = on_click(button(tr("Send"), "primary", "send", size="send"), self._on_pressed)
        self._places: dict[FigureName, StripFigure] = {
            name: StripFigure() for name in ("total", "files", "room", "cached", "cost", "exact")
        }
        self._places["total"].pressed.connect(self.window_pressed)
        self._build()
        self.show_view(None)
        self.set_send("waiting", "")

    def _build(self) -> None:
        down = rows(self, (SIDE, 12, SIDE, 10), 4)
        # Not wider than it is given: figures leave instead.
        down.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
        down.addWidget(self.bar)
        below = columns(down)
        for place in self._places.values():
            below.addWidget(place, 0, Qt.AlignmentFlag.AlignVCenter)
        below.addStretch(1)
        below.addWidget(self.attach, 0, Qt.AlignmentFlag.AlignVCenter)
        below.addWidget(self.once, 0, Qt.AlignmentFlag.AlignVCenter)
        below.addSpacing(BUTTON_GAP)
        below.addWidget(self.send, 0, Qt.AlignmentFlag.AlignVCenter)

    def show_view(self, view: EnvelopeView | None) -> None:
        self.bar.show_bar(self._bars.bar_of(view) if view is not None else EMPTY_BAR)
        self._figures = figures_of(view)
        self._show_figures()

    def set_send(self, state: SendState, why: str) -> None:
        """What the large button does: send, nothing (and why), or stop."""
        if why != self._why:
            self._why = why
            self.send.setToolTip(tip(why or tr("Send (Enter)")))
            self.send.setAccessibleDescription(why)
        if state == self._state:
            return
        self._state = state
        running = state in ("running", "asked")
        self.send.setText(tr("Stop") if running else tr("Send"))
        self.send.set_kind("secondary" if running else "primary")
        self.send.set_icon("stop" if running else "lock" if state == "blocked" else "send")
        self.send.set_hint(tr("Esc") if state == "running" else "")
        self.send.setEnabled(running or state == "ready")
        self.once.setEnabled(not running)
        self._show_figures()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_figures()

    def minimumSizeHint(self) -> QSize:
        return QSize(240, self.sizeHint().height())

    def shown_figures(self) -> tuple[FigureName, ...]:
        return tuple(name for name, place in self._places.items() if not place.isHidden())

    def place(self, name: FigureName) -> StripFigure:
        """Where a figure stands, also while it is hidden."""
        return self._places[name]

    def _show_figures(self) -> None:
        narrow = self.width() < NARROW_PX
        for figure in self._figures:
            self._places[figure.name].show_in_strip(figure, narrow, figure.name == "total")
        widths = {
            figure.name: float(self._places[figure.name].sizeHint().width()) for figure in self._figures
        }
        fitted = (widths, self.width(), self._state)
        if fitted == self._fitted:
            return  # most keys make no figure wider
        self._fitted = fitted
        small = self.attach.sizeHint().width() + self.once.sizeHint().width()
        buttons = small + BUTTON_GAP + self.send.sizeHint().width() + BUTTON_GAP
        over = any(figure.name == "room" and figure.token == "err" for figure in self._figures)
        kept = fitting(widths, self.width() - 2 * SIDE - buttons, self.width(), over)
        for name, place in self._places.items():
            place.setVisible(name in kept)

    def _on_pressed(self) -> None:
        (self.stop_pressed if self._state in ("running", "asked") else self.send_pressed).emit()
