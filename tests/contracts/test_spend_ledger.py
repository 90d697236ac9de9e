"""What every ledger must do: count what is reserved, refuse what could pass a limit, and forget nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes.loop import in_loop
from tests.fakes.spending import MODEL, PRICE, WHEN, MemoryLedger, reserved, spent
from tests.fakes.stores import open_store
from workbench.domain.spending import CapReached, Limit
from workbench.ports.spending import SpendLedger
from workbench.storage.spending import StoredSpending

DAY = Limit("day", 1.0, "2026-11-18T00:00:00")
CHAT = Limit("chat", 0.5, chat="c")
Opened = Callable[[], AbstractAsyncContextManager[SpendLedger]]


@pytest.fixture(params=["memory", "stored"])
def ledgers(request: pytest.FixtureRequest, tmp_path: Path) -> Opened:
    @asynccontextmanager
    async def opened() -> AsyncIterator[SpendLedger]:
        if request.param == "memory":
            yield MemoryLedger()
            return
        store = open_store(tmp_path / "h.db")
        yield StoredSpending(store, "me")
        await store.close()

    return opened


@in_loop
async def test_a_record_comes_back_as_it_was(ledgers: Opened):
    whole = spent(
        0.25, chat="c", workspace="w", input_tokens=90, cached_tokens=60, written_tokens=5, output_tokens=7,
        predicted_usd=0.2, price=PRICE, reread_tokens=3, reread_usd=0.01, cause="cold",
    )  # fmt: skip
    async with ledgers() as ledger:
        await ledger.add(whole)
        assert await ledger.spent() == (whole,)
        assert await ledger.spent("2026-11-19") == ()


@in_loop
async def test_what_is_reserved_counts_and_is_not_listed(ledgers: Opened):
    async with ledgers() as ledger:
        number = await ledger.reserve(reserved(0.7), [DAY])
        with pytest.raises(CapReached) as refused:
            await ledger.reserve(reserved(0.31), [DAY])
        assert str(refused.value) == "$0.30 of $1.00 left today; this one may cost $0.31. Nothing was sent."
        assert await ledger.spent() == ()
        await ledger.settle(number, spent(0.1))
        await ledger.settle(await ledger.reserve(reserved(0.9), [DAY]), None)
        assert await ledger.spent() == (spent(0.1),)


@in_loop
async def test_each_limit_counts_its_own(ledgers: Opened):
    async with ledgers() as ledger:
        await ledger.add(spent(5.0, at_utc="2026-11-17T23:59:59.999Z", chat="other"))
        await ledger.add(spent(0.3, chat="c"))
        await ledger.reserve(reserved(0.3, chat="other"), [DAY, replace(CHAT, chat="other", usd=6.0)])
        with pytest.raises(
            CapReached, match=r"\$0\.20 of \$0\.50 left in this chat; this one may cost \$0\.21"
        ):
            await ledger.reserve(reserved(0.21), [DAY, CHAT])


@in_loop
async def test_of_many_at_once_only_as_many_pass_as_the_limit_allows(ledgers: Opened):
    async with ledgers() as ledger:
        tries = [ledger.reserve(reserved(0.3), [DAY]) for _ in range(9)]
        ends = await asyncio.gather(*tries, return_exceptions=True)
        assert sum(isinstance(one, CapReached) for one in ends) == 6


@in_loop
async def test_a_hosted_model_without_a_price_cannot_keep_a_cap(ledgers: Opened):
    async with ledgers() as ledger:
        with pytest.raises(CapReached, match="no price is known for openai:new, so this cap cannot be kept"):
            await ledger.reserve(reserved(None, model="openai:new"), [DAY])
        await ledger.reserve(reserved(None, model="server:http://lab#m"), [DAY])
        await ledger.reserve(reserved(0.0, model="builtin"), [replace(DAY, usd=0.0)])
        with pytest.raises(CapReached):
            await ledger.reserve(reserved(0.0001, model=MODEL), [replace(DAY, usd=0.0)])
        assert DAY.since_utc < WHEN


@in_loop
async def test_a_record_of_a_program_that_is_gone_counts_with_what_was_predicted(tmp_path: Path):
    """A reservation of a killed program must not keep money back for ever."""
    first, second = open_store(tmp_path / "h.db"), open_store(tmp_path / "h.db")
    killed, other = StoredSpending(first, "killed"), StoredSpending(second, "other")
    await killed.reserve(reserved(0.9), [DAY])
    with pytest.raises(CapReached):
        await other.reserve(reserved(0.2), [DAY])
    assert locks_in(tmp_path) == ["spending-killed.lock", "spending-other.lock"]
    await first.close()
    await other.reserve(reserved(0.2), [DAY])
    (one,) = await other.spent()
    assert one.state == "predicted"
    assert one.usd == pytest.approx(0.09)
    await second.close()
    assert locks_in(tmp_path) == []


def locks_in(folder: Path) -> list[str]:
    """The locks of programs that have reserved something."""
    return sorted(path.name for path in folder.glob("spending-*.lock"))
