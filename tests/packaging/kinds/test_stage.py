"""What of an environment stays in a package."""

from __future__ import annotations

import compileall
import sys
from pathlib import Path

import pytest

from failure import Failure
from kinds import stage
from tests.architecture.source_tree import PACKAGE


def touched(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()


def test_what_only_developers_need_leaves(tmp_path: Path):
    kept = ("openai/__init__.py", "PySide6/__init__.py", "pip_search/__init__.py")
    touched(
        tmp_path,
        *kept,
        "pip/__pycache__/x.pyc",
        "pip/__init__.py",
        "pip-1.dist-info/METADATA",
        "setuptools/x.py",
        "PySide6/QtCore.pyi",
    )
    touched(tmp_path, "PySide6/Qt/qml/x.qml", "PySide6/lupdate", "openai/__pycache__/x.pyc")
    stage.clear_out(tmp_path)
    assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.py")) == sorted(kept)
    assert [path for path in tmp_path.rglob("*") if path.suffix in (".pyi", ".pyc", ".qml")] == []
    assert not (tmp_path / "pip-1.dist-info").exists()


def test_an_environment_with_tools_in_it_keeps_what_made_it(tmp_path: Path):
    touched(tmp_path, "pip/__init__.py")
    stage.clear_out(tmp_path, ())
    assert (tmp_path / "pip" / "__init__.py").exists()


def test_of_qt_stays_what_the_program_names_and_what_that_loads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "workbench").mkdir()
    (tmp_path / "workbench/a.py").write_text("from PySide6.QtGui import QIcon\n", encoding="utf-8")
    plugins = "PySide6/Qt/plugins"
    touched(tmp_path, "PySide6/QtGui.abi3.so", "PySide6/QtQml.abi3.so", f"{plugins}/platforms/libqxcb.so")
    touched(tmp_path, f"{plugins}/tls/libqopensslbackend.so", "PySide6/libpyside6.abi3.so.6.8")
    touched(
        tmp_path, *(f"PySide6/Qt/lib/lib{name}.so.6" for name in ("Qt6Gui", "Qt6Core", "Qt6Qml", "Qt6Xcb"))
    )
    loads = {
        "QtGui.abi3.so": ("libQt6Gui.so.6", "libpyside6.abi3.so.6.8"),
        "libQt6Gui.so.6": ("libQt6Core.so.6", "libEGL.so.1"),
        "libqxcb.so": ("libQt6Xcb.so.6",),
        "QtQml.abi3.so": ("libQt6Qml.so.6",),
    }
    monkeypatch.setattr(stage, "needed", lambda path: loads.get(path.name, ()))
    gone = sorted(path.name for path in stage.unused_qt(tmp_path))
    assert gone == ["QtQml.abi3.so", "libQt6Qml.so.6", "libqopensslbackend.so"]


def test_the_program_names_the_modules_it_uses():
    assert {"QtCore", "QtGui", "QtWidgets", "QtSvg", "QtNetwork"} <= stage.qt_modules(PACKAGE)
    assert not {"QtQml", "QtWebEngineCore"} & stage.qt_modules(PACKAGE)


def test_an_environment_has_a_folder_for_packages(tmp_path: Path):
    with pytest.raises(Failure, match="no folder for packages"):
        stage.site_of(tmp_path)
    (tmp_path / "lib/python3.11/site-packages").mkdir(parents=True)
    assert stage.site_of(tmp_path).name == "site-packages"


def test_lists_of_files_say_nothing_of_where_they_were_made(tmp_path: Path):
    touched(tmp_path, "a/__init__.py", "a-1.dist-info/direct_url.json", "a-1.dist-info/RECORD")
    record = tmp_path / "a-1.dist-info" / "RECORD"
    record.write_text(
        'a/__init__.py,sha256=x,0\n../../../bin/a,sha256=y,9\n"a/gone,1.py",,\na-1.dist-info/direct_url.json,,\n',
        encoding="utf-8",
    )
    stage.clear_out(tmp_path)
    assert record.read_text(encoding="utf-8") == "a/__init__.py,sha256=x,0\n"
    assert not (tmp_path / "a-1.dist-info" / "direct_url.json").exists()


def test_what_was_compiled_before_is_compiled_again_for_its_place(tmp_path: Path):
    """What the build itself had loaded held the folder it was built in: two builds of one commit differed."""
    made = []
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.py").write_text("def f():\n    return 1\n", encoding="utf-8")
        compileall.compile_dir(tmp_path / name, quiet=2)
        stage.compile_all(sys.executable, tmp_path / name, "/usr/lib/x")
        made.append(next((tmp_path / name).rglob("*.pyc")).read_bytes())
    assert made[0] == made[1]
    assert b"/usr/lib/x/a.py" in made[0]
    assert made[0][4] == 1  # checked by nobody: neither a time nor the source is looked at
