"""A launch in a platform's frame without cookies of other sites: the platform's window keeps the secret.

Only a browser: frames of two sites that send each other messages, without cookies.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser

from tests.web.lti_platform import CLAIM, CLIENT, DEEP_LINKING, DEPLOYMENT, Platform
from tools import live_server
from tools.live_server import LiveServer

pytestmark = pytest.mark.browser

COURSE = """<!doctype html><title>Course</title><script>
const kept = {};
addEventListener("message", (event) => {
  const { subject, key, value, message_id } = event.data;
  if (subject === "lti.put_data") kept[key] = value;
  event.source.postMessage({ subject: `${subject}.response`, message_id, key, value: kept[key] }, event.origin);
});
</script><iframe name="tool" width="900" height="600" src="%s"></iframe>"""
AUTH = """<!doctype html><form method="post" action="%s">
<input name="id_token" value="%s"><input name="state" value="%s">
<input name="lti_storage_target" value="_parent"></form><script>document.forms[0].submit()</script>"""


class Course(Platform):
    """The platform with a window: a course, and the page to which a log-in comes."""

    def __init__(self) -> None:
        super().__init__()
        platform = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path = urlsplit(self.path)
                if path.path == "/auth":
                    asked = {name: values[0] for name, values in parse_qs(path.query).items()}
                    text = AUTH % (asked["redirect_uri"], platform.choice(asked["nonce"]), asked["state"])
                else:
                    text = COURSE % platform.start
                data = text.encode()
                self.send_response(200)
                self.send_header("content-type", "text/html")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_what: Any) -> None:
                pass

        self.start = ""
        self._windows = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.window = f"http://localhost:{self._windows.server_port}"
        threading.Thread(target=self._windows.serve_forever, args=(0.05,), daemon=True).start()

    def choice(self, nonce: str) -> str:
        """Return a launch to choose something."""
        settings = {"deep_link_return_url": f"{self.window}/return"}
        kind = {CLAIM + "message_type": "LtiDeepLinkingRequest"}
        return self.signed(nonce, **kind, **{DEEP_LINKING: settings})

    def close(self) -> None:
        super().close()
        self._windows.shutdown()
        self._windows.server_close()


@pytest.fixture(scope="module")
def course() -> Iterator[Course]:
    found = Course()
    yield found
    found.close()


@pytest.fixture(scope="module")
def log_in(server: LiveServer, course: Course) -> str:
    """Register the platform; return the path of the log-in."""
    done = subprocess.run(
        [
            *(sys.executable, "manage.py", "lti", "--register=Course", f"--issuer={course.address}"),
            *(
                f"--client-id={CLIENT}",
                f"--auth-url={course.window}/auth",
                f"--token-url={course.address}/token",
            ),
            *(f"--keyset-url={course.address}/keys", f"--deployment={DEPLOYMENT}"),
        ],
        cwd=live_server.ROOT,
        env={**os.environ, **live_server.environment(server.var_dir)},
        capture_output=True,
        text=True,
        check=True,
    )
    line = next(each for each in done.stdout.splitlines() if course.address in each)
    return line.rpartition(" ")[2]


@pytest.mark.parametrize("answers", [True, False], ids=["the-window-answers", "it-does-not"])
def test_a_frame_without_cookies_is_launched_by_what_the_platforms_window_kept(
    server: LiveServer, browser: Browser, course: Course, log_in: str, answers: bool
) -> None:
    course.start = f"{server.url}{log_in}?iss={course.address}&login_hint=u1&lti_storage_target=_parent"
    context = browser.new_context()
    context.route("**/lti/**", lambda route: route.continue_(headers=without_cookies(route.request.headers)))
    page = context.new_page()
    if not answers:
        page.add_init_script("addEventListener('message', (event) => event.stopImmediatePropagation(), true)")
    page.goto(course.window)
    frame = page.frame("tool")
    assert frame is not None
    if answers:
        frame.wait_for_selector("form[action='/lti/choose']")
        assert json.dumps("first-in") in frame.content().replace("value=", "")
    else:
        frame.wait_for_selector("text=open a new window")
    context.close()


def without_cookies(headers: dict[str, str]) -> dict[str, str]:
    """Return headers as a browser sends them that keeps no cookies of other sites."""
    return {name: value for name, value in headers.items() if name.lower() != "cookie"}
