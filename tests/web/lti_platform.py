"""A learning platform for the tests: it signs launches, gives tokens for its services, and keeps a gradebook."""

from __future__ import annotations

import json
import threading
import time
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
from jwcrypto.jwk import JWK

CLAIM = "https://purl.imsglobal.org/spec/lti/claim/"
CUSTOM = CLAIM + "custom"
AGS = "https://purl.imsglobal.org/spec/lti-ags/claim/endpoint"
DEEP_LINKING = "https://purl.imsglobal.org/spec/lti-dl/claim/deep_linking_settings"
CLIENT, DEPLOYMENT = "client-7", "1"


@cache
def key(whose: str = "platform-1") -> JWK:
    """Return the key of the platforms, or of the tool: to make one takes as long as several tests."""
    return JWK.generate(kty="RSA", size=2048, kid=whose)


class Platform:
    """Answers at `address` while the test runs; `scores` and `statements` are what it was sent."""

    def __init__(self) -> None:
        self.key = key()
        self.scores: list[dict[str, Any]] = []
        self.statements: list[dict[str, Any]] = []
        self.gradebook: dict[tuple[str, str], float] = {}
        """Grades from 0 to 1 by line and person; a teacher may change them."""
        self.assertions: list[str] = []
        self.broken = False
        self.absurd: Any = None
        """What is answered in place of the keys."""
        platform = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                line, _results, asked = self.path.partition("/results?")
                if asked:
                    who = parse_qs(asked)["user_id"][0]
                    share = platform.gradebook.get((line, who))
                    row = {"userId": who, "resultScore": share and 10 * share, "resultMaximum": 10}
                    self._answer([row] if share is not None else [])
                    return
                self._answer({"keys": platform.keys()} if platform.absurd is None else platform.absurd)

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"])).decode()
                if platform.broken:
                    self.send_error(500)
                elif self.path == "/token":
                    form = {name: values[0] for name, values in parse_qs(body).items()}
                    platform.assertions.append(form["client_assertion"])
                    self._answer(platform.token(form))
                elif not platform.lets_in(self.headers.get("authorization", "")):
                    self.send_error(401)
                else:
                    kept = platform.statements if self.path.endswith("/statements") else platform.scores
                    kept.append(found := {"path": self.path, **json.loads(body)})
                    if "scoreGiven" in found:
                        line = self.path.removesuffix("/scores")
                        platform.gradebook[line, found["userId"]] = found["scoreGiven"]
                    self._answer({})

            def _answer(self, found: Any) -> None:
                text = json.dumps(found).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *what: Any) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def keys(self) -> list[dict[str, Any]]:
        """Return the public keys."""
        return [json.loads(self.key.export_public())]

    def token(self, form: dict[str, str]) -> Any:
        """Return a token for the services, as it was asked for."""
        return {"access_token": "t", "token_type": "Bearer", "expires_in": 3600}

    def lets_in(self, authorization: str) -> bool:
        """Return whether somebody may use a service with this header."""
        return True

    def close(self) -> None:
        """Answer no more."""
        self._server.shutdown()
        self._server.server_close()

    def signed(self, nonce: str, subject: str = "u1", key: JWK | None = None, **claims: Any) -> str:
        """Return a launch as this platform signs it."""
        now = int(time.time())
        whole = {
            "iss": self.address,
            "aud": CLIENT,
            "sub": subject,
            "name": "Anna Example",
            "email": "anna@school.example",
            "iat": now,
            "exp": now + 300,
            "nonce": nonce,
            CLAIM + "version": "1.3.0",
            CLAIM + "deployment_id": DEPLOYMENT,
            CLAIM + "message_type": "LtiResourceLinkRequest",
            CLAIM + "target_link_uri": "http://testserver/lti/launch",
            CLAIM + "resource_link": {"id": "link-1"},
            CLAIM + "roles": ["http://purl.imsglobal.org/vocab/lis/v2/membership#Learner"],
            **claims,
        }
        pem = (key or self.key).export_to_pem(private_key=True, password=None)
        return jwt.encode(whole, pem, algorithm="RS256", headers={"kid": "platform-1"})

    def asked(self, location: str) -> dict[str, str]:
        """Return what a log-in asked this platform for."""
        assert location.startswith(f"{self.address}/auth?"), location
        return {name: values[0] for name, values in parse_qs(urlsplit(location).query).items()}
