"""Single questions that real nodes of each release answered, asked of the engine (P17, P18): `make questions`."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engine.amqp import tables
from engine.amqp.declarations import declare_exchange, declare_queue
from engine.amqp.errors import AmqpError
from engine.amqp.exchanges import Exchange
from engine.amqp.policies import Policy, PolicyRefused, checked, policy_of
from engine.releases import RELEASES, BrokerRelease
from engine.values.errors import CommandError
from tests.conftest import RECORDINGS
from tools.proofs.questions.tables import written

ROWS = list(RELEASES.values())
ANSWERS = {
    row.name: json.loads((RECORDINGS / "questions" / f"validation-{row.name}.json").read_text())
    for row in ROWS
}


@pytest.fixture(params=ROWS, ids=lambda row: row.name)
def release(request: pytest.FixtureRequest) -> BrokerRelease:
    row: BrokerRelease = request.param
    return row


def refused(release: BrokerRelease, **more: Any) -> str:
    """Return the words with which the engine refuses a policy, as the questions have them."""
    wish = {"name": "p", "pattern": "^q", "definition": {"max-length": 5}, "apply_to": "queues", **more}
    try:
        checked(Policy(**wish), release.amqp.validation)
    except PolicyRefused as error:
        return "crash" if error.code == "policy_crashes" else str(error)
    return ""


def test_the_tables_are_those_of_the_answers() -> None:
    assert written(ANSWERS) == (RECORDINGS.parents[1] / "engine" / "amqp" / "tables.py").read_text()
    assert list(tables.ARGUMENTS) == [row.name for row in ROWS]


def test_every_argument_with_every_kind_of_value(release: BrokerRelease) -> None:
    for asked, closed in ANSWERS[release.name]["arguments"]:
        try:
            declare_queue(None, name="q", connection="c", arguments=asked, validation=release.amqp.validation)
            found = []
        except AmqpError as error:
            found = [error.code, error.text]
        except CommandError:  # other types of queues are not modelled
            found = []
        assert found == closed, asked


def test_every_argument_of_a_queue_that_is_declared_again(release: BrokerRelease) -> None:
    """P18: 4.3 compares x-queue-mode, although it checks no value of it."""
    plain = declare_queue(None, name="q", connection="c")
    for asked, closed in ANSWERS[release.name]["again"]:
        try:
            declare_queue(
                plain, name="q", connection="c", arguments=asked, validation=release.amqp.validation
            )
            found = []
        except AmqpError as error:
            found = [error.code, error.text]
        assert found == closed, asked


def test_every_key_of_a_policy_with_every_kind_of_value(release: BrokerRelease) -> None:
    for theme in ("policies", "definitions"):
        for definition, words in ANSWERS[release.name][theme]:
            assert refused(release, definition=definition) == words, definition


def test_what_a_policy_applies_to(release: BrokerRelease) -> None:
    for applies, words in ANSWERS[release.name]["apply_to"]:
        assert refused(release, apply_to=applies) == words
    for priority, words in ANSWERS[release.name]["priorities"]:
        assert refused(release, priority=priority) == words
    for pattern, words in ANSWERS[release.name]["patterns"]:
        assert refused(release, pattern=pattern) == words


def test_with_which_keys_a_policy_does_not_apply_at_all(release: BrokerRelease) -> None:
    """P17: three messages stay under a limit of one."""
    answers = ANSWERS[release.name]
    asked = [(definition, "queues", kept) for definition, kept in answers["kept"]]
    asked += [({"max-length": 1}, applies, kept) for applies, kept in answers["kept_by_apply_to"]]
    for definition, applies, kept in asked:
        if kept is not None:
            policy = Policy(name="p", pattern="^q", definition=definition, apply_to=applies)
            found = policy_of([policy], "queues", "q", release.amqp.validation.not_for_classic)
            assert (found is None) == (kept == 3), (definition, applies)


def test_every_type_of_an_exchange(release: BrokerRelease) -> None:
    for kind, closed in ANSWERS[release.name]["exchange_types"]:
        rules = release.amqp
        try:
            declare_exchange(
                None, Exchange(name="x", type=kind), False, rules.unknown_type, validation=rules.validation
            )
            found = []
        except AmqpError as error:
            found = [error.code, error.text]
        assert found == closed, kind
