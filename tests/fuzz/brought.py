"""What people bring, changed at random: each piece that is added has a mark, by which it is found again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any, Final

from tests.ctl.played import recorded
from tests.ctl.record import LINES
from tools.proofs.differential.installation import LATEST

RECORDED: Final = [each for which in LINES for each in recorded(LATEST, which)]
DEFINITIONS: Final[dict[str, Any]] = {
    "rabbit_version": "3.10.8",
    "users": [{"name": "guest", "password_hash": "x"}],
    "vhosts": [{"name": "/"}, {"name": "prod"}],
    "permissions": [{"user": "guest", "vhost": "/", "configure": ".*", "write": ".*", "read": ".*"}],
    "parameters": [],
    "policies": [
        {"vhost": "/", "name": "ha", "pattern": "^a", "apply-to": "queues", "definition": {"max-length": 7}},
        {
            "vhost": "prod",
            "name": "Lazy",
            "pattern": ".*",
            "definition": {"queue-mode": "lazy"},
            "priority": 1,
        },
    ],
    "queues": [
        {
            "name": "a.b",
            "vhost": "/",
            "durable": True,
            "auto_delete": False,
            "arguments": {"x-message-ttl": 5},
        },
        {"name": "Acme:Placed", "vhost": "prod", "durable": True, "auto_delete": False, "arguments": {}},
        {"name": "celery", "vhost": "prod", "durable": True, "auto_delete": False, "arguments": {}},
    ],
    "exchanges": [
        {"name": "Acme:Placed", "vhost": "prod", "type": "fanout", "durable": True, "arguments": {}},
        {
            "name": "events",
            "vhost": "/",
            "type": "topic",
            "durable": True,
            "internal": False,
            "arguments": {},
        },
    ],
    "bindings": [
        {
            "source": "events",
            "vhost": "/",
            "destination": "a.b",
            "destination_type": "queue",
            "routing_key": "x.#",
        },
        {
            "source": "Acme:Placed",
            "vhost": "prod",
            "destination": "celery",
            "destination_type": "queue",
            "routing_key": "",
        },
    ],
}
TABLES: Final = ("policies", "queues", "exchanges", "bindings")
ODD: Final[tuple[Any, ...]] = (
    None,
    True,
    -1,
    7,
    2**70,
    1.5,
    "",
    "x",
    "a\nb",
    "\ud7ff",
    "é" * 200,
    [],
    [[]],
    {},
    {"a": {"b": 1}},
)
STATUS: Final = (
    "{mode,default}, {q1,0}, {q2,0}, {delta,{delta,16384,81500,0,98304}}, {q3,16711}, {q4,0}, {len,98211}, "
    "{target_ram_count,0}, {ram_msg_count,0}, {ram_ack_count,0}, {next_seq_id,98304}, {persistent_count,98211}"
)
CONFIGURATION: Final = (
    "# rabbitmq.conf\nlisteners.tcp.default = 5672\nvm_memory_high_watermark.relative = 0.6\n"
    "vm_memory_high_watermark_paging_ratio = 0.75\ndisk_free_limit.absolute = 2GB\n"
    "cluster_partition_handling = autoheal\nqueue_index_embed_msgs_below = 4096\n"
)
PERF_TEST: Final = (
    "bin/runjava com.rabbitmq.perf.PerfTest -x 2 -y 3 -u q -f persistent --rate 100 -z 10",
    "docker run --rm pivotalrabbitmq/perf-test:latest --uri amqp://host -s 4000 -c 50 -q 100 -A 10 -ad false",
    "perf-test -vr 100:5 -vr 10:5 -vs 10:5 --queue-args x-max-length=10 --metrics-prometheus -i 1",
)


def definitions(chance: Random) -> tuple[dict[str, Any], list[str]]:
    """Return a changed file, and marks that the answer must have."""
    found: dict[str, Any] = json.loads(json.dumps(DEFINITIONS))
    marks = []
    for number in range(chance.randint(1, 4)):
        mark = f"mark-{number}-{chance.randint(0, 999)}"
        table = chance.choice(TABLES)
        objects = found[table]
        what = chance.randint(0, 7)
        if what == 0:  # a section that nobody knows
            found[mark] = chance.choice([[{"a": 1}], {"a": 1}, "text", 7])
        elif what == 1:  # a field that nobody knows
            chance.choice(objects)[mark] = chance.choice(ODD)
        elif what == 2:  # another object, by its name
            given = {
                **chance.choice(objects),
                **_named(table, mark),
                "vhost": chance.choice(["/", "prod", "new"]),
            }
            objects.append(given)
        elif what == 3:  # an argument
            given = chance.choice([each for each in found["queues"] if isinstance(each["arguments"], dict)])
            given["arguments"][mark] = chance.choice(ODD)
        elif what == 4:  # what a plugin keeps
            found["parameters"].append({"component": mark, "name": "x", "vhost": "/", "value": {}})
        elif what == 5:  # what an operator sets
            found.setdefault("operator_policies", []).append(
                {"name": mark, "pattern": ".*", "definition": {}}
            )
        elif what == 6:  # a key beside one of a plugin, in a policy that is not refused as a whole
            definition = {"federation-upstream-set": "all", mark: chance.choice(ODD)}
            found["policies"].append(
                {**chance.choice(DEFINITIONS["policies"]), "name": "p", "definition": definition}
            )
        else:  # a value of the wrong kind
            given = {**chance.choice(objects), **_named(table, mark)}
            given[
                chance.choice(
                    [each for each in given if each not in ("name", "source", "destination", "vhost")]
                )
            ] = chance.choice(ODD)
            objects.append(given)
        marks.append(mark)
    return found, marks


def _named(table: str, mark: str) -> dict[str, str]:
    return {"destination": mark} if table == "bindings" else {"name": mark}


def listing(chance: Random) -> tuple[str, list[str]]:
    """Return a changed listing, and marks that the answer must have."""
    lines, marks = ["Listing queues ..."], []
    for number in range(chance.randint(1, 5)):
        mark = f"mark{number}x{chance.randint(0, 999)}"
        status = STATUS.split("}, {")
        what = chance.randint(0, 4)
        if what == 0:  # a part that nobody knows
            status.insert(
                chance.randint(1, len(status) - 1), f"{mark},{chance.choice(['7', '[a,b]', 'infinity'])}"
            )
            lines.append(f"orders\t[{'}, {'.join(status)}]")
        elif what == 1:  # a form of delta that nobody knows
            status[3] = f"delta,{{delta,{mark}"
            lines.append(f"{mark}\t[{'}, {'.join(status)}]")
        elif what == 2:  # no status
            lines.append(f"{mark}\t17\trunning")
        elif what == 3:  # cut off
            whole = f"{mark}\t[{STATUS}]"
            lines.append(whole[: chance.randint(len(mark) + 1, len(whole))])
        else:
            lines.append(f"{mark}\t[{STATUS}]")
        marks.append(mark)
    lines.insert(1, f"first\t[{STATUS}]")
    return "\n".join(lines) + "\n", marks


def configuration(chance: Random) -> tuple[str, list[str]]:
    """Return a changed configuration, and marks that the answer must have."""
    lines, marks = CONFIGURATION.splitlines(), []
    for number in range(chance.randint(1, 5)):
        mark = f"mark{number}.x{chance.randint(0, 999)}"
        line = chance.choice(
            [f"{mark} = 1", f"{mark}=", mark, f"{mark} : yes", f"{mark} = {{a, b}}", f"  {mark}.$name = 'x'"]
        )
        lines.insert(chance.randint(0, len(lines)), line)
        marks.append(mark)
    if chance.randint(0, 1):  # the other file behind it, with keys that nobody knows
        keys = [f"mark{at}y{chance.randint(0, 999)}" for at in range(3)]
        inner = chance.choice(["7", "{a, b}", "[{c, 1}]", '"text"', '<<"b">>'])
        lines.append(f"[{{rabbit, [{{{keys[0]}, {inner}}}, {{{keys[1]}, []}}]}}, {{{keys[2]}, [{{x, 1}}]}}].")
        marks += keys
    again = chance.choice(["disk_free_limit.absolute = 3GB", "vm_memory_high_watermark.absolute = 5GB"])
    if chance.randint(0, 1):  # a key twice, or in two forms: which one counts is told
        lines.insert(0, again)
        marks.append("given_again")
    return "\n".join(lines), marks


def perf_test(chance: Random) -> tuple[str, list[str]]:
    """Return a changed command, and marks that the answer must have."""
    line, marks = chance.choice(PERF_TEST), []
    for number in range(chance.randint(1, 3)):
        mark = f"mark{number}x{chance.randint(0, 999)}"
        line += chance.choice(
            [
                f" --{mark} 7",
                f" -m {mark}",
                f" {mark}",
                f" --queue-args {mark}=1",
                f" --consumer-args {mark}=1",
                f" -f {mark}",
                f" -t {mark}",
                f" --rate {mark}",
                f"; {mark} 5",
            ]
        )
        if chance.randint(0, 3) == 0:
            line = chance.choice(
                [f"{mark}=1 {line}", f"timeout {mark} {line}", f"for i in {mark}; do {line}"]
            )
        marks.append(mark)
    return line, marks


def console_lines(chance: Random) -> Iterator[tuple[str, str | None]]:
    """Yield a changed line of the console, and a mark that the answer must have where one is due."""
    line = chance.choice(RECORDED)["line"]
    mark = f"mark{chance.randint(0, 9999)}"
    yield f"{line} --{mark}", None if "help" in line else mark
    at = chance.randint(0, len(line))
    yield (
        line[:at]
        + chance.choice(["'", '"', "\\", "\0", "é", " -p ", " --", "\t", "{", "\U0001f407"])
        + line[at:],
        None,
    )
    yield line[: chance.randint(0, len(line))], None
    yield f"{mark} {line}", mark
