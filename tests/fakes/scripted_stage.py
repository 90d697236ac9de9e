"""A stage for the scripted model: what it is to answer is written into a file first."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tests.fakes.chat_script import Played, Script
from workbench.providers.scripted import ScriptedModel


@dataclass(frozen=True)
class ScriptedStage:
    """It cuts its text into words of its own, has no connection and waits for nobody."""

    name: str = "scripted"
    obeys: bool = False

    @asynccontextmanager
    async def play(self, script: Script) -> AsyncGenerator[Played, None]:
        step: dict[str, Any] = {
            "text": "".join(script.texts),
            "thinking": script.thinking,
            "finish": script.reason,
        }
        step["tool_calls"] = [asdict(call) for call in script.calls]
        step |= {"usage": asdict(script.usage)} if script.usage else {}
        step |= {"cut": True} if script.ending != "finish" else {}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "script.json"
            path.write_text(json.dumps([step]), encoding="utf-8")
            model = ScriptedModel(path)
            yield Played(model, asyncio.Event())
            await model.close()
