"""What is known about other programs that ask models: a TOML file of lines to copy and versions that were tried."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from workbench.domain.reading.form import form_of
from workbench.domain.reading.node import Node
from workbench.domain.translation import tr
from workbench.domain.watch.switch import Clients, ClientSwitch, SessionVersions
from workbench.providers.catalogue import load_toml


@dataclass(frozen=True, slots=True)
class _File:
    """The whole file."""

    format: Literal["workbench-clients/1"]
    switches: tuple[ClientSwitch, ...]
    sessions: tuple[SessionVersions, ...]


def load_clients(path: Path) -> Clients:
    """Reads what is known about clients; errors name the field."""
    return load_toml(path, tr("the file of clients"), _clients)


def _clients(node: Node) -> Clients:
    file = form_of(_File).read(node)
    return Clients(file.switches, file.sessions)
