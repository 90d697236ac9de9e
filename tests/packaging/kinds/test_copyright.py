"""The copyright file names every part that is inside."""

from __future__ import annotations

from pathlib import Path

from kinds.copyright import Listed, Part, copyright_file, indented, listed_in, parts_in
from tests.architecture.source_tree import ROOT

OWN = "MIT License\n\nCopyright (c) 2026 Somebody\n\nPermission is hereby granted.\n"


def installed(site: Path, name: str, metadata: str, **texts: str) -> None:
    info = site / f"{name}-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n{metadata}", encoding="utf-8"
    )
    for file, text in texts.items():
        (info / file).write_text(text, encoding="utf-8")
    names = [f"{name}/__init__.py", f"{name}.so", *(f"{info.name}/{file}" for file in ("METADATA", *texts))]
    record(site, name, names)


def record(site: Path, name: str, names: list[str]) -> None:
    """Note files, which are there: some readers of such notes pass over those that are not."""
    for one in names:
        (site / one).parent.mkdir(parents=True, exist_ok=True)
        (site / one).touch()
    noted = "".join(f"{one},,\n" for one in names)
    (site / f"{name}-1.dist-info" / "RECORD").write_text(noted, encoding="utf-8")


def test_a_part_has_its_files_its_holders_and_its_text(tmp_path: Path):
    installed(
        tmp_path,
        "small",
        "License-Expression: MIT\n",
        LICENSE="Copyright (c) 2001 A. Body\n\nDo as you like.\n",
    )
    installed(tmp_path, "context_workbench", "License-Expression: MIT\n")
    installed(tmp_path, "context_workbench_model", "License-Expression: Apache-2.0\n")
    record(tmp_path, "context_workbench_model", ["workbench/resources/models/m.gguf"])
    model, part = parts_in(tmp_path, "usr/lib/x", [Listed("Seed", "Zlib", "small")])
    assert model.files == ("usr/lib/x/workbench/resources/models/m.gguf",)
    assert part == Part(
        "small",
        ("usr/lib/x/small-1.dist-info/*", "usr/lib/x/small.so", "usr/lib/x/small/*"),
        ("Copyright (c) 2001 A. Body",),
        "MIT",
        "Copyright (c) 2001 A. Body\n\nDo as you like.\n",
        "inside: Seed (Zlib)",
    )


def test_a_text_that_every_debian_has_is_named_and_not_repeated(tmp_path: Path):
    installed(
        tmp_path, "big", "Author: The Authors\n", LICENSE="  Apache License\n  Version 2.0, January 2004\n"
    )
    (part,) = parts_in(tmp_path, "p", [Listed("big", "Apache-2.0 OR MIT", "")])
    assert (part.holders, part.text) == (("The Authors",), "")
    text = copyright_file(OWN, [part])
    assert (
        "License: Apache-2.0 or MIT\n The full text of Apache-2.0 is in /usr/share/common-licenses/Apache-2.0."
        in text
    )
    assert "Version 2.0, January" not in text


def test_the_file_begins_with_our_own_licence():
    head, ours, *others = copyright_file(OWN, []).split("\n\n")
    assert head.startswith("Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n")
    assert ours.startswith(
        "Files: *\nCopyright: (c) 2026 Somebody\nLicense: MIT\n MIT License\n .\n Copyright"
    )
    assert others == []


def test_no_line_of_a_text_can_begin_a_field():
    assert list(indented("a\n\n\tb\n  \nFiles: *")) == [" a", " .", "     b", " .", " Files: *"]


def test_fonts_and_the_like_have_a_paragraph_of_their_own(tmp_path: Path):
    fonts = tmp_path / "workbench/resources/fonts"
    fonts.mkdir(parents=True)
    (fonts / "OFL.txt").write_text("Share alike.", encoding="utf-8")
    (part,) = parts_in(
        tmp_path, "p", [Listed("Inter", "OFL-1.1", "resources/fonts"), Listed("Qt", "MIT", "pyside6")]
    )
    assert (part.files, part.text) == (("p/workbench/resources/fonts/*",), "Share alike.")


def test_the_list_of_parts_that_comes_with_the_program_is_read():
    listed = listed_in((ROOT / "resources/parts.cdx.json").read_text(encoding="utf-8"))
    assert Listed("shiboken6", "LGPL-3.0-only OR GPL-2.0-only OR GPL-3.0-only", "") in listed
    assert any(one.within == "resources/fonts" for one in listed)
