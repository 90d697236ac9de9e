"""What the scripted conversation needs is there, and gone afterwards."""

from __future__ import annotations

from tests.fakes.loop import in_loop
from workbench.showroom.setup import set_up


@in_loop
async def test_the_folder_is_a_copy_and_gone_afterwards():
    async with set_up() as setup:
        held = setup.folder
        shipped = setup.script.folder / setup.script.changed.path
        copied = held / setup.script.changed.path
        assert copied.read_bytes() == shipped.read_bytes()
        assert {part.name for part in setup.script.models.values()} == set(setup.servers)
        await setup.world.store.close()
    assert not held.exists()
