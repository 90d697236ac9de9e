"""Two who ask at once get one renewal."""

import asyncio

from token_client.session import Session


async def test_one_renewal_for_two(keeper, clock):
    session = Session(keeper, clock)
    first, second = await asyncio.gather(session.token(), session.token())
    assert first is second
    assert keeper.renewed == 1
    assert session.waiting == 0
