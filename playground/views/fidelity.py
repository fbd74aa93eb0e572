"""How we know that the picture is what RabbitMQ does."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from playground import fidelity as measured


@require_safe
def fidelity(request: HttpRequest) -> HttpResponse:
    """Show what was measured, when, and what is modelled rather than executed."""
    return render(request, "playground/fidelity.html", {"results": measured.results()})
