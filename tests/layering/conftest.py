"""What the tests of layers share."""

from collections.abc import Iterator

import pytest

from tests.layering.sources import parsed


@pytest.fixture(scope="package", autouse=True)
def _parsed_sources() -> Iterator[None]:
    """Forget all syntax trees when these tests are done: each collection of garbage would go through them."""
    yield
    parsed.cache_clear()
