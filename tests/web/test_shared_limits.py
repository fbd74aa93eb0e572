"""Limits that hold for all processes together: counted in one place, and by each alone where that place is gone."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.cache import cache

from playground.limits import rate_limits
from playground.limits.rate_limits import SharedBuckets


@pytest.fixture(autouse=True)
def _empty() -> None:
    cache.clear()


def test_two_processes_count_together(settings: Any) -> None:
    settings.REDIS = "redis://somewhere"  # any of Django's caches counts; that of the tests is in memory
    one, two = SharedBuckets("join", 3), SharedBuckets("join", 3)
    assert [each.take("192.0.2.1", 0.0) for each in (one, two, one, two, one)] == [True] * 3 + [False] * 2
    assert one.take("192.0.2.2", 0.0), "another address has its own"
    two.spend("192.0.2.2", 0.0, 2)
    assert not one.take("192.0.2.2", 0.0), "something large takes more than one"
    assert SharedBuckets("login", 1).take("192.0.2.1", 0.0), "and another limit"


def test_alone_each_counts_by_itself() -> None:
    one, two = SharedBuckets("join", 1), SharedBuckets("join", 1)
    assert [one.take("a", 0.0), two.take("a", 0.0), one.take("a", 0.0)] == [True, True, False]
    assert one.take("a", 60.0), "a token comes back with time"


def test_without_the_place_where_it_is_counted_each_counts_by_itself(settings: Any, monkeypatch: Any) -> None:
    settings.REDIS = "redis://nowhere"

    class Gone:
        def add(self, *_arguments: Any) -> None:
            raise ConnectionError

    monkeypatch.setattr(rate_limits, "cache", Gone())
    one = SharedBuckets("join", 1)
    assert [one.take("a", 0.0), one.take("a", 0.0)] == [True, False]
