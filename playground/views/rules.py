"""The rules of the specification: all of them, one of them, and whole documents."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from engine.releases import RELEASES
from playground import rules, verdicts
from playground.exercises import catalog
from playground.rules import LONGEST_QUERY, html, search
from playground.storybook.cards import SUBJECTS
from playground.verdicts import related


def titles() -> dict[str, Any]:
    """Return what each document is about, in the reader's language."""
    return {
        "queue": _("Queues, memory, alarms and credit"),
        "storage": _("Files: index, journal and message store"),
        "mirrors": _("Mirrored queues: several nodes, failover and synchronisation"),
        "queue-v2": _("Version 2 of classic queues, which today's broker has"),
    }


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """List every rule by document and section, or those that a search finds."""
    query = request.GET.get("q", "").strip()[:LONGEST_QUERY]
    context = {
        "query": query,
        "most": LONGEST_QUERY,
        "hits": search(query) if query else None,
        "related": related(query) if query else None,
        "count": len(rules.by_id()),
        "releases": ", ".join(each.name for each in RELEASES.values()),
        "documents": [(each, titles()[name]) for name, each in rules.documents().items()],
    }
    parts = getattr(request, "htmx", False)
    return render(request, "rules/_found.html" if parts else "rules/index.html", context)


@require_safe
def rule(request: HttpRequest, rule_id: str) -> HttpResponse:
    """Show one rule, and the parts of the app that cite it."""
    found = rules.find(rule_id)
    if found is None and rule_id in rules.documents():
        return redirect("rules-document", rule_id, permanent=True)
    if found is None:
        context = {"cited": rule_id, "query": "", "most": LONGEST_QUERY}
        return render(request, "rules/none.html", context, status=404)
    if rule_id != found.id:
        return redirect("rule", found.id, permanent=True)
    language = get_language() or "en"
    order = list(rules.by_id())
    place = order.index(found.id)
    document = rules.documents()[found.document]
    subject = verdicts.of_rule(found.id)
    context = {
        "rule": found,
        "text": html(found.text, found.document, found.id),
        "section": next(each for each in document.sections if each.anchor == found.section),
        "document": document,
        "document_title": titles()[found.document],
        "subject": subject,
        "subject_title": SUBJECTS[subject.number] if subject else "",
        "exercises": [
            (each.texts(language).title, reverse("exercise", args=[each.unit, each.slug]))
            for each in catalog.exercises().values()
            if found.id in each.rules
        ],
        "before": order[place - 1] if place else None,
        "after": order[place + 1] if place + 1 < len(order) else None,
    }
    return render(request, "rules/rule.html", context)


@require_safe
def document(request: HttpRequest, name: str) -> HttpResponse:
    """Show a whole document of the specification, with a place for each section and rule."""
    found = rules.documents()[name]
    sections = [
        (each, html(each.text, name), [(rule, html(rule.text, name, rule.id)) for rule in each.rules])
        for each in found.sections
    ]
    context = {
        "document": found,
        "document_title": titles()[name],
        "opening": html(found.text, name),
        "sections": sections,
    }
    return render(request, "rules/document.html", context)
