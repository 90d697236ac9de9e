"""A relay that only passes bytes, in a process of its own: the least that a watch takes."""

from __future__ import annotations

import asyncio
import sys

from tests.fakes.raw_server import RawServer, Reader, Writer

PIECE = 256 * 1024


async def serve(port: int) -> None:
    """Until the process is ended."""

    async def act(reader: Reader, writer: Writer) -> None:
        theirs, ours = await asyncio.open_connection("127.0.0.1", port, limit=PIECE)
        async with asyncio.TaskGroup() as both:
            both.create_task(_pass(reader, ours))
            both.create_task(_pass(theirs, writer))

    async with RawServer(act) as server:
        print(server.url, file=sys.stderr, flush=True)
        await asyncio.Event().wait()


async def _pass(reader: Reader, writer: Writer) -> None:
    while piece := await reader.read(PIECE):
        writer.write(piece)
        await writer.drain()
    writer.close()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1])))
