"""hashes.txt: which pins are for which machine, what pip's report says, and what is written."""

from __future__ import annotations

import make_hashes
from make_hashes import SYSTEMS, Wheel

LINUX, WINDOWS = SYSTEMS[0], SYSTEMS[-1]


def test_a_pin_is_asked_for_where_its_marker_says():
    assert make_hashes.fits("aaa==1", LINUX, "3.13")
    assert not make_hashes.fits('win==1 ; sys_platform == "win32"', LINUX, "3.11")
    assert make_hashes.fits('win==1 ; sys_platform == "win32"', WINDOWS, "3.11")
    assert make_hashes.fits('old==1 ; python_version < "3.12"', LINUX, "3.11")
    assert not make_hashes.fits('old==1 ; python_version < "3.12"', LINUX, "3.12")


def test_both_processors_are_among_the_systems():
    assert [system.name for system in SYSTEMS][:2] == ["linux aarch64", "linux x86_64"]
    assert all(platform.endswith("x86_64") for platform in SYSTEMS[1].platforms)


def test_a_wheel_for_all_is_not_asked_for_again():
    assert Wheel("a", "a-1-py3-none-any.whl", "0").anywhere
    assert Wheel("a", "a-1-cp39-abi3-manylinux_2_28_x86_64.whl", "0").any_python
    assert not Wheel("a", "a-1-cp311-cp311-manylinux_2_28_x86_64.whl", "0").any_python


def test_a_report_of_pip_is_read():
    item = {
        "metadata": {"name": "Some.Part"},
        "download_info": {
            "url": "file:///x/some_part-1-py3-none-any.whl",
            "archive_info": {"hashes": {"sha256": "ab"}},
        },
    }
    assert make_hashes.read_report({"install": [item]}) == {
        Wheel("some-part", "some_part-1-py3-none-any.whl", "ab")
    }


def test_the_program_comes_first_and_markers_stay():
    pins = ['aaa==1 ; python_version < "3.12"', "tool==2"]
    found = [Wheel("aaa", "x", "22"), Wheel("aaa", "y", "11"), Wheel("tool", "z", "33")]
    text = make_hashes.written(pins, found, {"aaa"})
    first, rest = text.split(make_hashes.REST)
    assert 'aaa==1 ; python_version < "3.12" \\\n    --hash=sha256:11 \\\n    --hash=sha256:22\n' in first
    assert rest == "\ntool==2 \\\n    --hash=sha256:33\n"
