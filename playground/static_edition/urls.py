"""Addresses of the edition: the server's own, and the page about what only a server has."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import path

from playground.urls import urlpatterns as server


def needs_a_server(request: HttpRequest) -> HttpResponse:
    """Answer nothing: the edition writes this page by itself."""
    raise Http404


urlpatterns = [*server, path("needs-a-server/", needs_a_server, name="needs-a-server")]
