"""Installed renderers are found by entry point; a broken one is reported and stops nothing."""

from __future__ import annotations

import importlib
import subprocess
import sys
import zipfile
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from workbench.domain.chunk import OutputChunk
from workbench.sources.renderer_plugins import RENDERER_GROUP, installed_renderers, load_renderers

PLUGIN = """
class Renderer:
    def can_render(self, chunk):
        return True

    def role(self, chunk):
        return "user"

    def render(self, chunk):
        return chunk.body

ready = Renderer()

class Half:
    def can_render(self, chunk):
        return True

class Explodes:
    def __init__(self):
        raise RuntimeError("two\\nlines")
"""


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package on sys.path with real metadata, as an installer leaves it."""
    metadata = tmp_path / "renderer_plugin_probe-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: renderer-plugin-probe\nVersion: 1.0\n")
    (tmp_path / "renderer_plugin_probe.py").write_text(PLUGIN)
    (tmp_path / "renderer_plugin_quits.py").write_text("raise SystemExit(3)\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    return metadata


def declare(metadata: Path, *lines: str) -> None:
    (metadata / "entry_points.txt").write_text("\n".join([f"[{RENDERER_GROUP}]", *lines]) + "\n")


def test_nothing_installed_is_no_problem() -> None:
    found = installed_renderers("workbench.renderers.nobody")

    assert (found.renderers, found.problems) == ((), ())


def test_a_real_entry_point_is_loaded_and_usable(plugin: Path) -> None:
    declare(plugin, "mine = renderer_plugin_probe:Renderer")

    (renderer,) = installed_renderers().renderers

    chunk = OutputChunk("c", "done", "task_completed")
    assert renderer.can_render(chunk)
    assert (renderer.role(chunk), renderer.render(chunk)) == ("user", "done")


def test_renderers_come_in_the_order_of_their_names(plugin: Path) -> None:
    declare(plugin, "b = renderer_plugin_probe:ready", "a = renderer_plugin_probe:Renderer")

    names = [type(one).__name__ for one in installed_renderers().renderers]
    first, second = installed_renderers().renderers

    assert names == ["Renderer", "Renderer"]
    assert second is importlib.import_module("renderer_plugin_probe").ready
    assert first is not second


def test_broken_plugins_are_reported_and_the_others_still_load(plugin: Path) -> None:
    declare(
        plugin,
        "a = renderer_plugin_missing:Renderer",
        "b = renderer_plugin_probe:nothing",
        "c = renderer_plugin_probe:Half",
        "d = renderer_plugin_probe:Explodes",
        "e = renderer_plugin_quits:Renderer",
        "f = renderer_plugin_probe:Renderer",
    )

    found = installed_renderers()

    assert len(found.renderers) == 1
    assert found.problems == (
        'renderer "a" (renderer_plugin_missing:Renderer) is not used: '
        "No module named 'renderer_plugin_missing'; repair or uninstall its package",
        'renderer "b" (renderer_plugin_probe:nothing) is not used: '
        "module 'renderer_plugin_probe' has no attribute 'nothing'; repair or uninstall its package",
        'renderer "c" (renderer_plugin_probe:Half) is not used: '
        "it lacks role, render; repair or uninstall its package",
        'renderer "d" (renderer_plugin_probe:Explodes) is not used: '
        "two lines; repair or uninstall its package",
        'renderer "e" (renderer_plugin_quits:Renderer) is not used: 3; repair or uninstall its package',
    )


def test_an_entry_point_given_by_hand_is_loaded_like_an_installed_one(plugin: Path) -> None:
    point = EntryPoint("mine", "renderer_plugin_probe:ready", RENDERER_GROUP)

    assert load_renderers([point]).problems == ()


def test_without_a_plugin_the_readers_of_metadata_are_not_loaded():
    """They bring a library for e-mails along, which takes 50 ms of every start."""
    program = (
        "import sys; from workbench.sources.renderer_plugins import installed_renderers; "
        "print(installed_renderers('nobody.declares.this'), 'importlib.metadata' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ran.stdout.split() == ["InstalledRenderers(renderers=(),", "problems=())", "False"], ran.stderr


def test_an_archive_may_hold_a_plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    archive = tmp_path / "packages.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("renderer_in_archive.py", PLUGIN)
        packed.writestr(
            "renderer_in_archive-1.0.dist-info/METADATA", "Name: renderer-in-archive\nVersion: 1.0\n"
        )
        lines = f"[{RENDERER_GROUP}]\npacked = renderer_in_archive:ready\n"
        packed.writestr("renderer_in_archive-1.0.dist-info/entry_points.txt", lines)
    monkeypatch.syspath_prepend(str(archive))
    importlib.invalidate_caches()
    assert len(installed_renderers().renderers) == 1
