"""Draws the way of one turn and of one keystroke through the program, and fails when a step is no longer in the code.

Every box is a function or class that exists; every arrow was found in the code of the box that it leaves, directly or
through functions of the same file; what one function does in turn is drawn in the order it does it.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "packaging" / "pictures" / "paths.svg"


@dataclass(frozen=True, slots=True)
class Step:
    """A box: `place` is file:name. `by` is the name that its caller uses; `under` the caller, else the step before."""

    place: str
    by: str = ""
    under: str = ""
    wired: str = ""

    @property
    def file(self) -> str:
        """Where it is written."""
        return self.place.partition(":")[0]

    @property
    def name(self) -> str:
        """What it is called there."""
        return self.place.partition(":")[2]

    @property
    def called(self) -> str:
        """The name to look for in the caller."""
        return self.by or self.name.rpartition(".")[2]


SESSION = "ui/window/session.py:Session"
ENGINE = "engine/workbench.py:Workbench"
BACK = (
    Step("engine/store.py:reduce", under="StateStore.emit"),
    Step("ui/bridge.py:Bridge._told", "listener", "StateStore.emit", "ui/bridge.py:Bridge.__init__"),
    Step("ui/bridge.py:Bridge._publish", "_wait", "Bridge._told", "ui/bridge.py:Bridge.__init__"),
    Step(f"{SESSION}.show_state", "published", "Bridge._publish", f"{SESSION}.__init__"),
    Step("ui/window/main_window.py:MainWindow.show_state"),
    Step("ui/chat/pane.py:ChatPane.show_state", "chat", "MainWindow.show_state"),
    Step("ui/inspector/pane.py:InspectorPane.show_state", "inspector", "MainWindow.show_state"),
)


def inwards(start: str, intent: str) -> tuple[Step, ...]:
    """The way of an intent from a widget into the engine."""
    return (
        Step(f"ui/chat/composer/composer.py:Composer.{start}"),
        Step(f"engine/intents.py:{intent}", under=f"Composer.{start}"),
        Step("ui/wishes.py:Wishes.send", under=f"Composer.{start}"),
        Step(f"{SESSION}.send", "intent", "Wishes.send", f"{SESSION}.__init__"),
        Step("ui/bridge.py:Bridge.send"),
        Step(f"{ENGINE}.dispatch"),
    )


def outwards(engine: str) -> tuple[Step, ...]:
    """The way of an event from the engine to the panes."""
    return (Step("engine/store.py:StateStore.emit", under=engine), *BACK)


PATHS = {
    "One turn": (
        *inwards("send", "SendMessage"),
        Step("engine/running_turns.py:RunningTurns.ask", under="Workbench.dispatch"),
        Step("engine/events.py:TurnAsked", under="RunningTurns.ask"),
        Step(f"{ENGINE}._begin_turn", "_handlers", "Workbench.dispatch", f"{ENGINE}._table"),
        Step("engine/running_turns.py:RunningTurns.begin"),
        Step("engine/turn/planning.py:plan_send", under="RunningTurns.begin"),
        Step("engine/turn/run.py:run_turn", under="RunningTurns.begin"),
        Step("ports/models.py:ChatModel.ready", under="run_turn"),
        Step("engine/turn/tools.py:run_commands", under="run_turn"),
        Step("engine/assembly/exact_counts.py:prepare_exactly", under="run_turn"),
        Step("engine/events.py:EnvelopeBuilt", under="run_turn"),
        Step("engine/turn/outcome.py:begin_turn", under="run_turn"),
        Step("engine/events.py:TurnBegan", under="run_turn"),
        Step("engine/turn/answering.py:Answering.run", "Answering", "run_turn"),
        Step("ports/models.py:ChatModel.stream", under="Answering.run"),
        Step("engine/events.py:AnswerGrew", under="Answering.run"),
        Step("engine/turn/outcome.py:finish_turn", under="run_turn"),
        Step("engine/events.py:TurnEnded", under="run_turn"),
        *outwards("RunningTurns.begin"),
    ),
    "One keystroke": (
        *inwards("_on_edited", "EditDraft"),
        Step(
            "engine/open_chat/chats.py:OpenChats.write", "_handlers", "Workbench.dispatch", f"{ENGINE}._table"
        ),
        Step("engine/events.py:DraftEdited", under="OpenChats.write"),
        Step("engine/chats/drafts.py:Drafts.note", under="OpenChats.write"),
        Step("engine/open_chat/chat.py:ChatInView.refresh", under="OpenChats.write"),
        Step("engine/open_chat/requests.py:ChatRequests.prepared", under="ChatInView.refresh"),
        Step("engine/open_chat/requests.py:ShownRequest.quickly", under="ChatRequests.prepared"),
        Step("engine/assembly/building.py:Preview.retyped", under="ShownRequest.quickly"),
        Step("engine/assembly/prepare.py:prepare_turn", under="ShownRequest.quickly"),
        Step("context/assemble.py:assemble", under="prepare_turn"),
        Step("engine/shown/request_view.py:RequestViewer.view_with_attachments", under="ChatInView.refresh"),
        Step("engine/shown/request_view.py:RequestViewer._view", under="RequestViewer.view_with_attachments"),
        Step("context/explain/view.py:envelope_view", under="RequestViewer._view"),
        Step("engine/events.py:ChatShown", under="ChatInView.refresh"),
        *outwards("ChatInView.refresh"),
    ),
}


IN_ORDER = ("run_turn", "ChatInView.refresh")
"""What these do in turn is drawn in the order they do it."""


class StepMissing(Exception):
    """A step of a path is no longer in the code."""


@cache
def functions_of(file: str) -> dict[str, ast.AST]:
    """Every class, function and method of a file by its name in it."""
    path = ROOT / "workbench" / file
    if not path.is_file():
        raise StepMissing(f"workbench/{file} does not exist")
    found: dict[str, ast.AST] = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef):
            methods = [each for each in node.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]
            found |= {node.name: node, **{f"{node.name}.{each.name}": each for each in methods}}
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found[node.name] = node
    return found


def node_of(place: str) -> ast.AST:
    """What stands at a place."""
    file, _, name = place.partition(":")
    if name not in functions_of(file):
        raise StepMissing(f"workbench/{file} has no {name}")
    return functions_of(file)[name]


def used(node: ast.AST) -> Iterator[tuple[int, str]]:
    """The names that a piece of code uses, with their lines."""
    for each in ast.walk(node):
        if isinstance(each, ast.Name):
            yield each.lineno, each.id
        elif isinstance(each, ast.Attribute):
            yield each.end_lineno or each.lineno, each.attr


def lines_of_use(place: str, name: str) -> list[int]:
    """The lines in which a function uses a name, itself or through another of its file."""
    file = place.partition(":")[0]
    return sorted(line for line, other in used(node_of(place)) if name in reached(file, other) | {other})


@cache
def reached(file: str, name: str) -> frozenset[str]:
    """The names that are used by the functions of a file that have this name, and by those that they use there."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        current = waiting.pop()
        for full, node in functions_of(file).items():
            if full.rpartition(".")[2] == current and not isinstance(node, ast.ClassDef):
                new = {other for _, other in used(node)} - found
                found |= new
                waiting += new
    return frozenset(found)


def callers(steps: Sequence[Step]) -> list[Step | None]:
    """For every step the one that it is reached from."""
    found: list[Step | None] = []
    for number, step in enumerate(steps):
        before = steps[:number]
        above = next((each for each in reversed(before) if each.name == step.under), None)
        found.append(above if step.under else before[-1] if before else None)
        if step.under and above is None:
            raise StepMissing(f"{step.place} stands under {step.under}, which is not on the path")
    return found


def check(steps: Sequence[Step]) -> None:
    """Find every box and every arrow in the code, or say which is not there."""
    reached_at: dict[str, int] = {}
    for step, caller in zip(steps, callers(steps), strict=True):
        node_of(step.place)
        if caller is None:
            continue
        lines = lines_of_use(caller.place, step.called)
        if not lines:
            raise StepMissing(f"{caller.place} no longer uses {step.called!r}, which led to {step.place}")
        if step.wired:
            require_wire(step)
        elif caller.name in IN_ORDER:
            later = [line for line in lines if line >= reached_at.get(caller.name, 0)]
            if not later:
                raise StepMissing(
                    f"{caller.place} now reaches {step.name} earlier than what is drawn above it"
                )
            reached_at[caller.name] = later[0]


def require_wire(step: Step) -> None:
    """A signal or a subscription: whoever connects it must name the receiver."""
    if step.name.rpartition(".")[2] not in {name for _, name in used(node_of(step.wired))}:
        raise StepMissing(f"{step.wired} no longer connects {step.place}")


# --- the drawing ---------------------------------------------------------------------------------------

WIDTH, MARGIN, COLUMN, INDENT, BOX, GAP, TOP = 1120, 20, 530, 26, 30, 12, 58
ROOMS = {"ui": "#DCE8FB", "engine": "#E3F1DF", "context": "#FBEBCF", "ports": "#EDE3F6"}
STYLE = """
text { font-family: Inter, 'Helvetica Neue', Arial, sans-serif; fill: #1F2328; }
.title { font-size: 19px; font-weight: 600; } .name { font-size: 14px; font-weight: 600; }
.file { font-size: 12px; fill: #57606A; } .edge { stroke: #6E7781; stroke-width: 1.4; fill: none; }
"""


def depths(steps: Sequence[Step]) -> list[int]:
    """How far each box is moved in: what a function does stands under it; the way back begins at the edge again."""
    found: list[int] = []
    for step, caller in zip(steps, callers(steps), strict=True):
        if caller is None or step.file == "engine/store.py":
            found.append(0)
        else:
            found.append(found[steps.index(caller)] + (1 if step.under and not step.wired else 0))
    return found


def draw() -> str:
    """The picture, as SVG."""
    for steps in PATHS.values():
        check(steps)
    height = TOP + max(len(steps) for steps in PATHS.values()) * (BOX + GAP) + 44
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}">',
        f"<style>{STYLE}</style>",
        '<defs><marker id="tip" markerWidth="8" markerHeight="8" refX="6" refY="4" orient="auto">'
        '<path d="M1,1 L7,4 L1,7" fill="none" stroke="#6E7781" stroke-width="1.4"/></marker></defs>',
        f'<rect width="{WIDTH}" height="{height}" fill="#FFFFFF"/>',
    ]
    for column, (title, steps) in enumerate(PATHS.items()):
        left = MARGIN + column * (COLUMN + MARGIN)
        parts.append(f'<text class="title" x="{left}" y="38">{escape(title)}</text>')
        parts += draw_path(steps, left)
    parts += legend(height - 28)
    return "\n".join([*parts, "</svg>", ""])


def draw_path(steps: Sequence[Step], left: int) -> Iterator[str]:
    """The boxes of a path from top to bottom, and the arrows between them."""
    places = [
        (left + depth * INDENT, TOP + number * (BOX + GAP)) for number, depth in enumerate(depths(steps))
    ]
    for number, (step, caller) in enumerate(zip(steps, callers(steps), strict=True)):
        x, y = places[number]
        if caller is not None:
            yield arrow(places[steps.index(caller)], (x, y))
        colour = ROOMS[step.file.split("/")[0]]
        width, base = left + COLUMN - x, y + BOX // 2 + 5
        yield f'<rect x="{x}" y="{y}" width="{width}" height="{BOX}" rx="6" fill="{colour}"/>'
        yield f'<text class="name" x="{x + 10}" y="{base}">{escape(step.name)}</text>'
        yield f'<text class="file" x="{left + COLUMN - 10}" y="{base}" text-anchor="end">{escape(step.file)}</text>'


def arrow(start: tuple[int, int], end: tuple[int, int]) -> str:
    """From the lower edge of a box: straight down, or round the corner to what is moved in."""
    x = start[0] + 13
    down = end[1] - 1 if start[0] >= end[0] else end[1] + BOX // 2
    turn = "" if start[0] >= end[0] else f" H{end[0] - 1}"
    return f'<path class="edge" d="M{x},{start[1] + BOX} V{down}{turn}" marker-end="url(#tip)"/>'


def legend(y: int) -> Iterator[str]:
    """Which colour is which room."""
    for number, (room, colour) in enumerate(ROOMS.items()):
        x = MARGIN + number * 120
        yield f'<rect x="{x}" y="{y}" width="16" height="16" rx="4" fill="{colour}"/>'
        yield f'<text class="file" x="{x + 24}" y="{y + 12}">{room}</text>'


def main() -> int:
    """Draw it where the documentation finds it."""
    try:
        PICTURE.write_text(draw(), encoding="utf-8")
    except StepMissing as problem:
        print(f"{problem}. Mend the path in packaging/draw_paths.py.", file=sys.stderr)
        return 1
    print(PICTURE)
    return 0


if __name__ == "__main__":
    sys.exit(main())
