"""Pictures of a turn: sent once, found again by their bytes."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from tests.fakes.engine import SETTINGS, fake_world
from tests.fakes.history import MemoryHistory
from tests.fakes.loop import in_loop
from tests.fakes.pictures import png
from tests.fakes.turns import artifact, user
from workbench.domain.message import Image
from workbench.domain.record import Chat, Snapshot
from workbench.engine.conversation import Conversation
from workbench.engine.turn.planning import TurnPlan, with_pictures

PICTURE = png(512, 512)
DIGEST = hashlib.sha256(PICTURE).hexdigest()
ATTACHED = artifact("shot.png", "a picture", kind="image")


async def store_with_picture() -> MemoryHistory:
    store = MemoryHistory()
    await store.create_chat(Chat("talk", "2026-01-01T00:00:00Z"))
    await store.keep_snapshot(Snapshot("talk", ATTACHED, "2026-01-01T00:00:00Z", PICTURE))
    return store


@in_loop
async def test_an_attached_picture_goes_with_the_question():
    plan = TurnPlan(Conversation("talk", attached=(ATTACHED,)), SETTINGS, user("q"))
    found = await with_pictures(plan, fake_world(store=await store_with_picture()))
    assert found.question.images == (Image(DIGEST, width=512, height=512, source="shot.png"),)
    assert (found.pictures[DIGEST].media_type, found.pictures[DIGEST].content) == ("image/png", PICTURE)


@in_loop
async def test_a_picture_that_was_seen_is_not_sent_again_but_found_for_its_message():
    seen = replace(user("q1"), images=(Image(DIGEST, 255),))
    plan = TurnPlan(Conversation("talk", history=(seen,), attached=(ATTACHED,)), SETTINGS, user("q2"))
    found = await with_pictures(plan, fake_world(store=await store_with_picture()))
    assert found.question.images == ()
    assert set(found.pictures) == {DIGEST}


@in_loop
async def test_without_pictures_nothing_is_read():
    plan = TurnPlan(Conversation("talk"), SETTINGS, user("q"))
    assert await with_pictures(plan, fake_world()) is plan
