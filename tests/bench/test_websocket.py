"""The students' sockets live as long as a page's would."""

import asyncio

from websockets.asyncio.server import ServerConnection, serve

from bench.websocket import Socket, Visitor


async def test_a_socket_that_says_nothing_answers_pings() -> None:
    """A server that hears no answer to its pings resets the connection; a lesson is longer than its patience."""

    async def wait_then_greet(connection: ServerConnection) -> None:
        await asyncio.sleep(1)
        await connection.send('{"t": "still here"}')

    async with serve(wait_then_greet, "127.0.0.1", 0, ping_interval=0.1, ping_timeout=0.2) as server:
        port = server.sockets[0].getsockname()[1]
        socket = await Socket.connect(Visitor(f"http://127.0.0.1:{port}"), "/ws/class/me/")
        assert await socket.receive() == {"t": "still here"}
        await socket.close()
