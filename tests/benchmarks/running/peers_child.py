"""The peers at work, in an environment of their own: asked for a lap by a line, they answer with a line of JSON.

Only the standard library, tiktoken and the peers are there; nothing of the program is.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

Lap = Callable[[str], int]


class Load:
    """The workload from its file: files stand first, each a message, then what was said."""

    def __init__(self, path: str) -> None:
        with open(path, encoding="utf-8") as file:
            given = json.load(file)
        self.messages: list[tuple[str, str]] = [("user", text) for text in given["files"]]
        self.messages += [(role, text) for role, text in given["said"]]
        self.budget: int = given["budget_tokens"]
        os.environ["TIKTOKEN_CACHE_DIR"] = given["encodings"]
        import tiktoken

        self.encode = tiktoken.get_encoding(given["encoding"]).encode_ordinary


def langchain(load: Load, memoised: bool) -> Lap:
    """`trim_messages` from the end, with a counter that counts anew or one that remembers."""
    from langchain_core.messages import (  # type: ignore[import-not-found,unused-ignore]
        AIMessage,
        HumanMessage,
        trim_messages,
    )

    kinds: dict[str, Any] = {"user": HumanMessage, "assistant": AIMessage}
    messages = [kinds[role](text) for role, text in load.messages]
    known: dict[str, int] = {}

    def plain(batch: list[Any]) -> int:
        return sum(3 + len(load.encode(message.content)) for message in batch)

    def remembering(batch: list[Any]) -> int:
        for message in batch:
            if message.content not in known:
                known[message.content] = len(load.encode(message.content))
        return sum(3 + known[message.content] for message in batch)

    counter = remembering if memoised else plain
    if memoised:
        remembering(messages)  # an expert counts each message when it comes

    def lap(question: str) -> int:
        kept = trim_messages(
            [*messages, HumanMessage(question)],
            max_tokens=load.budget,
            strategy="last",
            token_counter=counter,
        )
        return len(kept)

    return lap


def buffer(load: Load) -> Lap:
    """llama-index's `ChatMemoryBuffer`: the message is put, and the history asked for."""
    from llama_index.core.memory import ChatMemoryBuffer  # type: ignore[import-not-found,unused-ignore]

    memory = ChatMemoryBuffer.from_defaults(_chat(load), token_limit=load.budget, tokenizer_fn=load.encode)
    return _putting(memory)


def memory(load: Load) -> Lap:
    """llama-index's `Memory`, which keeps its messages in a database."""
    from llama_index.core.memory import Memory  # type: ignore[import-not-found,unused-ignore]

    made = Memory.from_defaults(token_limit=load.budget, tokenizer_fn=load.encode)
    made.put_messages(_chat(load))
    return _putting(made)


def _chat(load: Load) -> list[Any]:
    from llama_index.core.llms import ChatMessage  # type: ignore[import-not-found,unused-ignore]

    return [ChatMessage(role=role, content=text) for role, text in load.messages]


def _putting(memory: Any) -> Lap:
    from llama_index.core.llms import ChatMessage  # type: ignore[import-not-found,unused-ignore]

    def lap(question: str) -> int:
        memory.put(ChatMessage(role="user", content=question))
        return len(memory.get())

    return lap


WAYS: dict[str, Callable[[Load], Lap]] = {
    "langchain trim_messages, plain": lambda load: langchain(load, memoised=False),
    "langchain trim_messages, memoised": lambda load: langchain(load, memoised=True),
    "llama-index Memory": memory,
    "llama-index ChatMemoryBuffer": buffer,
}


def main(path: str) -> int:
    """Answer until nobody asks any more; a way that fails says why, and the others go on."""
    load, ready = Load(path), dict[str, Lap]()
    for line in sys.stdin:
        asked = json.loads(line)
        name, question = asked["way"], asked["question"]
        try:
            if name not in ready:
                ready[name] = WAYS[name](load)
            start = time.perf_counter()
            kept = ready[name](question)
            answer: dict[str, object] = {"ms": (time.perf_counter() - start) * 1000, "kept": kept}
        except Exception as problem:  # noqa: BLE001  (whatever another library does wrong is its row, not our end)
            answer = {"problem": f"{type(problem).__name__}: {str(problem)[:200]}"}
        print(json.dumps(answer), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
