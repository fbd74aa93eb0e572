"""The line of rabbitmqctl, and of rabbitmq.conf or advanced.config, that each control of the page stands for.
A template's `{name}` is the current value, from the node's settings or from the actor or queue that the
control changes. A key with `.from_1` replaces the key for values from 1 on, because rabbitmq.conf of 3.10.8
accepts only paging ratios below 1 (M6). The command is None for a setting that needs the configuration file
and a restart. Controls of the simulation itself (time, rates of publishers) have no line.
"""

from __future__ import annotations

from typing import Final

import msgspec

CONF: Final = "rabbitmq.conf"
ADVANCED: Final = "advanced.config"
CLIENT: Final = "client"
"""The control acts as a client program does; the line is its AMQP method."""


class StandsFor(msgspec.Struct, frozen=True, kw_only=True):
    """The lines behind one control.

    Args:
        command: of rabbitmqctl, or None.
        line: of the file `file`, or the AMQP method of a client.
        runtime: changes by `command` are forgotten at a restart.
    """

    command: str | None = None
    line: str | None = None
    file: str = CONF
    runtime: bool = False


STANDS_FOR: Final[dict[str, StandsFor]] = {
    "vm_memory_high_watermark": StandsFor(
        command="rabbitmqctl set_vm_memory_high_watermark {value}",
        line="vm_memory_high_watermark.relative = {value}",
        runtime=True,
    ),
    "vm_memory_high_watermark.absolute": StandsFor(
        command="rabbitmqctl set_vm_memory_high_watermark absolute {value}",
        line="vm_memory_high_watermark.absolute = {value}",
        runtime=True,
    ),
    "vm_memory_high_watermark_paging_ratio": StandsFor(
        line="vm_memory_high_watermark_paging_ratio = {value}"
    ),
    "vm_memory_high_watermark_paging_ratio.from_1": StandsFor(
        command="sudo rabbitmqctl eval 'application:set_env(rabbit, vm_memory_high_watermark_paging_ratio, {value}).'",
        line="{{vm_memory_high_watermark_paging_ratio, {value}}}",
        file=ADVANCED,
        runtime=True,
    ),
    "vm_memory_calculation_strategy": StandsFor(
        command="sudo rabbitmqctl eval 'application:set_env(rabbit, vm_memory_calculation_strategy, {value}).'",
        line="vm_memory_calculation_strategy = {value}",
        runtime=True,
    ),
    "ram_bytes": StandsFor(line="total_memory_available_override_value = {value}"),
    "disk_free_limit": StandsFor(
        command="rabbitmqctl set_disk_free_limit {value}",
        line="disk_free_limit.absolute = {value}",
        runtime=True,
    ),
    "disk_free_limit.mem_relative": StandsFor(
        command="rabbitmqctl set_disk_free_limit mem_relative {value}",
        line="disk_free_limit.relative = {value}",
        runtime=True,
    ),
    "queue_mode": StandsFor(
        command='rabbitmqctl set_policy mode "^{queue}$" \'{{"queue-mode":"{value}"}}\' --apply-to queues',
        line='queue.declare arguments {{"x-queue-mode": "{value}"}}',
        file=CLIENT,
    ),
    "target_ram_count": StandsFor(
        command="rabbitmqctl eval 'rabbit_amqqueue:info_all(<<\"/\">>, [name, backing_queue_status]).'",
    ),
    "purge": StandsFor(
        command="rabbitmqctl purge_queue {queue}", line="queue.purge queue={queue}", file=CLIENT
    ),
    "delete_queue": StandsFor(
        command="rabbitmqctl delete_queue {queue}", line="queue.delete queue={queue}", file=CLIENT
    ),
    "declare_queue": StandsFor(
        line="queue.declare queue={name} durable={durable} arguments={arguments}", file=CLIENT
    ),
    "declare_exchange": StandsFor(
        line="exchange.declare exchange={name} type={type} durable={durable}", file=CLIENT
    ),
    "bind": StandsFor(
        line="queue.bind queue={queue} exchange={exchange} routing_key={routing_key}", file=CLIENT
    ),
    "credit": StandsFor(line="{{credit_flow_default_credit, {{400, 200}}}}", file=ADVANCED),
    "store_credit": StandsFor(
        line="{{msg_store_credit_disc_bound, {{{msg_store_credit_initial}, {msg_store_credit_more}}}}}",
        file=ADVANCED,
    ),
    "publish": StandsFor(
        line="basic.publish exchange={exchange} routing_key={routing_key} delivery_mode={delivery_mode}",
        file=CLIENT,
    ),
    "confirm": StandsFor(line="confirm.select", file=CLIENT),
    "consume": StandsFor(line="basic.consume queue={queue} no_ack={no_ack}", file=CLIENT),
    "prefetch": StandsFor(line="basic.qos prefetch_count={value} global=false", file=CLIENT),
    "get": StandsFor(line="basic.get queue={queue} no_ack={no_ack}", file=CLIENT),
    "ack": StandsFor(line="basic.ack multiple={multiple}", file=CLIENT),
    "requeue": StandsFor(line="basic.reject requeue=true", file=CLIENT),
    "restart.clean": StandsFor(command="systemctl restart rabbitmq-server"),
    "restart.kill": StandsFor(command="kill -9 $(cat /var/lib/rabbitmq/mnesia/rabbit@waterline.pid)"),
    "stop_app": StandsFor(command="rabbitmqctl stop_app"),
    "start_app": StandsFor(command="rabbitmqctl start_app"),
    "set_policy": StandsFor(
        command="rabbitmqctl set_policy {name} \"{pattern}\" '{definition}' --apply-to {apply_to}"
    ),
    "clear_policy": StandsFor(command="rabbitmqctl clear_policy {name}"),
    "queue_index_embed_msgs_below": StandsFor(line="queue_index_embed_msgs_below = {value}"),
    "queue_index_max_journal_entries": StandsFor(
        line="{{queue_index_max_journal_entries, {value}}}", file=ADVANCED
    ),
    "segment_entry_count": StandsFor(line="{{queue_index_segment_entry_count, {value}}}", file=ADVANCED),
    "msg_store_file_size_limit": StandsFor(line="{{msg_store_file_size_limit, {value}}}", file=ADVANCED),
    "msg_store_io_batch_size": StandsFor(line="{{msg_store_io_batch_size, {value}}}", file=ADVANCED),
    "explicit_gc_run_operation_threshold": StandsFor(
        line="{{queue_explicit_gc_run_operation_threshold, {value}}}", file=ADVANCED
    ),
    "memory_monitor_interval_ms": StandsFor(line="memory_monitor_interval = {value}"),
}
