"""Good files with bytes changed, cut and doubled: each is read or refused, and nothing else happens."""

from __future__ import annotations

import asyncio
from collections import Counter

from tests.fakes.corpus import Case, books, decks, mails, notebooks, pages, pdfs, pictures, words
from tests.fakes.corpus_documents import documents
from tests.fakes.effort import tries
from workbench.domain.files.attached import CannotAttach
from workbench.domain.files.document import Reading
from workbench.sources.extract.process import ChildExtractor


def damaged(content: bytes, number: int) -> bytes:
    """The same damage to the same bytes every time."""
    state = number * 2654435761 + len(content)
    out = bytearray(content)
    for _ in range(1 + number % 7):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        place = (state >> 20) % max(1, len(out))
        match number % 4:
            case 0:
                out[place] = state >> 40 & 255
            case 1:
                del out[place : place + (state >> 44) % 64]
            case 2:
                out[place:place] = out[place // 2 : place // 2 + (state >> 44) % 64]
            case _:
                out[place : place + 4] = b"\xff\xff\xff\x7f"
        if not out:
            return b"x"
    return bytes(out)


def test_damage_refuses_a_file_and_harms_nobody():
    groups = [
        list(group()) for group in (pdfs, words, decks, books, pages, notebooks, mails, pictures, documents)
    ]
    good = [case for group in groups for case in group if not case.refused and len(case.content) < 100_000]
    # Far apart, so that few tries reach every group.
    cases = [(good[number * 7919 % len(good)], number) for number in range(tries(1000))]
    ended = asyncio.run(read_all(cases))
    assert sum(ended.values()) == len(cases)
    assert ended["read"] > 0
    assert ended["refused"] > 0
    assert ended["crashed"] == 0


async def read_all(cases: list[tuple[Case, int]]) -> Counter[str]:
    extractor = ChildExtractor()
    ended: Counter[str] = Counter()

    async def read(case: Case, number: int) -> None:
        try:
            await extractor.document(case.name, damaged(case.content, number), Reading())
        except CannotAttach as refusal:
            ended["crashed" if "made to do harm" in refusal.reason else "refused"] += 1
        else:
            ended["read"] += 1

    await asyncio.gather(*[read(case, number) for case, number in cases])
    await extractor.close()
    return ended
