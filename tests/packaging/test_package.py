"""`dev.py package`: what is read from its arguments, what is made, and what is said."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import package
from failure import Failure


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["wheel"], ("wheel", package.ROOT / "dist", False)),
        (["--try", "deb"], ("deb", package.ROOT / "dist", True)),
        (["bundle", "--out", "/elsewhere", "--try"], ("bundle", Path("/elsewhere"), True)),
        (["parts"], ("parts", package.ROOT / "dist", False)),
    ],
)
def test_an_order_is_a_kind_a_place_and_a_wish(arguments: list[str], expected: tuple[str, Path, bool]):
    assert package.read_order(arguments) == expected


@pytest.mark.parametrize(
    "arguments", [[], ["rpm"], ["wheel", "deb"], ["wheel", "--out"], ["--try"], ["wheel", "--fast"]]
)
def test_wrong_usage_is_said_and_makes_nothing(arguments: list[str], capsys: pytest.CaptureFixture[str]):
    assert package.run(arguments) == 2
    assert "usage:" in capsys.readouterr().err


class FakeKind:
    """Makes one small file, and remembers what it was given to try."""

    def __init__(self) -> None:
        self.tried: list[Path] = []
        self.missing = self.made = False

    def build(self, out: Path) -> list[Path]:
        self.made = True
        (out / "made").write_bytes(b"x" * 1_500_000)
        return [out / "made"]

    def require_for_trial(self) -> None:
        if self.missing:
            raise Failure("There is no debootstrap here.")

    def try_it(self, files: list[Path]) -> None:
        self.tried = files


def test_what_was_made_is_named_with_its_size_and_tried_when_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    kind = FakeKind()
    monkeypatch.setattr(package, "load", lambda name: kind)
    out = tmp_path / "new" / "place"
    assert package.run(["wheel", "--out", str(out)]) == 0
    assert capsys.readouterr().out == f"{out / 'made'}  1.5 MB\n"
    assert kind.tried == []
    package.run(["wheel", "--out", str(out), "--try"])
    assert kind.tried == [out / "made"]


def test_what_trying_needs_is_looked_for_before_anything_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Three minutes of making, then: there is no debootstrap here."""
    kind = FakeKind()
    kind.missing = True
    monkeypatch.setattr(package, "load", lambda name: kind)
    with pytest.raises(Failure, match="debootstrap"):
        package.run(["deb", "--out", str(tmp_path), "--try"])
    assert not kind.made
    assert package.run(["deb", "--out", str(tmp_path)]) == 0


@pytest.mark.parametrize("name", package.KINDS)
def test_every_kind_says_what_trying_it_needs(name: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    if name in ("deb", "bundle"):
        with pytest.raises(Failure, match="debootstrap"):
            package.load(name).require_for_trial()
    else:
        package.load(name).require_for_trial()


def test_a_place_that_cannot_be_made_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(package, "load", lambda name: FakeKind())
    (tmp_path / "file").touch()
    with pytest.raises(Failure, match=r"file cannot be made \(File exists\)"):
        package.run(["wheel", "--out", str(tmp_path / "file")])


@pytest.mark.parametrize("kind", package.KINDS)
def test_every_kind_has_a_module_that_makes_it(kind: str):
    assert callable(package.load(kind).build)
