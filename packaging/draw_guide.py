"""Makes what of the guide and the README is derived: the list of shortcuts, and pictures of the window.

.venv/bin/python packaging/draw_guide.py              everything
.venv/bin/python packaging/draw_guide.py shortcuts    only the list, or the pictures that are named
"""

from __future__ import annotations

import asyncio
import io
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
GUIDE = ROOT / "resources" / "guide"


def guide_in(language: str) -> Path:
    """Where the pages and pictures of a language lie."""
    return GUIDE if language == "en" else GUIDE / language


def shortcuts_page(language: str) -> Path:
    """Where the list stands."""
    return guide_in(language) / "shortcuts.md"


class Picture(NamedTuple):
    """A picture: where it lies, and the scene, the part of the window and the size it is drawn from."""

    file: str
    scene: str
    part: str = ""
    size: tuple[int, int] = (1600, 1000)

    def path(self, language: str) -> Path:
        """Where it lies in a language; the README has English only."""
        if self.file.startswith(HERE):
            return guide_in(language) / "pictures" / Path(self.file).name
        return ROOT / self.file


HERE = "resources/guide/pictures"
PICTURES = (
    Picture("packaging/pictures/main.png", "main"),
    Picture(f"{HERE}/request.png", "main", "inspector", (1600, 820)),
    Picture(f"{HERE}/bar.png", "main", "bar"),
    Picture(f"{HERE}/composer.png", "main", "composer"),
    Picture(f"{HERE}/drop-order.png", "main", "drop-order"),
    Picture(f"{HERE}/attachments.png", "main", "attachments"),
    Picture(f"{HERE}/over-limit.png", "over-limit", "composer"),
    Picture(f"{HERE}/payload.png", "inspector", "inspector", (1600, 700)),
    Picture(f"{HERE}/cache.png", "cache", "inspector", (1600, 800)),
    Picture(f"{HERE}/recall.png", "recall", "inspector", (1600, 900)),
    Picture(f"{HERE}/compare.png", "compare", "inspector", (1600, 760)),
    Picture(f"{HERE}/influence.png", "influence", "inspector", (1600, 800)),
    Picture(f"{HERE}/facts.png", "facts", "", (1400, 860)),
    Picture(f"{HERE}/folder.png", "folder", "dialog"),
    Picture(f"{HERE}/sections.png", "sections", "inspector", (1600, 760)),
    Picture(f"{HERE}/workspace.png", "workspace", "page", (1600, 760)),
    Picture(f"{HERE}/instructions.png", "instructions", "inspector", (1600, 820)),
    Picture(f"{HERE}/tools.png", "tools", "dialog"),
    Picture(f"{HERE}/watch.png", "watch", "", (1400, 860)),
)
_LANGUAGE = "WORKBENCH_DRAWN_LANGUAGE"
COLOURS = 256
"""As many as a picture of the window needs; a third of the bytes of all there could be."""


SHORTCUTS_WORDS = {
    "en": (
        "Shortcuts",
        "Press Ctrl+K for every command by name. Keys can be changed in the window: press Ctrl+/.",
        "what it does",
        "keys",
    ),
    "de": (
        "Tastenkürzel",
        "Strg+K nennt jeden Befehl beim Namen. Tasten lassen sich im Fenster ändern: Strg+/ drücken.",
        "was geschieht",
        "Tasten",
    ),
    "zh_CN": ("快捷键", "按 Ctrl+K 可按名称找到每个命令。按键可以在窗口中更改：按 Ctrl+/。", "作用", "按键"),
}


def shortcuts(language: str = "en") -> str:
    """The list of shortcuts as a page of Markdown."""
    from workbench.files.language import use_language
    from workbench.sources.resources import resource_path

    use_language(language, resource_path())
    try:
        return _shortcuts(*SHORTCUTS_WORDS[language])
    finally:
        use_language("en", resource_path())


def _shortcuts(title: str, lead: str, act: str, keys: str) -> str:
    from workbench.ui.commands import specs
    from workbench.ui.dialogs.shortcut_list import in_panes
    from workbench.ui.translation import key_words

    groups: dict[str, list[tuple[str, str]]] = {}
    for spec in specs():
        if spec.shortcut:
            key = f"{spec.shortcut}, {spec.also}" if spec.also else spec.shortcut
            groups.setdefault(spec.group, []).append((spec.title, key))
    for group, key, words in in_panes():
        groups.setdefault(group, []).append((words, key))
    head = f"| {act} | {keys} |\n|---|---|\n"
    tables = (
        f"## {group}\n\n{head}" + "".join(f"| {words} | {key_words(key)} |\n" for words, key in lines)
        for group, lines in groups.items()
    )
    return "\n".join((f"# {title}\n\n{lead}\n", *tables))


def draw(wanted: list[Picture], language: str = "en") -> None:
    """Play the scripted conversation to each picture's moment, and draw them; the README's are in English alone."""
    from workbench.files.language import use_language
    from workbench.showroom.pictures import Shot, png_of, take
    from workbench.showroom.player import moments
    from workbench.showroom.scenes import SCENES
    from workbench.sources.resources import resource_path

    use_language(language, resource_path())
    played = asyncio.run(moments({SCENES[picture.scene].moment for picture in wanted}))
    for picture in wanted:
        shot = Shot(picture.scene, *picture.size, part=picture.part)
        drawn = png_of(take(shot, played[SCENES[picture.scene].moment], resource_path()))
        write(picture.path(language), drawn)


def write(path: Path, drawn: bytes) -> None:
    """Keep a picture with few colours and no dither: it is text and flat grounds."""
    from PIL import Image

    path.parent.mkdir(exist_ok=True)
    with Image.open(io.BytesIO(drawn)) as picture:
        few = picture.convert("RGB").quantize(COLOURS, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
        few.save(path, optimize=True)


def main(wanted: list[str], language: str = "") -> int:
    """Make what is named, or everything, in a language or in each."""
    os.environ.update(QT_QPA_PLATFORM="offscreen", TZ="UTC")
    if not language and (not wanted or "shortcuts" in wanted):
        for one in SHORTCUTS_WORDS:
            shortcuts_page(one).write_text(shortcuts(one), encoding="utf-8")
    pictures = [one for one in PICTURES if not wanted or Path(one.file).stem in wanted]
    if language:
        draw([one for one in pictures if one.path(language) != ROOT / one.file], language)
    elif pictures:
        for other in list(SHORTCUTS_WORDS)[1:]:  # in processes of their own: some words are made once
            subprocess.run(
                [sys.executable, __file__, *wanted], env={**os.environ, _LANGUAGE: other}, check=True
            )
        draw(pictures)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ.get(_LANGUAGE, "")))
