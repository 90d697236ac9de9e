"""What commands work with in tests: whatever a test does not give refuses to be used."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, NoReturn

from tests.fakes.chat_model import NoPrices
from tests.fakes.engine import TickingUtc
from tests.fakes.spending import MemoryLedger
from tests.fakes.turns import fake_builder
from workbench.cli.services import Services
from workbench.domain.connection import NetworkSeen
from workbench.domain.model import ModelLearnt
from workbench.domain.spending import SpendCaps
from workbench.engine.assembly.prepare import Builder
from workbench.engine.metering import Spending
from workbench.engine.tasks import Tasks


def parts_with(**given: Any) -> Services:
    """Parts of which only some are there."""
    builder = fake_builder()
    absent = dict.fromkeys((field.name for field in fields(Services)), not_given)
    usual = {
        "make_builder": lambda: builder, "check_catalogue": lambda: None, "new_chat_preset": lambda: "",
        "learnt": nothing_learnt, "check_sending": lambda: None,
        "network": NetworkSeen, "spending": lambda store: nothing_spent(builder),
    }  # fmt: skip
    return Services(**{**absent, **usual, **given})


def nothing_spent(builder: Builder) -> Spending:
    """What counts requests, of which there were none yet."""
    tasks = Tasks(lambda name, error: None)
    return Spending(MemoryLedger(), NoPrices(), builder.catalogue, TickingUtc(), SpendCaps, tasks)


async def nothing_learnt() -> dict[str, ModelLearnt]:
    """No turn has taught anything yet."""
    return {}


def not_given(*_arguments: object) -> NoReturn:
    """A part the test did not expect to be asked for."""
    raise AssertionError("this part was not given to the command")
