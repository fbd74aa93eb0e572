"""Every recorded line gets the answer that rabbitmqctl gave, character for character."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from engine.broker.commands.scenario import parse
from engine.ctl.console import Answer, ask, command_of, operated
from engine.ctl.releases import FACTS, USAGES
from engine.releases import PROFILES, RELEASES
from engine.storage.ledger import LedgerStorage
from engine.values.errors import CommandError, EngineError
from tests.ctl.otherwise import NOT_PLAYED, OTHERWISE, is_known
from tests.ctl.played import answers, is_equal, made_state, names_recorded, profile_of, recorded
from tests.ctl.record import IDLE, LINES

LINES_OF = Path(__file__).parent / "lines"
NAMES_OF_RELEASES = [each.name for each in RELEASES.values()]


@cache
def asked(release: str, which: str) -> list[tuple[dict[str, Any], Answer]]:
    """Return each recorded answer of a set with the console's own."""
    return list(answers(recorded(release, which), profile_of(release)))


@pytest.mark.parametrize("release", NAMES_OF_RELEASES)
@pytest.mark.parametrize("which", LINES)
def test_every_line_is_answered_as_the_release_does(which: str, release: str) -> None:
    wrong = []
    for each, found in asked(release, which):
        line = each["line"]
        if any(release in named.releases and re.search(named.lines, line) for named in NOT_PLAYED):
            assert found.text.startswith("Waterline: "), f"{line}: {found.text}"
        elif not is_equal(each, found) and not is_known(line, release):
            wrong.append(
                f"$ {line}\nbroker {each['code']}:\n{each['text']}\nhere {found.code}:\n{found.text}"
            )
    assert not wrong, "\n----\n".join(wrong)


def test_an_exception_is_one_in_each_release_that_it_names() -> None:
    for release in NAMES_OF_RELEASES:
        differ = [
            each["line"]
            for which in LINES
            for each, found in asked(release, which)
            if not is_equal(each, found)
        ]
        for exception in OTHERWISE:
            if release in exception.releases:
                assert any(re.search(exception.lines, line) for line in differ), (release, exception)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("which", [*LINES, IDLE])
def test_no_line_breaks_any_profile(profile: str, which: str) -> None:
    """The lines of one release are asked on each of them, of a session with one node and, where it can, of three."""
    lines = (LINES_OF / f"{which}.txt").read_text().splitlines()
    mirrors = PROFILES[profile].release.mirrors
    for nodes in (1, 3) if mirrors else (1,):
        made = {"version": 1, "profile": profile, "seed": 1, "settings": {"nodes": nodes}}
        node = operated(parse(made), LedgerStorage())
        node.submit({"do": "publish", "count": 3, "size_bytes": 100})
        node.advance(100_000)
        state, live = node.snapshot(), node.live()
        for line in lines:
            found = ask(line, state, node.now_us, live)
            assert found.text or found.code == 0, line
            if found.changes:
                with suppress(EngineError):
                    node.submit({"do": "ctl", "line": line})
                state, live = node.snapshot(), node.live()


@pytest.mark.parametrize("release", NAMES_OF_RELEASES)
def test_the_names_are_those_of_the_release(release: str) -> None:
    """The commands of each program, and the columns of each listing, as its own help names them."""
    facts, theirs = FACTS[release], names_recorded(release)
    assert {name: sorted(each) for name, each in facts.commands.items()} == theirs["commands"]
    assert {name: sorted(each) for name, each in facts.columns.items()} == theirs["columns"]


def test_every_command_that_is_played_was_recorded() -> None:
    words = {
        word
        for release in NAMES_OF_RELEASES
        for which in LINES
        for each in recorded(release, which)
        for word in each["line"].split()
    }
    assert set(USAGES) - words == {"help"}


PREFIXES = (
    "rabbitmqctl ",
    "sudo rabbitmqctl ",
    "  ",
    "sudo -u rabbitmq /usr/sbin/rabbitmqctl ",
    "docker exec -it mq rabbitmqctl ",
    "kubectl -n prod exec mq-0 -- rabbitmqctl ",
    "docker-compose exec -T rabbit rabbitmqctl ",
    "ssh mq1 sudo rabbitmqctl ",
    "watch -n1 rabbitmqctl ",
    "rabbitmqctl.bat ",
)


@pytest.mark.parametrize("prefix", PREFIXES)
def test_the_program_may_be_written_before_the_command(prefix):
    state = made_state()
    assert ask(f"{prefix}list_queues", state, 0) == ask("list_queues", state, 0)
    assert isinstance(ask("help", state, 0), Answer)


def test_a_line_inside_a_shell_is_read():
    state = made_state()
    inside = "kubectl exec rabbitmq-0 -- bash -c 'rabbitmqctl list_queues name'"
    assert ask(inside, state, 0) == ask("list_queues name", state, 0)


@pytest.mark.parametrize(
    "line",
    [
        "list_queues | grep orders",
        "list_queues > out.txt",
        "list_queues 2>/dev/null",
        "stop_app && start_app",
        "rabbitmqadmin list queues",
        "rabbitmq-queues check_if_node_is_quorum_critical",
    ],
)
def test_what_a_shell_or_another_tool_does_is_said_as_a_remark_and_nothing_is_done(line):
    answer = ask(line, made_state(), 0)
    assert answer.text.startswith("Waterline: ")
    assert answer.code
    with pytest.raises(CommandError):
        command_of(line, made_state())
