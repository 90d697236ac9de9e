"""Pages of a PDF as pictures: they are in no file, so their bytes are kept."""

from __future__ import annotations

from pathlib import PurePath

from workbench.domain.files.attached import CannotAttach, LeftOut
from workbench.domain.files.attachment import Artifact
from workbench.domain.files.pictures import picture_in
from workbench.domain.record import Snapshot
from workbench.engine.attaching_intents import AttachPages
from workbench.engine.world import World

MOST_PAGES = 20


async def keep_pages(intent: AttachPages, world: World) -> tuple[list[Artifact], tuple[LeftOut, ...]]:
    """Keep pages as pictures, to be attached; those over the limit are left out and named."""
    path = intent.path
    if not 1 <= intent.first <= intent.last:
        raise CannotAttach(path, f"there are no pages {intent.first} to {intent.last}", "Choose other pages.")
    last = min(intent.last, intent.first + MOST_PAGES - 1)
    made = []
    for number, content in await world.attachments.page_pictures(path, (intent.first, last), intent.password):
        picture = picture_in(content)
        if picture is None:
            continue
        title = f"{PurePath(path).name}, page {number}"
        key = f"{PurePath(path).as_posix()}#p{number}"
        artifact = Artifact(key, "image", picture.described, title, recoverable=False)
        await world.store.keep_snapshot(Snapshot(intent.chat, artifact, world.utc.utc_now(), content))
        made.append(artifact)
    if last == intent.last:
        return made, ()
    which = f"{path}, pages {last + 1} to {intent.last}"
    return made, (LeftOut(which, f"{MOST_PAGES} pages are attached at once", refused=True),)
