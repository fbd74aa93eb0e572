"""`python -m tests.ctl.record`: ask a private RabbitMQ node the lines of the test, and write down its answers."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pika
from pika.exceptions import AMQPError

from tests.programs.differential.node import PrivateNode
from tests.programs.interop.client import channel

RECORDED = Path(__file__).with_name("recorded.json")
NODE = "waterline@localhost"
BOLD = re.compile("\x1b\\[[0-9]*m")

LINES = """
list_queues
-q list_queues name messages
-s list_queues name messages_ready
list_queues --no-table-headers name consumers
list_queues name messages messages_ready messages_unacknowledged consumers state arguments policy durable
list_queues --formatter json name arguments
list_queues -p other
list_queues nme
list_queues --foo
list_queues -p
list_queus
list_exchanges name type durable auto_delete internal arguments policy
list_exchanges nam
list_bindings
-q list_bindings source_name routing_key
list_connections state user vhost channels
list_channels user consumer_count messages_unacknowledged prefetch_count
list_consumers queue_name consumer_tag ack_required prefetch_count active arguments
list_consumers foo
list_policies
set_policy short '^or' '{"max-length":5,"overflow":"reject-publish"}' --apply-to queues --priority 3
list_policies
list_queues name policy
clear_policy short
clear_policy short
set_policy bad a '{"message-ttl":-1}'
set_policy bad a '{"mess-ttl":1}'
set_policy bad a '{}'
set_policy bad a xx
set_policy bad a
set_policy bad a '{"max-length":1}' --apply-to foo
set_policy bad a '{"max-length":1}' --priority foo
set_vm_memory_high_watermark 0.3
set_vm_memory_high_watermark absolute 200MB
set_vm_memory_high_watermark absolute 2XB
set_vm_memory_high_watermark -1
set_vm_memory_high_watermark 1.5
set_vm_memory_high_watermark abc
set_vm_memory_high_watermark
set_vm_memory_high_watermark absolute
set_vm_memory_high_watermark 0.4 0.5
-q set_vm_memory_high_watermark 0.4
set_disk_free_limit 100MB
set_disk_free_limit mem_relative 1.5
set_disk_free_limit mem_relative x
set_disk_free_limit abc
set_disk_free_limit 1 2
status --unit foo
purge_queue nono
delete_queue nono
delete_queue orders --if-unused
delete_queue orders --if-empty --if-unused
purge_queue lazy
delete_queue lazy --if-empty
list_vhosts
list_vhosts name tracing
list_vhosts --formatter json
list_vhosts nam
set_policy -p /emas ha-all ".*" '{"max-length":2}'
purge_queue -p /prod orders
delete_queue orders -p prod
clear_policy -p prod ha-all
list_policies --vhost /emas
list_exchanges -p other
list_bindings -p other
list_consumers -p other
sync_queue -p other orders
cancel_sync_queue -p other orders
add_vhost prod
add_vhost prod
list_vhosts
list_queues -p prod
list_exchanges -p prod
list_bindings -p prod
set_policy -p prod p1 '.*' '{"max-length":2}'
list_policies -p prod
list_policies
list_queues name policy
clear_policy -p prod p1
purge_queue -p prod orders
delete_queue -p prod orders
delete_vhost nope
delete_vhost prod
list_vhosts name
add_vhost
delete_vhost
list_queues --offline
list_queues --online name
list_queues --local name
list_queues --formatter csv name messages arguments
list_queues --formatter pretty_table name messages
list_queues --formatter pretty_table
list_queues --formatter erlang name messages
list_queues --formatter xml
list_queues -q --formatter csv name messages
list_queues -s --formatter csv name messages
list_queues --formatter csv --no-table-headers name
list_queues --formatter pretty_table --silent name
list_queues name,messages
list_queues name, messages
list_queues messages name
list_queues --vhost=/ name
list_queues name name
list_queues name consumers consumer_utilisation consumer_capacity
list_queues name leader members online
list_queues name type state exclusive auto_delete
list_queues name messages_ram messages_ready_ram messages_unacknowledged_ram messages_persistent
list_queues name message_bytes message_bytes_ready message_bytes_unacknowledged
list_queues name message_bytes_ram message_bytes_persistent
list_queues name slave_pids synchronised_slave_pids mirror_pids
list_queues name head_message_timestamp exclusive_consumer_tag exclusive_consumer_pid owner_pid
list_exchanges --formatter json
list_exchanges --formatter csv name type
list_bindings --formatter csv
list_bindings --formatter json source_name destination_name
list_consumers --formatter csv queue_name consumer_tag
list_consumers --formatter json queue_name ack_required
list_policies --formatter json
list_policies --formatter csv
list_connections reductions
list_connections garbage_collection
list_connections --formatter csv user state
list_channels --formatter json user consumer_count
list_channels foo
set_vm_memory_high_watermark .5
set_vm_memory_high_watermark 5.
set_vm_memory_high_watermark nan
set_vm_memory_high_watermark 0_1
set_vm_memory_high_watermark 1e-1
set_vm_memory_high_watermark +0.4
set_vm_memory_high_watermark 60%
set_vm_memory_high_watermark 0.4x
set_vm_memory_high_watermark 1
set_vm_memory_high_watermark 1.0
set_vm_memory_high_watermark 0
set_vm_memory_high_watermark relative 0.6
set_vm_memory_high_watermark '{mem_relative,1.0}'
set_vm_memory_high_watermark absolute 1.5GB
set_vm_memory_high_watermark absolute 0.4
set_vm_memory_high_watermark absolute 4GB
set_vm_memory_high_watermark absolute 4GiB
set_vm_memory_high_watermark absolute 4gb
set_vm_memory_high_watermark absolute 4G
set_vm_memory_high_watermark absolute 1024MiB
set_vm_memory_high_watermark absolute "4 GB"
set_vm_memory_high_watermark absolute 4TB
set_vm_memory_high_watermark absolute 4KiB
set_vm_memory_high_watermark absolute 4000000000
set_vm_memory_high_watermark absolute -5
set_vm_memory_high_watermark absolute GB
set_vm_memory_high_watermark 4GB
set_vm_memory_high_watermark 0.4
set_disk_free_limit 1TB
set_disk_free_limit "1.5GB"
set_disk_free_limit 1G
set_disk_free_limit 1GiB
set_disk_free_limit 1000000
set_disk_free_limit -1
set_disk_free_limit mem_relative .5
set_disk_free_limit mem_relative 1
set_disk_free_limit mem_relative 1.0
set_disk_free_limit mem_relative -1
set_disk_free_limit mem_relative 5.
set_disk_free_limit mem_relative
set_disk_free_limit 0.5
set_disk_free_limit 100MB
set_policy k1 '^zz' '{"dead-letter-strategy":"at-least-once"}'
set_policy k2 '^zz' '{"max-in-memory-length":5}'
set_policy k3 '^zz' '{"max-in-memory-bytes":5}'
set_policy k4 '^zz' '{"delivery-limit":5}'
set_policy k5 '^zz' '{"max-age":"1h"}'
set_policy k6 '^zz' '{"stream-max-segment-size-bytes":500}'
set_policy k7 '^zz' '{"queue-leader-locator":"balanced"}'
set_policy k8 '^zz' '{"initial-cluster-size":3}'
set_policy k9 '^zz' '{"federation-upstream-set":"all"}'
set_policy k10 '^zz' '{"queue-version":2}'
set_policy k11 '^zz' '{"ha-mode":"exactly","ha-params":2,"ha-sync-mode":"automatic"}'
list_policies name
list_policies
clear_policy k1
clear_policy k2
clear_policy k3
clear_policy k4
clear_policy k5
clear_policy k6
clear_policy k7
clear_policy k8
clear_policy k9
clear_policy k10
clear_policy k11
set_policy w1 '^zz' '{"dead-letter-strategy":"sometimes"}'
set_policy w2 '^zz' '{"max-in-memory-length":"a"}'
set_policy w3 '^zz' '{"max-in-memory-bytes":-1}'
set_policy w4 '^zz' '{"delivery-limit":-1}'
set_policy w5 '^zz' '{"max-age":"1x"}'
set_policy w6 '^zz' '{"stream-max-segment-size-bytes":-1}'
set_policy w7 '^zz' '{"queue-leader-locator":"near"}'
set_policy w8 '^zz' '{"initial-cluster-size":-1}'
set_policy w9 '^zz' '{"queue-version":3}'
set_policy w10 '^zz' '[1]'
set_policy w11 '^zz' '{"max-length":"5"}'
set_policy w12 '^zz' '{"max-length":5.5}'
set_policy w13 '^zz' "{'max-length':5}"
set_policy w14 '^zz' '{"max-length":5}' --apply-to queue
set_policy w15 '[zz' '{"max-length":5}'
set_policy Lazy "^lazy-queue$" '{"queue-mode":"lazy"}' --apply-to queues
list_policies
clear_policy Lazy
set_policy --priority 1 -p / x '^zz' '{"expires":1800000}' --apply-to queues
clear_policy -p / x
ping
version
list_users
list_permissions
list_permissions -p nope
list_user_permissions guest
list_global_parameters
list_parameters
list_operator_policies
list_feature_flags name state
list_unresponsive_queues
cluster_status --formatter json
await_startup
node_health_check
force_gc
trace_on
trace_off
rabbitmq-diagnostics ping
rabbitmq-diagnostics check_running
rabbitmq-diagnostics check_local_alarms
rabbitmq-diagnostics check_alarms
rabbitmq-diagnostics alarms
rabbitmq-diagnostics check_virtual_hosts
rabbitmq-diagnostics is_running
rabbitmq-diagnostics is_booting
rabbitmq-diagnostics server_version
rabbitmq-diagnostics list_queues name
rabbitmq-diagnostics check_port_connectivity
rabbitmq-diagnostics status --formatter json
rabbitmq-diagnostics memory_breakdown
rabbitmq-diagnostics memory_breakdown --unit mb
rabbitmq-diagnostics environment
rabbitmqctl eval 'application:get_env(rabbit, vm_memory_high_watermark_paging_ratio).'
rabbitmqctl eval 'application:set_env(rabbit, vm_memory_high_watermark_paging_ratio, 0.75).'
rabbitmqctl eval 'application:get_env(rabbit, vm_memory_high_watermark_paging_ratio).'
rabbitmqctl eval 'rabbit_vm:memory().'
rabbitmqctl eval 'vm_memory_monitor:get_vm_memory_high_watermark().'
rabbitmqctl eval 'vm_memory_monitor:get_memory_limit().'
rabbitmqctl environment
report
list_queues "name" "messages"
list_queues --timeout 5 name
list_queues --timeout x name
list_queues -t 5 name
list_queues --no-table-headers --silent name
-q list_policies
-s list_policies
--quiet list_bindings
-n nope@nowhere list_queues
list_queue
help
help list_queues
help set_policy
list_queues --help
stop_app
list_queues
set_vm_memory_high_watermark 0.4
start_app
list_connections
help foo
""".strip().splitlines()


def _rabbitmqctl(node: PrivateNode, line: str) -> tuple[str, int]:
    environment = {name: value for name, value in node.environment().items() if name != "RABBITMQ_DIST_PORT"}
    words = shlex.split(line)
    program = words.pop(0) if words[0].startswith("rabbitmq") else "rabbitmqctl"
    run = subprocess.run(
        [*node.program(program), "-n", NODE, *words],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    text = BOLD.sub("", run.stdout).replace(f"-n {NODE} ", "").replace(NODE, "rabbit@waterline")
    return text, run.returncode


def _fill(port: int) -> Any:
    """Make what `tests.ctl.test_recorded` makes of the engine, and return the client that keeps its consumer."""
    client = pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", port, heartbeat=0))
    ch = client.channel()
    ch.queue_declare("orders", durable=True)
    ch.queue_declare("lazy", durable=True, arguments={"x-queue-mode": "lazy", "x-max-length": 100})
    ch.exchange_declare("events", "topic", durable=True)
    ch.queue_bind("orders", "events", "a.#")
    ch.queue_bind("lazy", "amq.headers", "", {"kind": "big", "x-match": "any"})
    for _ in range(3):
        ch.basic_publish("", "orders", b"x" * 100)
    ch.basic_publish("", "lazy", b"x" * 100)
    ch.basic_qos(prefetch_count=2)
    ch.basic_consume("orders", lambda *_: None, consumer_tag="c1")
    client.process_data_events(1)
    return client


def asked(lines: list[str]) -> Iterator[dict[str, Any]]:
    """Yield what a private node answers to each line, one after the other."""
    with PrivateNode() as node:
        node.start()
        with channel(node.amqp_port):
            pass
        client = _fill(node.amqp_port)
        time.sleep(1)
        for line in lines:
            text, code = _rabbitmqctl(node, line)
            yield {"line": line, "text": text, "code": code}
            with suppress(AMQPError, ValueError):  # stop_app closes the connection
                client.process_data_events(0)
        node.stop()


def main() -> None:
    """Record every line, one after the other on the same node."""
    answers = []
    for each in asked(LINES):
        answers.append(each)
        print(f"{each['code']:3} {each['line']}", flush=True)
    RECORDED.write_text(json.dumps(answers, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
