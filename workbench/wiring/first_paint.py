"""Opening the window: the first paint comes before everything that takes a while to load."""

from __future__ import annotations

from argparse import Namespace

from workbench.sources.resources import resource_path
from workbench.wiring.folder import Place, scratch

MEMORY_NAME = "window.ini"
DEMO = "demo"


def run_window(arguments: Namespace) -> int:
    """Open the window, or draw a scene into a file; the exit code."""
    if arguments.screenshot:
        from workbench.wiring.scenes import draw_scene

        return draw_scene(arguments)
    return _demo(arguments) if arguments.demo else _own(arguments)


def _own(arguments: Namespace) -> int:
    from workbench.ui.program.app import FirstPaint, make_app
    from workbench.ui.program.app import run_window as run
    from workbench.ui.program.single_instance import SingleInstance

    place = Place(arguments)
    make_app(resource_path())
    alone = SingleInstance(str(place.folder.resolve()))
    if alone.raise_other():
        return 0
    alone.listen()
    first = FirstPaint(resource_path(), place.folder / MEMORY_NAME)
    from workbench.wiring.window import FolderDesk

    code = run(FolderDesk(arguments).desk(), first, alone)
    alone.close()
    return code


def _demo(arguments: Namespace) -> int:
    from workbench.ui.program.app import FirstPaint
    from workbench.ui.program.app import run_window as run
    from workbench.ui.program.single_instance import SingleInstance

    first = FirstPaint(resource_path(), None)
    from workbench.wiring.window import demo_desk

    with scratch() as folder:
        return run(demo_desk(arguments, folder.open), first, SingleInstance(DEMO))
