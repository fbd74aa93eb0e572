"""Commands of the sweeps, and numbers of their code, as the documents write them."""

import re

import pytest

from spark_jobs.publish import MOST_PAGE_CELLS
from spark_jobs.session import EXECUTOR_MEMORY
from tests.layering import programs
from tests.layering.sources import ROOT


@pytest.mark.parametrize("path", ["README.md", "docs/whatif.md"])
def test_options_of_the_sweeps_are_accepted(path: str) -> None:
    text = (ROOT / path).read_text(encoding="utf-8")
    assert "python -m spark_jobs" in text
    assert programs.not_accepted(text, ROOT) == []


def test_an_option_of_another_command_is_found() -> None:
    text = "`python -m spark_jobs sweep --grid g.json --constraint a`"
    assert programs.not_accepted(text, ROOT) == ["spark_jobs sweep --constraint"]


def test_numbers_are_those_of_the_code() -> None:
    text = re.sub(r"\s+", " ", (ROOT / "docs/whatif.md").read_text(encoding="utf-8"))
    assert f"gets {EXECUTOR_MEMORY.removesuffix('m')} MB for the JVM" in text
    assert f"shows at most {MOST_PAGE_CELLS:,} cells".replace(",", " ") in text
