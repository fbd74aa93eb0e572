"""Pages and data go compressed to whoever takes it; what is compressed already, or streamed, goes as it is."""

from __future__ import annotations

from typing import Final

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware

TEXTS: Final = frozenset(
    {"text/html", "text/plain", "text/csv", "application/json", "application/x-ndjson", "image/svg+xml"}
)


class TextCompression(GZipMiddleware):
    """Compress texts by gzip. Django adds up to 100 random bytes, so that the length gives no secret of a page away."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Return the answer, compressed if it is a text."""
        kind = response.get("Content-Type", "").partition(";")[0]
        if response.streaming or kind not in TEXTS:
            return response
        return super().process_response(request, response)
