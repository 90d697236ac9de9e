"""packaging/draw_paths.py: the picture is what the code does now, and a step that is gone is named."""

from __future__ import annotations

from pathlib import Path

import pytest

import draw_paths
from draw_paths import Step, StepMissing, check

BEGIN = Step("engine/turn/run.py:run_turn")


def test_the_picture_in_the_documentation_is_what_the_code_does():
    """Draw it again with `python3 packaging/draw_paths.py` when a path has changed."""
    assert draw_paths.PICTURE.read_text(encoding="utf-8") == draw_paths.draw()


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (Step("engine/nowhere.py:run_turn"), "engine/nowhere.py does not exist"),
        (Step("engine/turn/run.py:walk_turn"), "engine/turn/run.py has no walk_turn"),
        (Step("context/assemble.py:assemble"), "run_turn no longer uses 'assemble'"),
        (Step("context/assemble.py:assemble", under="nobody"), "under nobody, which is not on the path"),
        (
            Step("ui/bridge.py:Bridge._told", "emit", "run_turn", "ui/bridge.py:Bridge.close"),
            "no longer connects",
        ),
    ],
)
def test_a_step_that_is_not_in_the_code_is_named(step: Step, words: str):
    with pytest.raises(StepMissing, match=words):
        check([BEGIN, step])


def test_what_a_function_does_in_another_order_is_said():
    keeping = "engine/turn/outcome.py"
    turned = [Step(f"{keeping}:{name}", under="run_turn") for name in ("finish_turn", "begin_turn")]
    with pytest.raises(StepMissing, match="reaches begin_turn earlier"):
        check([BEGIN, *turned])


def test_a_path_that_is_broken_is_not_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(draw_paths, "PICTURE", tmp_path / "paths.svg")
    assert draw_paths.main() == 0
    assert draw_paths.PICTURE.is_file()
    monkeypatch.setattr(draw_paths, "PATHS", {"One": (BEGIN, Step("domain/text.py:nothing"))})
    assert draw_paths.main() == 1
    assert "Mend the path" in capsys.readouterr().err
