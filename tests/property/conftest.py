"""What the tests of the twins share."""

import subprocess
from pathlib import Path

import pytest

from tests.helpers.twin import Twin


@pytest.fixture(scope="session")
def twin(repo_root: Path) -> Twin:
    """Return the page's modules to be asked; Node.js is installed where there is none."""
    found = subprocess.run(
        [repo_root / "tools" / "ensure_node.sh"], capture_output=True, text=True, check=True
    )
    return Twin(found.stdout.strip(), repo_root)
