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


class StandsFor(msgspec.Struct, frozen=True):
    """The lines behind one control. `command`: of rabbitmqctl, or None. `line`: of the file `file`, or the
    AMQP method of a client. `runtime`: changes by `command` are forgotten at a restart.
    """

    command: str | None = None
    line: str | None = None
    file: str = CONF
    runtime: bool = False


STANDS_FOR: Final[dict[str, StandsFor]] = {
    "vm_memory_high_watermark": StandsFor(
        "rabbitmqctl set_vm_memory_high_watermark {value}",
        "vm_memory_high_watermark.relative = {value}",
        runtime=True,
    ),
    "vm_memory_high_watermark.absolute": StandsFor(
        "rabbitmqctl set_vm_memory_high_watermark absolute {value}",
        "vm_memory_high_watermark.absolute = {value}",
        runtime=True,
    ),
    "vm_memory_high_watermark_paging_ratio": StandsFor(
        None, "vm_memory_high_watermark_paging_ratio = {value}"
    ),
    "vm_memory_high_watermark_paging_ratio.from_1": StandsFor(
        "sudo rabbitmqctl eval 'application:set_env(rabbit, vm_memory_high_watermark_paging_ratio, {value}).'",
        "{{vm_memory_high_watermark_paging_ratio, {value}}}",
        ADVANCED,
        runtime=True,
    ),
    "vm_memory_calculation_strategy": StandsFor(
        "sudo rabbitmqctl eval 'application:set_env(rabbit, vm_memory_calculation_strategy, {value}).'",
        "vm_memory_calculation_strategy = {value}",
        runtime=True,
    ),
    "ram_bytes": StandsFor(None, "total_memory_available_override_value = {value}"),
    "disk_free_limit": StandsFor(
        "rabbitmqctl set_disk_free_limit {value}", "disk_free_limit.absolute = {value}", runtime=True
    ),
    "disk_free_limit.mem_relative": StandsFor(
        "rabbitmqctl set_disk_free_limit mem_relative {value}",
        "disk_free_limit.relative = {value}",
        runtime=True,
    ),
    "queue_mode": StandsFor(
        'rabbitmqctl set_policy mode "^{queue}$" \'{{"queue-mode":"{value}"}}\' --apply-to queues',
        'queue.declare arguments {{"x-queue-mode": "{value}"}}',
        CLIENT,
    ),
    "target_ram_count": StandsFor(
        "rabbitmqctl eval 'rabbit_amqqueue:info_all(<<\"/\">>, [name, backing_queue_status]).'"
    ),
    "purge": StandsFor("rabbitmqctl purge_queue {queue}", "queue.purge queue={queue}", CLIENT),
    "delete_queue": StandsFor("rabbitmqctl delete_queue {queue}", "queue.delete queue={queue}", CLIENT),
    "declare_queue": StandsFor(
        None, "queue.declare queue={name} durable={durable} arguments={arguments}", CLIENT
    ),
    "declare_exchange": StandsFor(
        None, "exchange.declare exchange={name} type={type} durable={durable}", CLIENT
    ),
    "bind": StandsFor(None, "queue.bind queue={queue} exchange={exchange} routing_key={routing_key}", CLIENT),
    "credit": StandsFor(None, "{{credit_flow_default_credit, {{400, 200}}}}", ADVANCED),
    "store_credit": StandsFor(
        None,
        "{{msg_store_credit_disc_bound, {{{msg_store_credit_initial}, {msg_store_credit_more}}}}}",
        ADVANCED,
    ),
    "publish": StandsFor(
        None,
        "basic.publish exchange={exchange} routing_key={routing_key} delivery_mode={delivery_mode}",
        CLIENT,
    ),
    "confirm": StandsFor(None, "confirm.select", CLIENT),
    "consume": StandsFor(None, "basic.consume queue={queue} no_ack={no_ack}", CLIENT),
    "prefetch": StandsFor(None, "basic.qos prefetch_count={value} global=false", CLIENT),
    "get": StandsFor(None, "basic.get queue={queue} no_ack={no_ack}", CLIENT),
    "ack": StandsFor(None, "basic.ack multiple={multiple}", CLIENT),
    "requeue": StandsFor(None, "basic.reject requeue=true", CLIENT),
    "restart.clean": StandsFor("systemctl restart rabbitmq-server"),
    "restart.kill": StandsFor("kill -9 $(cat /var/lib/rabbitmq/mnesia/rabbit@waterline.pid)"),
    "stop_app": StandsFor("rabbitmqctl stop_app"),
    "start_app": StandsFor("rabbitmqctl start_app"),
    "set_policy": StandsFor(
        "rabbitmqctl set_policy {name} \"{pattern}\" '{definition}' --apply-to {apply_to}"
    ),
    "clear_policy": StandsFor("rabbitmqctl clear_policy {name}"),
    "queue_index_embed_msgs_below": StandsFor(None, "queue_index_embed_msgs_below = {value}"),
    "queue_index_max_journal_entries": StandsFor(
        None, "{{queue_index_max_journal_entries, {value}}}", ADVANCED
    ),
    "segment_entry_count": StandsFor(None, "{{queue_index_segment_entry_count, {value}}}", ADVANCED),
    "msg_store_file_size_limit": StandsFor(None, "{{msg_store_file_size_limit, {value}}}", ADVANCED),
    "msg_store_io_batch_size": StandsFor(None, "{{msg_store_io_batch_size, {value}}}", ADVANCED),
    "explicit_gc_run_operation_threshold": StandsFor(
        None, "{{queue_explicit_gc_run_operation_threshold, {value}}}", ADVANCED
    ),
    "memory_monitor_interval_ms": StandsFor(None, "memory_monitor_interval = {value}"),
}
