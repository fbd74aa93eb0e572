"""What the tools of RabbitMQ 3.10.8 say of each command; their text, Mozilla Public License 2.0. By tests.ctl.helps."""

from __future__ import annotations

from typing import Final

TEXTS: Final = {
    "list_vhosts": (
        "list_vhosts [--no-table-headers] [<column> ...] [--timeout <timeout>]\n\n"
        "Lists virtual hosts.\n\n\n"
        "Arguments and Options\n\n"
        "<column>\n"
        "\tmust be one of cluster_state, default_queue_type, description, name, tags, tracing\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/virtual-hosts.html\n\n"
        " * https://rabbitmq.com/access-control.html\n"
    ),
    "listeners": (
        "listeners [--timeout <timeout>]\n\n"
        "Lists active connection listeners (bound interface, port, protocol) on the target node.\n"
    ),
    "log_location": (
        "log_location [--all|-a] [--timeout <timeout>]\n\nShows log file location(s) on target node.\n"
    ),
    "log_tail": (
        "log_tail [--number|-N <number>] [--timeout <timeout>]\n\n"
        "Prints the last N lines of the log on the node.\n\n\n"
        "Arguments and Options\n\n"
        "<number>\n"
        "\tnumber of lines to print. Defaults to 50\n"
    ),
    "log_tail_stream": (
        "log_tail_stream [--duration|-d <seconds>] [--timeout <timeout>]\n\n"
        "Streams logs from a running node for a period of time.\n\n\n"
        "Arguments and Options\n\n"
        "<duration_in_seconds>\n"
        "\tduration in seconds to stream log. Defaults to infinity\n"
    ),
    "maybe_stuck": (
        "maybe_stuck [--timeout <timeout>]\n\n"
        'Detects Erlang processes ("lightweight threads") potentially not making progress on the target '
        "node.\n"
    ),
    "memory_breakdown": (
        "memory_breakdown [--unit <unit>] [--timeout <timeout>]\n\n"
        "Provides a memory usage breakdown on the target node..\n\n\n"
        "Arguments and Options\n\n"
        "--unit <bytes | mb | gb>\n"
        "\tbyte multiple (bytes, megabytes, gigabytes) to use\n\n"
        "--formatter <json | csv | erlang>\n"
        "\talternative formatter to use, JSON, CSV or Erlang terms\n"
    ),
    "node_health_check": (
        "node_health_check [--timeout <timeout>]\n\n"
        "DEPRECATED. Performs intrusive, opinionated health checks on a fully booted node. See "
        "https://www.rabbitmq.com/monitoring.html#health-checks instead.\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/monitoring.html\n"
    ),
    "observer": (
        "observer [--interval <seconds>]\n\n"
        "Starts a CLI observer interface on the target node.\n\n\n"
        "Arguments and Options\n\n"
        "--interval <seconds>\n"
        "\tUpdate interval to use, in seconds\n"
    ),
    "os_env": (
        "os_env [--timeout <timeout>]\n\nLists RabbitMQ-specific environment variables set on target node.\n"
    ),
    "ping": (
        "ping [--timeout <timeout>]\n\n"
        "Checks that the node OS process is up, registered with EPMD and CLI tools can authenticate with "
        "it.\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/monitoring.html\n"
    ),
    "purge_queue": (
        "purge_queue <queue> [--timeout <timeout>]\n\n"
        "Purges a queue (removes all messages in it).\n\n\n"
        "Arguments and Options\n\n"
        "<queue>\n"
        "\tName of the queue to purge\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/queues.html\n"
    ),
    "quorum_status": (
        "quorum_status [--vhost <vhost>] <queue>\n\n"
        "Displays quorum status of a quorum queue.\n\n\n"
        "Arguments and Options\n\n"
        "<queue>\n"
        "\tName of the queue\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/quorum-queues.html\n"
    ),
    "reclaim_quorum_memory": (
        "reclaim_quorum_memory  [--vhost <vhost>] <quorum queue>\n\n"
        "Flushes quorum queue processes WAL, performs a full sweep GC on all of its local Erlang "
        "processes.\n\n\n"
        "Arguments and Options\n\n"
        "<queue>\n"
        "\tName of the quorum queue\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/quorum-queues.html\n\n"
        " * https://rabbitmq.com/memory-use.html\n"
    ),
    "remote_shell": ("remote_shell\n\nStarts an interactive Erlang shell on the target node.\n"),
    "rename_cluster_node": (
        "rename_cluster_node <oldnode1> <newnode1> [oldnode2] [newnode2] ...\n\n"
        "Renames cluster nodes in the local database.\n\n\n"
        "Arguments and Options\n\n"
        "<oldnode>\n"
        "\tOriginal node name\n\n"
        "<newnode>\n"
        "\tNew node name\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/clustering.html\n"
    ),
    "report": (
        "report\n\n"
        "Generate a server status report containing a concatenation of all server status information for "
        "support purposes.\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/monitoring.html\n"
    ),
    "reset": (
        "reset\n\n"
        "Instructs a RabbitMQ node to leave the cluster and return to its virgin state.\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/clustering.html\n"
    ),
    "reset_node_auth_attempt_metrics": (
        "reset_node_auth_attempt_metrics\n\n"
        "Resets auth attempt metrics on the target node.\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/access-control.html\n\n"
        " * https://rabbitmq.com/monitoring.html\n"
    ),
    "resolve_hostname": (
        "resolve_hostname <hostname> [--address-family <ipv4 | ipv6>]\n\n"
        "Resolves a hostname to a set of addresses. Takes Erlang's inetrc file into account..\n"
    ),
    "resolver_info": (
        "resolver_info\n\nDisplays effective hostname resolver (inetrc) configuration on target node.\n"
    ),
    "restart_vhost": (
        "restart_vhost [--vhost <vhost>] [--timeout <timeout>]\n\n"
        "Restarts a failed vhost data stores and queues.\n\n\n"
        "Arguments and Options\n\n"
        "--vhost\n"
        "\tVirtual host name\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/virtual-hosts.html\n\n"
        " * https://rabbitmq.com/monitoring.html\n"
    ),
    "resume_listeners": (
        "resume_listeners\n\n"
        "Resumes client connection listeners making them accept client connections again.\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/upgrade.html\n"
    ),
    "rotate_logs": (
        "rotate_logs\n\n"
        "Does nothing [deprecated].\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/logging.html\n"
    ),
    "runtime_thread_stats": (
        "runtime_thread_stats [--sample-interval <interval>]\n\n"
        "Provides a breakdown of runtime thread activity stats on the target node.\n\n\n"
        "Arguments and Options\n\n"
        "--sample-interval <seconds>\n"
        "\tsampling interval to use in seconds\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/runtime.html\n"
    ),
    "schema_info": (
        "schema_info [--no-table-headers] [<column> ...] [--timeout <timeout>]\n\n"
        "Lists schema database tables and their properties.\n\n\n"
        "Arguments and Options\n\n"
        "<column>\n"
        "\tmust be one of access_mode, active_replicas, all_nodes, arity, attributes, checkpoints, "
        "commit_work, cookie, cstruct, disc_copies, disc_only_copies, external_copies, frag_properties, "
        "index, index_info, load_by_force, load_node, load_order, load_reason, local_content, majority, "
        "master_nodes, memory, name, name, ram_copies, record_name, record_validation, size, snmp, "
        "storage_properties, storage_type, subscribers, type, user_properties, version, where_to_commit, "
        "where_to_read, where_to_wlock, where_to_write, wild_pattern\n"
    ),
    "server_version": (
        "server_version [--timeout <timeout>]\n\nDisplays server version on the target node.\n"
    ),
    "set_cluster_name": (
        "set_cluster_name <name>\n\n"
        "Sets the cluster name.\n\n\n"
        "Arguments and Options\n\n"
        "<name>\n"
        "\tNew cluster name\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/virtual-hosts.html\n\n"
        " * https://rabbitmq.com/access-control.html\n"
    ),
    "set_disk_free_limit": (
        "set_disk_free_limit <disk_limit> | mem_relative <fraction>\n\n"
        "Sets the disk_free_limit setting.\n\n\n"
        "Arguments and Options\n\n"
        "<disk_limit>\n"
        "\tNew limit as an absolute value with units, e.g. 1GB\n\n"
        "mem_relative <fraction>\n"
        "\tNew limit as a fraction of total memory reported by the OS\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/disk-alarms.html\n\n"
        " * https://rabbitmq.com/alarms.html\n"
    ),
    "set_global_parameter": (
        "set_global_parameter <name> <value>\n\n"
        "Sets a runtime parameter..\n\n\n"
        "Arguments and Options\n\n"
        "<name>\n"
        "\tglobal parameter name (identifier)\n\n"
        "<value>\n"
        "\tparameter value\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/parameters.html\n"
    ),
    "set_log_level": (
        "set_log_level <log_level>\n\n"
        "Sets log level in the running node.\n\n\n"
        "Arguments and Options\n\n"
        "<log_level>\n"
        "\tnew log level\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/logging.html\n"
    ),
    "set_operator_policy": (
        "set_operator_policy [--vhost <vhost>] [--priority <priority>] [--apply-to <apply-to>] <name> "
        "<pattern> <definition>\n\n"
        "Sets an operator policy that overrides a subset of arguments in user policies.\n\n\n"
        "Arguments and Options\n\n"
        "<name>\n"
        "\tpolicy name (identifier)\n\n"
        "<pattern>\n"
        "\ta regular expression pattern that will be used to match queue, exchanges, etc\n\n"
        "<definition>\n"
        "\tpolicy definition (arguments). Must be a valid JSON document\n\n"
        "--priority <priority>\n"
        "\tpolicy priority\n\n"
        "--apply-to <queues | exchanges | all>\n"
        "\tpolicy should only apply to queues, exchanges, or all entities (both of the above)\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/parameters.html\n"
    ),
    "set_parameter": (
        "set_parameter [--vhost <vhost>] <component_name> <name> <value>\n\n"
        "Sets a runtime parameter..\n\n\n"
        "Arguments and Options\n\n"
        "<component_name>\n"
        "\tcomponent name\n\n"
        "<name>\n"
        "\tparameter name (identifier)\n\n"
        "<value>\n"
        "\tparameter value\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/parameters.html\n"
    ),
    "set_permissions": (
        "set_permissions [--vhost <vhost>] <username> <conf> <write> <read>\n\n"
        "Sets user permissions for a vhost.\n\n\n"
        "Arguments and Options\n\n"
        "<username>\n"
        "\tSelf-explanatory\n\n"
        "<conf>\n"
        "\tConfiguration permission pattern\n\n"
        "<write>\n"
        "\tWrite permission pattern\n\n"
        "<read>\n"
        "\tRead permission pattern\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/access-control.html\n\n"
        " * https://rabbitmq.com/virtual-hosts.html\n"
    ),
    "set_policy": (
        "set_policy [--vhost <vhost>] [--priority <priority>] [--apply-to <apply-to>] <name> <pattern> "
        "<definition>\n\n"
        "Sets or updates a policy.\n\n\n"
        "Arguments and Options\n\n"
        "<name>\n"
        "\tpolicy name (identifier)\n\n"
        "<pattern>\n"
        "\tregular expression pattern that will be used to match queues, exchanges, etc\n\n"
        "<definition>\n"
        "\tpolicy definition (arguments). Must be a valid JSON document\n\n"
        "--priority <priority>\n"
        "\tpolicy priority\n\n"
        "--apply-to <queues | exchanges | all>\n"
        "\tpolicy should only apply to queues, exchanges, or all entities (both of the above)\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/parameters.html\n"
    ),
    "set_topic_permissions": (
        "set_topic_permissions [--vhost <vhost>] <username> <exchange> <write> <read>\n\n"
        "Sets user topic permissions for an exchange.\n\n\n"
        "Arguments and Options\n\n"
        "<username>\n"
        "\tSelf-explanatory\n\n"
        "<exchange>\n"
        "\tTopic exchange to set the permissions for\n\n"
        "<write>\n"
        "\tWrite permission pattern\n\n"
        "<read>\n"
        "\tRead permission pattern\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/access-control.html\n"
    ),
    "set_user_limits": (
        "set_user_limits <username> <definition>\n\n"
        "Sets user limits.\n\n\n"
        "Arguments and Options\n\n"
        "<username>\n"
        "\tSelf-explanatory\n\n"
        "<definition>\n"
        "\tLimit definitions as a JSON document\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/access-control.html\n"
    ),
    "set_user_tags": (
        "set_user_tags <username> <tag> [...]\n\n"
        "Sets user tags.\n\n\n"
        "Arguments and Options\n\n"
        "<username>\n"
        "\tSelf-explanatory\n\n"
        "<tags>\n"
        "\tSpace separated list of tags\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/management.html\n\n"
        " * https://rabbitmq.com/access-control.html\n"
    ),
    "set_vhost_limits": (
        "set_vhost_limits [--vhost <vhost>] <definition>\n\n"
        "Sets virtual host limits.\n\n\n"
        "Arguments and Options\n\n"
        "<definition>\n"
        "\tLimit definitions, must be a valid JSON document\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/virtual-hosts.html\n"
    ),
    "set_vhost_tags": (
        "set_vhost_tags <vhost> <tag> [...]\n\n"
        "Sets virtual host tags.\n\n\n"
        "Arguments and Options\n\n"
        "<vhost>\n"
        "\tSelf-explanatory\n\n"
        "<tags>\n"
        "\tSpace separated list of tags\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/virtual-hosts.html\n"
    ),
    "set_vm_memory_high_watermark": (
        "set_vm_memory_high_watermark <fraction> | absolute <value>\n\n"
        "Sets the vm_memory_high_watermark setting.\n\n\n"
        "Arguments and Options\n\n"
        "<fraction>\n"
        "\tNew limit as a fraction of total memory reported by the OS\n\n"
        "absolute <value>\n"
        "\tNew limit as an absolute value with units, e.g. 1GB\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/alarms.html\n\n"
        " * https://rabbitmq.com/memory-use.html\n"
    ),
    "shutdown": (
        "shutdown [--wait] [--timeout <timeout>]\n\n"
        "Stops RabbitMQ and its runtime (Erlang VM). Monitors progress for local nodes. Does not require "
        "a PID file path..\n\n\n"
        "Arguments and Options\n\n"
        "--wait\n"
        "\tif set, will wait for target node to terminate (by inferring and monitoring its PID file). "
        "Only works for local nodes.\n\n"
        "--no-wait\n"
        "\tif set, will not wait for target node to terminate\n"
    ),
}
