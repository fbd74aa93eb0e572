"""What the builder's form was filled with, looked up by the names of its fields."""

from __future__ import annotations

from collections.abc import Mapping

from django import template

register = template.Library()


@register.filter
def get(values: Mapping[str, str], name: str) -> str:
    return values.get(name, "")


@register.filter
def get_row(values: Mapping[str, str], name: str) -> tuple[Mapping[str, str], str]:
    """Name a field that each row has once; the filter `row` then returns that of one row."""
    return values, name


@register.filter
def row(begun: tuple[Mapping[str, str], str], number: object) -> str:
    values, name = begun
    return values.get(f"{name}-{number}", "")
