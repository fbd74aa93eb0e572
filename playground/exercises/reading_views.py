"""The page of a reading, and its run with the numbers that the reader dragged."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from playground.exercises import catalog, readings
from playground.exercises.closed_page import closed_page
from playground.hosting.past import PendingAnswers
from playground.limits import work_places
from playground.texts.page_message import PageMessage
from playground.web.access import rate_limited_reading
from playground.web.errors import PageGone

runs: Final = PendingAnswers(16 * 1024 * 1024)
"""The last ones, by reading and numbers."""


def _found(
    request: HttpRequest, unit: str, slug: str
) -> tuple[readings.UnitReading, tuple[tuple[str, int], ...]]:
    """Return a reading with the numbers of an address, and these numbers."""
    usual = readings.before(slug)
    if usual is None or catalog.exercise(slug).unit != unit:
        raise PageGone(_("There is no such page"), PageMessage(_("Choose one from the list of units.")))
    asked = {name: request.GET.get(name, "") for name in usual.numbers if name in request.GET}
    try:
        numbers = {name: int(text[:9]) for name, text in asked.items()}
        return readings.reading(usual.slug, numbers), tuple(sorted(numbers.items()))
    except ValueError:
        raise PageGone(
            _("There is no run with these numbers"), PageMessage(_("Drag the numbers on the page itself."))
        ) from None


def _played(
    request: HttpRequest, found: readings.UnitReading, numbers: tuple[tuple[str, int], ...]
) -> readings.ReadingRun:
    """Return the run with these numbers, played if it is not among the last ones."""
    key = found.slug, numbers
    played = runs.find(key)
    if played is None:
        with work_places.for_request(request):
            played = runs.keep(key, readings.run(found.slug, numbers))
    return msgspec.json.decode(played, type=readings.ReadingRun)


def _systems() -> dict[str, str]:
    return {
        "v2": _("Classic queues v2"),
        "quorum": _("Quorum queues"),
        "log": _("Logs such as Kafka's"),
    }


@require_safe
@rate_limited_reading
def page(request: HttpRequest, unit: str, slug: str) -> HttpResponse:
    """Show what one reads before an exercise."""
    found, numbers = _found(request, unit, slug)
    if (closed := closed_page(request, *map(catalog.exercise, found.exercises))) is not None:
        return closed
    texts, names = found.texts(get_language() or "en"), _systems()
    run = _played(request, found, numbers)
    context = {
        "unit": unit,
        "texts": texts,
        "slug": slug,
        "sentences": [_sentence(each, texts, run) for each in found.sentences],
        "numbers": [_number(name, found, dict(numbers), texts) for name in found.numbers],
        "carries": [(names[name], texts.carries[name], source) for name, source in readings.SYSTEMS.items()],
        "exercises": [
            (reverse("exercise", args=[each.unit, each.slug]), each.texts(get_language() or "en").title)
            for each in map(catalog.exercise, found.exercises)
        ],
        "data": {"run": reverse("reading-run", args=[unit, slug])},
    }
    return render(request, "exercises/reading.html", context)


def _sentence(
    sentence: readings.ReadingSentence, texts: readings.ReadingTexts, run: readings.ReadingRun
) -> dict[str, Any]:
    return {
        "id": sentence.id,
        "text": texts.sentences[sentence.id],
        "rules": sentence.rules,
        "checked": bool(sentence.claims) and run.holds[sentence.id],
    }


def _number(
    name: str, found: readings.UnitReading, numbers: dict[str, int], texts: readings.ReadingTexts
) -> dict[str, Any]:
    drawn = found.numbers[name]
    return {
        "name": name,
        "label": texts.numbers[name],
        "value": numbers.get(name, drawn.usual),
        "first": drawn.first,
        "last": drawn.choices[-1],
        "step": drawn.step,
    }


@require_safe
@rate_limited_reading
def run(request: HttpRequest, unit: str, slug: str) -> HttpResponse:
    """Return the run with these numbers, and the sentences as they read with them."""
    found, numbers = _found(request, unit, slug)
    if (closed := closed_page(request, *map(catalog.exercise, found.exercises))) is not None:
        return closed
    played = _played(request, found, numbers)
    texts = found.texts(get_language() or "en")
    body = {
        "at_us": played.at_us,
        "rows": played.rows,
        "until_us": played.until_us,
        "holds": {each.id: bool(each.claims) and played.holds[each.id] for each in found.sentences},
        "sentences": texts.sentences,
    }
    return HttpResponse(msgspec.json.encode(body), content_type="application/json")
