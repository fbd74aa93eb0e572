"""Buckets in the memory of this process: as much of S3's protocol as Arrow asks for, on a loopback port."""

from __future__ import annotations

import hashlib
import io
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, BinaryIO
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

CHANGED = "2026-01-31T00:00:00.000Z"


class ObjectStore(ThreadingHTTPServer):
    """A server of objects; `objects` has each one's bytes by bucket and key."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), ObjectRequest)
        self.objects: dict[str, bytes] = {}
        self.parts: dict[str, dict[int, bytes]] = {}


@contextmanager
def serving() -> Iterator[ObjectStore]:
    """Serve a store until the block is left."""
    store = ObjectStore()
    threading.Thread(target=store.serve_forever, daemon=True).start()
    try:
        yield store
    finally:
        store.shutdown()
        store.server_close()


def joined(chunks: BinaryIO | io.BufferedIOBase) -> bytes:
    """Return what chunks hold, up to the empty one."""
    found = b""
    while size := int(chunks.readline().partition(b";")[0], 16):
        found += chunks.read(size)
        chunks.readline()
    return found


class ObjectRequest(BaseHTTPRequestHandler):
    """One request of a client."""

    protocol_version = "HTTP/1.1"
    server: ObjectStore

    def log_message(self, *_values: Any) -> None:
        """Say nothing."""

    def _asked(self) -> tuple[str, dict[str, list[str]]]:
        address = urlsplit(self.path)
        return unquote(address.path).removeprefix("/"), parse_qs(address.query, keep_blank_values=True)

    def _body(self) -> bytes:
        """Return the body, which may come in chunks, of HTTP's and again of AWS's own."""
        if self.headers.get("Transfer-Encoding") == "chunked":
            whole = joined(self.rfile)
            self.rfile.readline()
        else:
            whole = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        return joined(io.BytesIO(whole)) if self.headers.get("Content-Encoding") == "aws-chunked" else whole

    def _answer(self, status: int = 200, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        if "Content_Length" not in headers:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_HEAD(self) -> None:
        """Say whether a bucket or an object is there."""
        name, _query = self._asked()
        content = self.server.objects.get(name)
        if content is None:
            self._answer(404 if name.partition("/")[2] else 200)
        else:
            self._answer(
                Content_Length=str(len(content)), ETag='"e"', Last_Modified="Sat, 31 Jan 2026 00:00:00 GMT"
            )

    def do_GET(self) -> None:
        """Give an object, a range of it, or the list of a bucket."""
        name, query = self._asked()
        if "list-type" in query:
            self._answer(body=self._listing(name, query).encode(), Content_Type="application/xml")
            return
        content = self.server.objects.get(name)
        if content is None:
            self._answer(404, b"<Error><Code>NoSuchKey</Code></Error>")
            return
        first, _dash, last = (self.headers.get("Range") or "bytes=0-").removeprefix("bytes=").partition("-")
        self._answer(206, content[int(first) : int(last) + 1 if last else None], ETag='"e"')

    def do_PUT(self) -> None:
        """Keep an object, a part of one, or a copy."""
        name, query = self._asked()
        body = self._body()
        if "partNumber" in query:
            self.server.parts[query["uploadId"][0]][int(query["partNumber"][0])] = body
            self._answer(ETag=f'"{hashlib.md5(body).hexdigest()}"')
        elif source := self.headers.get("x-amz-copy-source"):
            self.server.objects[name] = self.server.objects[unquote(source).strip("/")]
            self._answer(body=b"<CopyObjectResult><ETag>e</ETag></CopyObjectResult>")
        else:
            self.server.objects[name] = body
            self._answer(ETag='"e"')

    def do_POST(self) -> None:
        """Begin or end an upload in parts, or delete several objects."""
        name, query = self._asked()
        body = self._body()
        if "uploads" in query:
            upload = str(len(self.server.parts) + 1)
            self.server.parts[upload] = {}
            answer = f"<InitiateMultipartUploadResult><UploadId>{upload}</UploadId></InitiateMultipartUploadResult>"
        elif "uploadId" in query:
            parts = self.server.parts[query["uploadId"][0]]
            self.server.objects[name] = b"".join(parts[number] for number in sorted(parts))
            answer = "<CompleteMultipartUploadResult><ETag>e</ETag></CompleteMultipartUploadResult>"
        else:
            for key in body.decode().split("<Key>")[1:]:
                self.server.objects.pop(f"{name}/{key.partition('</Key>')[0]}", None)
            answer = "<DeleteResult></DeleteResult>"
        self._answer(body=answer.encode(), Content_Type="application/xml")

    def do_DELETE(self) -> None:
        """Forget an object."""
        self.server.objects.pop(self._asked()[0], None)
        self._answer(204)

    def _listing(self, bucket: str, query: dict[str, list[str]]) -> str:
        prefix, delimiter = query.get("prefix", [""])[0], query.get("delimiter", [""])[0]
        keys = sorted(
            key.partition("/")[2]
            for key in self.server.objects
            if key.startswith(f"{bucket.strip('/')}/{prefix}")
        )
        folders, found = set[str](), []
        for key in keys:
            head, mark, _rest = key[len(prefix) :].partition(delimiter) if delimiter else (key, "", "")
            if mark:
                folders.add(f"{prefix}{head}{mark}")
            else:
                size = len(self.server.objects[f"{bucket.strip('/')}/{key}"])
                found.append(
                    f"<Contents><Key>{escape(key)}</Key><Size>{size}</Size><LastModified>{CHANGED}</LastModified>"
                    f"<ETag>e</ETag></Contents>"
                )
        shared = "".join(
            f"<CommonPrefixes><Prefix>{escape(each)}</Prefix></CommonPrefixes>" for each in sorted(folders)
        )
        count = len(found) + len(folders)
        return (
            f'<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><KeyCount>{count}</KeyCount>'
            f"<IsTruncated>false</IsTruncated>{''.join(found)}{shared}</ListBucketResult>"
        )
