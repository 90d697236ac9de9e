"""The window's options: what belongs together, and what is no size."""

from __future__ import annotations

import pytest

from workbench.cli.main import COMMANDS, build_parser
from workbench.cli.window import SCENES, check_arguments, with_files


def parse(*argv: str):
    parser = build_parser(COMMANDS)
    arguments = parser.parse_args(argv)
    check_arguments(parser, arguments)
    return arguments


def test_a_scene_has_a_size_a_scale_and_a_theme():
    shot = parse(
        "--screenshot", "x.png", "--scene", "main", "--size", "1100x700", "--scale", "2", "--theme", "dark"
    )
    assert (shot.screenshot, shot.scene, shot.size, shot.scale, shot.theme) == (
        "x.png",
        "main",
        (1100, 700),
        2.0,
        "dark",
    )


@pytest.mark.parametrize(
    "argv",
    [
        ["--screenshot", "x.png"],
        ["--scene", "main"],
        ["--scene", "nonsense", "--screenshot", "x.png"],
        ["--demo", "doctor"],
        ["--open", "/no/such/file.json"],
        ["--open", "/", "--demo"],
        ["--screenshot", "x.png", "--scene", "main", "--size", "big"],
        ["--screenshot", "x.png", "--scene", "main", "--scale", "9"],
        ["--screenshot", "x.png", "--scene", "main", "--scale", "two"],
    ],
    ids=" ".join,
)
def test_what_makes_no_sense_is_wrong_usage(argv: list[str]):
    with pytest.raises(SystemExit) as leaving:
        parse(*argv)
    assert leaving.value.code == 2


def test_the_scenes_are_those_that_can_be_drawn():
    from workbench.showroom.scenes import SCENES as DRAWN

    assert set(SCENES) == set(DRAWN)


def test_a_part_of_a_scene_is_named():
    assert parse("--screenshot", "x.png", "--scene", "main", "--part", "bar").part == "bar"
    with pytest.raises(SystemExit):
        parse("--screenshot", "x.png", "--scene", "main", "--part", "nonsense")


def test_files_alone_are_opened_and_a_mistyped_command_is_none():
    names = [command.name for command in COMMANDS]
    assert with_files(["/a b/x.json", "y.json"], names) == ["--open", "/a b/x.json", "y.json"]
    assert with_files(["./chats"], names) == ["--open", "./chats"]
    for others in (["ask", "a.b"], ["akk"], ["--demo"], []):
        assert with_files(others, names) == others


def test_what_is_opened_must_be_there(tmp_path):
    (tmp_path / "t.workbench.json").touch()
    assert parse("--open", str(tmp_path / "t.workbench.json")).open == [str(tmp_path / "t.workbench.json")]
