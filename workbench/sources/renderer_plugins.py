"""Loads custom chunk renderers that other packages provide through entry points."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from workbench.domain.chunk import Chunk
from workbench.domain.message import Role
from workbench.domain.translation import tr

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

RENDERER_GROUP = "workbench.renderers"
_METHODS = ("can_render", "role", "render")


class PluginRenderer(Protocol):
    """The interface of a renderer plugin, as a protocol; adapters do not know the builder's own types."""

    def can_render(self, chunk: Chunk) -> bool:
        """Tells whether this renderer is for that chunk."""

    def role(self, chunk: Chunk) -> Role:
        """Returns the role with which the chunk is sent."""

    def render(self, chunk: Chunk) -> Any:
        """Returns the chunk in its tags, as `workbench.context.fence.wrap` makes them."""


@dataclass(frozen=True, slots=True)
class InstalledRenderers:
    """The renderers that were loaded, and a message for each that was not."""

    renderers: tuple[PluginRenderer, ...] = ()
    problems: tuple[str, ...] = ()


def installed_renderers(group: str = RENDERER_GROUP) -> InstalledRenderers:
    """Loads every installed renderer; a broken one is reported and does not stop the others."""
    if not _may_be_declared(group):
        return InstalledRenderers()
    # It brings readers of e-mails along, which take 50 ms of a start.
    from importlib.metadata import entry_points

    return load_renderers(entry_points(group=group))


def _may_be_declared(group: str) -> bool:
    """Whether an installed package names the group among its entry points; into archives nobody looks here."""
    folders = [Path(each) for each in dict.fromkeys(sys.path)]
    try:
        files = (path for folder in folders for path in folder.glob("*-info/entry_points.txt"))
        return any(folder.is_file() for folder in folders) or any(
            group.encode() in path.read_bytes() for path in files
        )
    except OSError:
        return True


def load_renderers(points: Iterable[EntryPoint]) -> InstalledRenderers:
    """Loads renderers in the order of their names, in which they are also asked."""
    renderers: list[PluginRenderer] = []
    problems: list[str] = []
    for point in sorted(points, key=lambda one: (one.name, one.value)):
        try:
            renderers.append(_load(point))
        # A plugin is other people's code: whatever it raises at import must not stop the workbench.
        except (Exception, SystemExit) as error:  # noqa: BLE001
            problems.append(_problem(point, error))
    return InstalledRenderers(tuple(renderers), tuple(problems))


def _load(point: EntryPoint) -> PluginRenderer:
    loaded: Any = point.load()
    renderer = loaded() if isinstance(loaded, type) else loaded
    missing = [name for name in _METHODS if not callable(getattr(renderer, name, None))]
    if missing:
        raise TypeError(f"it lacks {', '.join(missing)}")
    return cast(PluginRenderer, renderer)


def _problem(point: EntryPoint, error: BaseException) -> str:
    said = " ".join(str(error).split()) or type(error).__name__
    return tr(
        'renderer "{name}" ({value}) is not used: {said}; repair or uninstall its package',
        name=point.name,
        value=point.value,
        said=said,
    )
