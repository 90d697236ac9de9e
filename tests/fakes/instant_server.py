"""A server of Anthropic's messages that answers at once, in a process of its own: to measure what stands before it."""

from __future__ import annotations

import asyncio
import sys

from tests.fakes.raw_server import RawServer, Reader, Writer, length_of

_EVENTS = (
    b'event: message_start\ndata: {"type": "message_start", "message": {"id": "m", "role": "assistant", "content": [], '
    b'"usage": {"input_tokens": 100, "output_tokens": 1}}}\n\n',
    b'event: content_block_delta\ndata: {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", '
    b'"text": "Yes."}}\n\n',
    b'event: message_stop\ndata: {"type": "message_stop"}\n\n',
)
_STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
ANSWER = _STREAM + b"".join(b"%x\r\n%b\r\n" % (len(one), one) for one in _EVENTS) + b"0\r\n\r\n"
_PIECE = bytes(1 << 16)


async def act(reader: Reader, writer: Writer) -> None:
    """Answer each request of a connection; `?large=N` with so many bytes."""
    while True:
        head = await reader.readuntil(b"\r\n\r\n")
        await reader.readexactly(length_of(head))
        _, _, large = head.split(b" ", 2)[1].partition(b"?large=")
        if not large:
            writer.write(ANSWER)
        else:
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %b\r\n\r\n" % large)
            for start in range(0, int(large), len(_PIECE)):
                writer.write(_PIECE[: int(large) - start])
                await writer.drain()
        await writer.drain()


async def serve() -> None:
    """Until the process is ended."""
    async with RawServer(act) as server:
        print(server.url, file=sys.stderr, flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve())
