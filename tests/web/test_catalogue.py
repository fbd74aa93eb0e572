"""What is generated from the engine's classes is up to date, and the classes say enough."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest
from django.core.management import CommandError, call_command

from engine.transitions import Transition, all_kinds, fields_of
from engine.transitions.base import UNITS, Group
from playground.catalogue import fields, files
from playground.templatetags.catalogue import log_groups

KINDS = {kind.__name__: kind for kind in all_kinds()}


def test_generated_files_are_up_to_date(repo_root: Path) -> None:
    assert files.stale(repo_root) == [], "run manage.py catalogue"
    call_command("catalogue", "--check")


def test_the_check_fails_on_a_file_that_was_changed_by_hand(tmp_path: Path, settings: object) -> None:
    written = files.write(tmp_path)
    assert written == list(files.FILES)
    assert files.write(tmp_path) == []
    path = tmp_path / written[0]
    path.write_text(path.read_text("utf-8").replace("Published", "Publshed"), "utf-8")
    settings.BASE_DIR = tmp_path  # type: ignore[attr-defined]
    with pytest.raises(CommandError, match=written[0]):
        call_command("catalogue", "--check")


@pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))
def test_each_kind_says_what_is_known_of_it(kind: type[Transition]) -> None:
    assert "about" in vars(kind), "each class says it itself"
    assert kind.about.group in get_args(Group)
    assert 0 <= kind.about.weight <= 10
    assert "kind" not in fields_of(kind), "the name of the class has this name in JavaScript"
    numbers = {each.name for each in fields.fields_of(kind) if each.type in {"number", "number | null"}}
    assert numbers <= {*UNITS, *kind.about.units}, "each number has a unit"


def test_the_log_can_be_filtered_by_each_group() -> None:
    assert [group for group, _label in log_groups()] == list(get_args(Group))
