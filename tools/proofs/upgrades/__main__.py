"""`python -m tools.proofs.upgrades RELEASE`: ask a node of that release what it takes of an older broker.

It writes `tests/recordings/upgrades/RELEASE.json`: each line of a configuration, each part of definitions, each
directory of another release, and each queue whose files another release left, with what the node did.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from typing import Any, Final

from tests.conftest import RECORDINGS
from tools.proofs.differential.installation import NodeFailed
from tools.proofs.differential.node import START_LIMIT_S, PrivateNode
from tools.proofs.upgrades.queues import EITHER, taken_over

OUT: Final = RECORDINGS / "upgrades"
CONFIGURATION: Final = (
    "classic_queue.default_version = 1",
    "classic_queue.default_version = 2",
    "vm_memory_high_watermark_paging_ratio = 0.5",
    "queue_index_embed_msgs_below = 4096",
    "mirroring_sync_batch_size = 4096",
    "queue_master_locator = min-masters",
    "memory_monitor_interval = 2500",
    "cluster_partition_handling = autoheal",
    "channel_max = 2047",
    "max_message_size = 134217728",
    "deprecated_features.permit.transient_nonexcl_queues = true",
)
_QUEUES: Final[dict[str, dict[str, Any]]] = {
    "x-queue-mode": {"arguments": {"x-queue-mode": "lazy"}},
    "x-queue-version 1": {"arguments": {"x-queue-version": 1}},
    "x-queue-version 2": {"arguments": {"x-queue-version": 2}},
    "x-queue-master-locator": {"arguments": {"x-queue-master-locator": "min-masters"}},
    "x-max-priority": {"arguments": {"x-max-priority": 5}},
    "transient": {"durable": False},
}
_POLICIES: Final[dict[str, dict[str, Any]]] = {
    "ha-mode": {"ha-mode": "all"},
    "ha-sync-mode": {"ha-mode": "all", "ha-sync-mode": "automatic"},
    "queue-mode": {"queue-mode": "lazy"},
    "queue-version": {"queue-version": 1},
    "queue-master-locator": {"queue-master-locator": "min-masters"},
    "max-length": {"max-length": 5},
}
OTHERS: Final = {"4.0.5": ("3.10.8", "4.3.6"), "4.3.6": ("4.0.5", "3.10.8")}
"""Directories of which other releases a node is started on."""
ENDS: Final = ("stop", "kill")
VERSIONS: Final = (1, 2)
TELLING: Final = (
    "no setting",
    "feature flag",
    "no longer supported",
    "conflicting",
    "invalid",
    "refus",
    "during startup",
)
STAMP: Final = re.compile(r"^\S+ \S+ \[\w+\] <[\d.]+>\s*")
"""What stands before each line of a log."""
MOST_SAID: Final = 300
"""Letters of what a node said that are kept."""
MOST_LINES: Final = 3
"""Lines of a node that said nothing of a failure."""
UNTOUCHED: Final = "no file of a queue or store changed"


def main() -> None:
    """Ask what is not on record yet; each answer is written as soon as it is there."""
    [release] = sys.argv[1:]
    path = OUT / f"{release}.json"
    empty: dict[str, Any] = {"release": release, "configuration": {}, "definitions": {}, "directories": {}}
    found = json.loads(path.read_text()) if path.exists() else empty

    def keep(part: str, name: str, answer: Any) -> None:
        found[part][name] = answer
        path.write_text(json.dumps(found, indent=1) + "\n")

    for line in CONFIGURATION if release != EITHER else ():
        if line not in found["configuration"]:
            keep("configuration", line, _configured(release, line))
    if not found["definitions"] and release != EITHER:
        for name, answer in _imported(release).items():
            keep("definitions", name, answer)
    for other in OTHERS.get(release, ()):
        if other not in found["directories"]:
            keep("directories", other, _started_on(release, other))
    for version in VERSIONS:
        for how in ENDS:
            name = f"{EITHER} v{version} {how}"
            if name not in found.setdefault("queues", {}):
                keep("queues", name, taken_over(release, EITHER, version, how))


def _configured(release: str, line: str) -> str:
    """Return "starts", or why a node with that line in rabbitmq.conf does not."""
    with PrivateNode(release=release) as node:
        with (node.root / "rabbitmq.conf").open("a") as out:
            out.write(line + "\n")
        return _start(node)


def _start(node: PrivateNode) -> str:
    """Return "starts", or what the node said that shows why it does not; at least the last that it said."""
    try:
        node.start()
    except NodeFailed as failed:
        lines = [STAMP.sub("", each).strip() for each in str(failed).splitlines()]
        told = [each for each in lines if any(word in each.lower() for word in TELLING)]
        if told:
            return " | ".join(dict.fromkeys(told))[:MOST_SAID]
        last = " | ".join(line for line in lines[-MOST_LINES:] if line)[-MOST_SAID:]
        return f"waits for {START_LIMIT_S} s and more: {last}" if node.is_alive else last
    return "starts"


def _imported(release: str) -> dict[str, str]:
    """Return what became of each part of definitions: "taken", or what rabbitmqctl said."""
    found: dict[str, str] = {}
    with PrivateNode(release=release) as node:
        node.start()
        for at, (name, more) in enumerate(_QUEUES.items()):
            queue = {
                "name": f"q{at}",
                "vhost": "/",
                "durable": True,
                "auto_delete": False,
                "arguments": {},
                **more,
            }
            found[f"queue: {name}"] = _import(node, {"queues": [queue]})
        for at, (name, definition) in enumerate(_POLICIES.items()):
            policy = {"vhost": "/", "name": f"p{at}", "pattern": ".*", "apply-to": "queues", "priority": 0}
            found[f"policy: {name}"] = _import(node, {"policies": [{**policy, "definition": definition}]})
        found["listed policies"] = _ctl(node, "-q", "list_policies", "--silent")
        found["listed queues"] = _ctl(node, "-q", "list_queues", "--silent", "name", "arguments")
    return found


def _import(node: PrivateNode, definitions: dict[str, Any]) -> str:
    path = node.root / "definitions.json"
    path.write_text(json.dumps({"vhosts": [{"name": "/"}], **definitions}))
    said = _ctl(node, "-q", "import_definitions", str(path))
    return said or "taken"


def _ctl(node: PrivateNode, *arguments: str) -> str:
    run = subprocess.run(
        [*node.program("rabbitmqctl"), "-n", "waterline@localhost", *arguments],
        env=node.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    text = run.stdout + (run.stderr if run.returncode else "")
    return "\n".join(line for line in text.splitlines() if line.strip() and not line.startswith("Importing"))[
        :600
    ]


def _started_on(release: str, other: str) -> str:
    """Return what a node does on a copy of the directory that another release left after an orderly stop."""
    with PrivateNode(release=other) as older, PrivateNode(release=release) as node:
        older.start()
        older.stop()
        shutil.rmtree(node.data)
        shutil.copytree(older.data, node.data)
        flags = older.root / "feature_flags"
        if flags.exists():
            shutil.copy(flags, node.root / "feature_flags")
        with (node.root / "rabbitmq.conf").open("a") as out:
            out.write("log.file.level = notice\n")
        before = _files_of(node)
        answer = _start(node)
        return answer if answer == "starts" or _files_of(node) != before else f"{answer} | {UNTOUCHED}"


def _files_of(node: PrivateNode) -> dict[str, bytes]:
    """Return the files of queues and stores."""
    below = node.data / "msg_stores"
    return {str(path): path.read_bytes() for path in below.rglob("*") if path.is_file()}


if __name__ == "__main__":
    main()
