"""What the tools of RabbitMQ 3.10.8 say of each command; their text, Mozilla Public License 2.0. By tests.ctl.helps."""

from __future__ import annotations

from typing import Final

TEXTS: Final = {
    "start_app": (
        "start_app\n\nStarts the RabbitMQ application but leaves the runtime (Erlang VM) running.\n"
    ),
    "status": (
        "status [--unit <unit>] [--timeout <timeout>]\n\n"
        "Displays status of a node.\n\n\n"
        "Arguments and Options\n\n"
        "--unit <bytes | mb | gb>\n"
        "\tbyte multiple (bytes, megabytes, gigabytes) to use\n\n"
        "--formatter <json | erlang>\n"
        "\talternative formatter (JSON, Erlang terms)\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/monitoring.html\n"
    ),
    "stop": (
        "stop [--idempotent] [<pidfile>]\n\n"
        "Stops RabbitMQ and its runtime (Erlang VM). Requires a local node pid file path to monitor "
        "progress..\n\n\n"
        "Arguments and Options\n\n"
        "<pidfile>\n"
        "\tnode PID file path to monitor. To avoid using a PID file, use 'rabbitmqctl shutdown'\n\n"
        "--idempotent\n"
        "\treturn success if target node is not running (cannot be contacted)\n"
    ),
    "stop_app": ("stop_app\n\nStops the RabbitMQ application, leaving the runtime (Erlang VM) running.\n"),
    "stream_status": (
        "stream_status [--vhost <vhost>] [--tracking] <stream>\n\n"
        "Displays the status of a stream.\n\n\n"
        "Arguments and Options\n\n"
        "<stream>\n"
        "\tName of the stream\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/streams.html\n"
    ),
    "suspend_listeners": (
        "suspend_listeners\n\n"
        "Suspends client connection listeners so that no new client connections are accepted.\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/upgrade.html\n"
    ),
    "sync_queue": (
        "sync_queue [--vhost <vhost>] <queue>\n\n"
        "Instructs a mirrored queue with unsynchronised mirrors (follower replicas) to synchronise them.\n\n\n"
        "Arguments and Options\n\n"
        "<queue>\n"
        "\tName of the queue to synchronise\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/ha.html\n"
    ),
    "tls_versions": (
        "tls_versions [--timeout <timeout>]\n\n"
        "Lists TLS versions supported (but not necessarily allowed) on the target node.\n"
    ),
    "trace_off": (
        "trace_off [--vhost <vhost>]\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/firehose.html\n\n"
        " * https://rabbitmq.com/virtual-hosts.html\n"
    ),
    "trace_on": (
        "trace_on [--vhost <vhost>]\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/firehose.html\n\n"
        " * https://rabbitmq.com/virtual-hosts.html\n"
    ),
    "update_cluster_nodes": (
        "update_cluster_nodes <seed_node>\n\n"
        "Instructs a cluster member node to sync the list of known cluster members from <seed_node>.\n\n\n"
        "Arguments and Options\n\n"
        "<seed_node>\n"
        "\tCluster node to seed known cluster members from\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/clustering.html\n"
    ),
    "version": ("version\n\nDisplays CLI tools version.\n"),
    "wait": (
        "wait [<pidfile>] [--pid|-P <pid>] [--timeout <timeout>]\n\n"
        "Waits for RabbitMQ node startup by monitoring a local PID file. See also 'rabbitmqctl "
        "await_online_nodes'.\n\n\n"
        "Arguments and Options\n\n"
        "<pidfile>\n"
        "\tPID file path\n\n"
        "--pid <pid>\n"
        "\toperating system PID to monitor\n"
    ),
}
