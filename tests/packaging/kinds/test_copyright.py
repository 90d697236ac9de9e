"""The copyright file names every part that is inside."""

from __future__ import annotations

import json
from pathlib import Path

from kinds.copyright import Part, copyright_file, indented, licences_of, parts_in

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
    (info / "RECORD").write_text("".join(f"{one},,\n" for one in names), encoding="utf-8")


def test_a_part_has_its_files_its_holders_and_its_text(tmp_path: Path):
    installed(
        tmp_path,
        "small",
        "License-Expression: MIT\n",
        LICENSE="Copyright (c) 2001 A. Body\n\nDo as you like.\n",
    )
    installed(tmp_path, "context_workbench", "License-Expression: MIT\n")
    (part,) = parts_in(tmp_path, "usr/lib/x", {})
    assert part == Part(
        "small",
        ("usr/lib/x/small/*", "usr/lib/x/small-1.dist-info/*", "usr/lib/x/small.so"),
        ("Copyright (c) 2001 A. Body",),
        "MIT",
        "Copyright (c) 2001 A. Body\n\nDo as you like.\n",
    )


def test_a_text_that_every_debian_has_is_named_and_not_repeated(tmp_path: Path):
    installed(
        tmp_path, "big", "Author: The Authors\n", LICENSE="  Apache License\n  Version 2.0, January 2004\n"
    )
    (part,) = parts_in(tmp_path, "p", {"big": "Apache-2.0 OR MIT"})
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


def test_the_list_of_parts_says_the_licence_where_it_knows_better(tmp_path: Path):
    listed = {"components": [
        {"name": "Small_Part", "licenses": [{"expression": "MIT OR Apache-2.0"}]},
        {"name": "other", "licenses": [{"license": {"id": "Zlib"}}]},
    ]}  # fmt: skip
    (tmp_path / "parts.json").write_text(json.dumps(listed), encoding="utf-8")
    assert licences_of(tmp_path / "parts.json") == {"small-part": "MIT OR Apache-2.0", "other": "Zlib"}
    assert licences_of(tmp_path / "none.json") == {}
