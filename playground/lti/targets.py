"""What can be placed in a course: every unit, and every exercise by itself."""

from __future__ import annotations

from django.urls import reverse

from playground.exercises import catalog


def slugs_of(target: str) -> list[str]:
    """Return the exercises that a target consists of; none where there is no such target."""
    try:
        return [each.slug for each in catalog.of_unit(target)]
    except catalog.NoExercise:
        return [target] if catalog.find(target) else []


def address_of(target: str) -> str:
    """Return where a launch of a target leads."""
    found = catalog.find(target)
    if found is not None:
        return reverse("exercise", args=[found.unit, found.slug])
    return reverse("units") + (f"#unit-{target}" if slugs_of(target) else "")


def titled(language: str) -> list[tuple[str, str, bool]]:
    """Return every target with its title, and whether it is a unit."""
    found: list[tuple[str, str, bool]] = []
    for unit in catalog.units():
        found.append((unit.slug, unit.texts(language).title, True))
        found += [(each.slug, each.texts(language).title, False) for each in catalog.of_unit(unit.slug)]
    return found
