"""What is written for a Debian package."""

from __future__ import annotations

from kinds.deb_files import (
    NAME,
    OVERRIDES,
    START,
    Identity,
    changelog,
    control,
    described,
    overrides,
    shared_depends,
)

WHO = Identity("0.1.0", "arm64", "Somebody <somebody@example.org>", 1_700_000_000)


def test_the_control_file_names_what_it_needs_and_how_large_it_is():
    text = control(WHO, ["libegl1", "libc6 (>= 2.34)"], 10_241)
    fields = dict(line.split(": ", 1) for line in text.splitlines() if not line.startswith(" "))
    assert fields["Package"] == NAME
    assert fields["Architecture"] == "arm64"
    assert fields["Depends"] == "libc6 (>= 2.34), libegl1, python3.11"
    assert fields["Installed-Size"] == "11"
    assert text.endswith("\n")


def test_a_long_description_is_wrapped_with_dots_between_paragraphs():
    lines = described(f"{'word ' * 30}\n\nEnd.").splitlines()
    assert lines[-2:] == [" .", " End."]
    assert all(line.startswith(" ") and len(line) < 80 for line in lines)


def test_the_change_log_is_as_of_the_commit():
    assert changelog(WHO).splitlines()[0] == "context-workbench (0.1.0) stable; urgency=medium"
    assert changelog(WHO).endswith(" -- Somebody <somebody@example.org>  Tue, 14 Nov 2023 22:13:20 -0000\n")


def test_every_override_has_its_reason():
    assert all(OVERRIDES.values())
    assert overrides().count("\n# ") + 1 == len(OVERRIDES)


def test_the_program_is_started_by_its_own_python_and_nothing_around_it():
    assert START.splitlines()[1] == 'exec /usr/lib/context-workbench/bin/python3 -I -m workbench "$@"'


def test_what_is_linked_is_read_from_the_tools_line():
    assert shared_depends("shlibs:Depends=libc6 (>= 2.17), libegl1\n") == ["libc6 (>= 2.17)", "libegl1"]
    assert shared_depends("") == []
