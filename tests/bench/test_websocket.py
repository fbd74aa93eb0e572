"""The students' sockets live as long as a page's would."""

import asyncio

from websockets.asyncio.server import ServerConnection, serve

from bench.websocket import Socket, Visitor
from tests.helpers.patience import PATIENCE_S


async def test_a_socket_that_says_nothing_answers_pings() -> None:
    """A server that hears no answer to its pings resets the connection; a lesson is longer than its patience."""

    async def ping_then_greet(connection: ServerConnection) -> None:
        for _each in range(3):
            answered = await connection.ping()
            await asyncio.wait_for(answered, PATIENCE_S)
        await connection.send('{"t": "still here"}')

    async with serve(ping_then_greet, "127.0.0.1", 0, ping_interval=None) as server:
        port = server.sockets[0].getsockname()[1]
        socket = await Socket.connect(Visitor(f"http://127.0.0.1:{port}"), "/ws/class/me/")
        assert await socket.receive() == {"t": "still here"}
        await socket.close()
