"""Every recorded line gets the answer that rabbitmqctl gave, character for character."""

from __future__ import annotations

import re

import pytest

from engine.ctl.console import Answer, ask, command_of
from engine.ctl.usage import USAGES
from engine.values.errors import CommandError
from tests.ctl.played import answers, is_equal, made_state, recorded
from tests.ctl.record import SETS

NOT_PLAYED = re.compile(
    r"(?<!help )trace_on|eval 'rabbit_amqq|eval '1|add_user app|set_log_level (debug|info)"
    r"|rabbitmqctl set_cluster_name"
    r"|set_vhost_limits -p / '.\"[a-z-]+\": [0-9]|set_operator_policy limit '\^zz' '.\"max-len"
    r"|set_global_parameter cluster_name|set_vhost_tags"
    r"|(cookie_hash|log_location|maybe_stuck|attempt_stats|cipher_suites|suspend_listeners|resume_listeners)$"
    r"|resolve_hostname|_definitions|shutdown|rabbitmqctl (wait|decode|encode|list_ciphers|autocomplete|schema_info)"
    r"|rename_cluster_node|await_online_nodes 2|eval '(foo|application:get_env.rabbit, (nonsense|disk))|certificate"
    r"|source_tracking|consume_event_stream|command_line_arguments|alarms --formatter|--details|all_connections .bye"
)
"""Lines that the broker does and Waterline does not: said as its own remark."""
OTHERWISE = {
    r"consumer_utilisation|recv_cnt": "numbers of a real connection",
    r" memory |rabbit_vm:memory": "another machine, whose allocators' figure the model has not",
    r"environment|^report|status --formatter": "a part of it, and a remark; see test_reports",
    r" app\b|list_users$|list_permissions -p /$": "another user, whom the line before made on the node",
    r"(list|clear)_vhost_limits|operator_polic(ies|y limit)$|clear_global_parameter|list_global_parameters$"
    r"|list_vhosts name (tracing|description)|rabbit_mnesia:status": "what the line before set on the node",
    r"add_vhost .* --": "a remark says what is not kept",
    r"default_queue_type|list_consumers --silent$": "an empty name, or closed clients, of the lines before",
    r"list_user_limits --global": "an empty line",
}
"""Lines that are answered otherwise, with the reason."""


def is_known(line: str) -> bool:
    """Return whether it is said why a line is answered otherwise."""
    return bool(NOT_PLAYED.search(line)) or any(re.search(pattern, line) for pattern in OTHERWISE)


@pytest.mark.parametrize("which", list(SETS))
def test_every_line_is_answered_as_the_broker_does(which: str) -> None:
    wrong = []
    for each, found in answers(recorded(which)):
        line = each["line"]
        if NOT_PLAYED.search(line):
            assert found.text.startswith("Waterline: "), f"{line}: {found.text}"
        elif not is_equal(each, found) and not is_known(line):
            wrong.append(
                f"$ {line}\nbroker {each['code']}:\n{each['text']}\nhere {found.code}:\n{found.text}"
            )
    assert not wrong, "\n----\n".join(wrong)


LIKE_OTHERS = {"force_reset"}
"""Answered as the command beside each of them that was recorded."""


def test_all_commands_were_recorded_but_those_that_differ_by_design():
    words = {word for which in SETS for each in recorded(which) for word in each["line"].split()}
    assert set(USAGES) - words == LIKE_OTHERS


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
