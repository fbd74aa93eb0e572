"""The cluster's proxy bounds what strangers send as each process does, and answers in the app's words."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from playground.limits import rate_limits
from tools.cluster import servers
from tools.free_port import free_port
from tools.live_server import wait_until_it_answers


class App(BaseHTTPRequestHandler):
    """Answers with what it was asked, and how many bytes came."""

    def answer(self) -> None:
        count = len(self.rfile.read(int(self.headers.get("content-length") or 0)))
        status = 413 if self.path.startswith("/too-large/") else 200
        body = f"{self.command} {self.path} {count}".encode()
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = answer  # noqa: N815 - their names

    def log_message(self, *_arguments: object) -> None:
        pass


@pytest.fixture(scope="module")
def listen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    app = ThreadingHTTPServer(("127.0.0.1", 0), App)
    threading.Thread(target=app.serve_forever, daemon=True).start()
    folder = tmp_path_factory.mktemp("proxy")
    address = f"127.0.0.1:{free_port()}"
    apps = {"app1": f"127.0.0.1:{app.server_address[1]}"}
    with servers.nginx(folder, apps, address) as running:
        wait_until_it_answers(f"http://{address}/", running, Path(folder) / "nginx.log")
        yield address
    app.shutdown()
    app.server_close()


def send(listen: str, path: str, count: int, *, chunked: bool = False) -> tuple[int, str]:
    """Send a body of so many bytes; return the answer."""
    connection = http.client.HTTPConnection(listen, timeout=30)
    parts = (b"x" * min(65536, count - at) for at in range(0, count, 65536))
    headers = {} if chunked else {"content-length": str(count)}
    connection.request("POST", path, body=parts, headers=headers, encode_chunked=chunked)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, text


@pytest.mark.parametrize(("path", "body"), [("/", rate_limits.FORMS), *rate_limits.BODIES.items()])
@pytest.mark.parametrize("chunked", [False, True])
def test_the_proxy_takes_what_a_process_takes_and_no_more(
    listen: str, path: str, body: rate_limits.BodyBound, chunked: bool
) -> None:
    assert send(listen, path, body.most_bytes, chunked=chunked) == (200, f"POST {path} {body.most_bytes}")
    status, text = send(listen, path, body.most_bytes + 1, chunked=chunked)
    assert status == 413
    of = "" if body is rate_limits.FORMS else f"?path={path}"
    assert text == f"GET /too-large/{of} 0", "the app says it in the reader's language"


def test_nobody_reaches_the_answer_for_what_is_too_large_by_its_address(listen: str) -> None:
    assert send(listen, "/too-large/", 1)[0] == 404
