"""What the tools of RabbitMQ 3.10.8 say of each command; their text, Mozilla Public License 2.0. By tests.ctl.helps."""

from __future__ import annotations

from typing import Final

TEXTS: Final = {
    "enable_feature_flag": (
        "enable_feature_flag <all | feature_flag>\n\n"
        "Enables a feature flag or all supported feature flags on the target node.\n\n\n"
        "Arguments and Options\n\n"
        "<feature_flag>\n"
        '\tname of the feature flag to enable, or "all" to enable all supported flags\n'
    ),
    "encode": (
        "encode value passphrase [--cipher <cipher>] [--hash <hash>] [--iterations <iterations>]\n\n"
        "Encrypts a sensitive configuration value.\n\n\n"
        "Arguments and Options\n\n"
        "<value>\n"
        "\tconfig value to encode\n\n"
        "<passphrase>\n"
        "\tpassphrase to use with the config value encryption key\n\n"
        "--cipher <cipher>\n"
        "\tcipher suite to use\n\n"
        "--hash <hash>\n"
        "\thashing function to use\n\n"
        "--iterations <iterations>\n"
        "\tnumber of iteration to apply\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/configure.html\n"
    ),
    "environment": (
        "environment\n\n"
        "Displays the name and value of each variable in the application environment for each running "
        "application.\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/configure.html\n\n"
        " * https://rabbitmq.com/monitoring.html\n"
    ),
    "erlang_cookie_hash": (
        "erlang_cookie_hash [--timeout <timeout>]\n\n"
        "Displays a hash of the Erlang cookie (shared secret) used by the target node.\n"
    ),
    "erlang_cookie_sources": (
        "erlang_cookie_sources [--timeout <timeout>]\n\n"
        "Display Erlang cookie source (e.g. $HOME/.erlang.cookie file) information useful for "
        "troubleshooting.\n"
    ),
    "erlang_version": (
        "erlang_version [--timeout <timeout>]\n\n"
        "Displays Erlang/OTP version on the target node.\n\n\n"
        "Arguments and Options\n\n"
        "--details\n"
        "\twhen set, display additional Erlang/OTP system information\n\n"
        "--offline\n"
        "\twhen set, displays local Erlang/OTP version (that used by CLI tools)\n"
    ),
    "eval": (
        "eval <expression>\n\n"
        "Evaluates a snippet of Erlang code on the target node.\n\n\n"
        "Arguments and Options\n\n"
        "<expression>\n"
        "\tExpression to evaluate\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/cli.html\n\n"
        " * https://rabbitmq.com/monitoring.html\n\n"
        " * https://rabbitmq.com/troubleshooting.html\n"
    ),
    "eval_file": (
        "eval_file <file path>\n\n"
        "Evaluates a file that contains a snippet of Erlang code on the target node.\n\n\n"
        "Arguments and Options\n\n"
        "<file path>\n"
        "\tPath to the file to evaluate\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/cli.html\n\n"
        " * https://rabbitmq.com/monitoring.html\n\n"
        " * https://rabbitmq.com/troubleshooting.html\n"
    ),
    "exec": (
        "exec <expression> [--offline]\n\n"
        "Evaluates a snippet of Elixir code on the CLI node.\n\n\n"
        "Arguments and Options\n\n"
        "<expression>\n"
        "\tExpression to evaluate\n\n"
        "--offline\n"
        "\tdisable inter-node communication\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/cli.html\n\n"
        " * https://rabbitmq.com/monitoring.html\n\n"
        " * https://rabbitmq.com/troubleshooting.html\n"
    ),
    "export_definitions": (
        'export_definitions <file_path | "-"> [--format <json | erlang>] [--timeout <timeout>]\n\n'
        "Exports definitions in JSON or compressed Erlang Term Format..\n\n\n"
        "Arguments and Options\n\n"
        "<file>\n"
        "\tLocal file path to export to. Pass a dash (-) for stdout.\n\n"
        "--format\n"
        "\toutput format to use: json or erlang\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/definitions.html\n"
    ),
    "force_boot": (
        "force_boot\n\n"
        "Forces node to start even if it cannot contact or rejoin any of its previously known peers.\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/clustering.html\n"
    ),
    "force_gc": (
        "force_gc [--timeout <timeout>]\n\n"
        "Makes all Erlang processes on the target node perform/schedule a full sweep garbage collection.\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/memory-use.html\n"
    ),
    "force_reset": (
        "force_reset\n\n"
        "Forcefully returns a RabbitMQ node to its virgin state.\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/clustering.html\n"
    ),
    "forget_cluster_node": (
        "forget_cluster_node [--offline] <existing_cluster_member_node>\n\n"
        "Removes a node from the cluster.\n\n\n"
        "Arguments and Options\n\n"
        "--offline\n"
        "\ttry to update cluster membership state directly. Use when target node is stopped. Only works "
        "for local nodes.\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/clustering.html\n\n"
        " * https://rabbitmq.com/cluster-formation.html\n"
    ),
    "help": (
        "help (<command> | [--list-commands])\n\n"
        "Displays usage information for a command.\n\n\n"
        "Arguments and Options\n\n"
        "--list-commands\n"
        "\tonly output a list of discovered commands\n"
    ),
    "hipe_compile": (
        "hipe_compile <directory>\n\n"
        "DEPRECATED. This command is a no-op. HiPE is no longer supported by modern Erlang versions.\n\n\n"
        "Arguments and Options\n\n"
        "<directory>\n"
        "\tTarget directory for HiPE-compiled modules\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/configure.html\n\n"
        " * https://rabbitmq.com/which-erlang.html\n"
    ),
    "import_definitions": (
        'import_definitions <file_path | "-"> [--format <json | erlang>] [--skip-if-unchanged] '
        "[--timeout <timeout>]\n\n"
        "Imports definitions in JSON or compressed Erlang Term Format..\n\n\n"
        "Arguments and Options\n\n"
        "[file]\n"
        "\tLocal file path to import from. If omitted will be read from standard input\n\n"
        "--format\n"
        "\tinput format to use: json or erlang\n\n"
        "--skip-if-unchanged\n"
        "\tAvoids repetitive definition imports when file contents are unchanged. Target node must be "
        "configured accordingly\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/definitions.html\n"
    ),
    "is_booting": (
        "is_booting [--timeout <timeout>]\n\nChecks if RabbitMQ is still booting on the target node.\n"
    ),
    "is_running": (
        "is_running [--timeout <timeout>]\n\n"
        "Checks if RabbitMQ is fully booted and running on the target node.\n"
    ),
    "join_cluster": (
        "join_cluster [--disc|--ram] <existing_cluster_member>\n\n"
        "Instructs the node to become a member of the cluster that the specified node is in.\n\n\n"
        "Arguments and Options\n\n"
        "<existing_cluster_member>\n"
        "\tExisting cluster member (node) to join\n\n"
        "--disc\n"
        "\tnew node should be a disk one (stores its schema on disk). Highly recommended, used by default.\n\n"
        "--ram\n"
        "\tnew node should be a RAM one (stores schema in RAM). Not recommended. Consult clustering doc "
        "guides first.\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/clustering.html\n\n"
        " * https://rabbitmq.com/cluster-formation.html\n"
    ),
    "list_bindings": (
        "list_bindings [--vhost <vhost>] [--no-table-headers] [<column> ...] [--timeout <timeout>]\n\n"
        "Lists all bindings on a vhost.\n\n\n"
        "Arguments and Options\n\n"
        "<column>\n"
        "\tmust be one of arguments, destination_kind, destination_name, routing_key, source_kind, "
        "source_name\n"
    ),
    "list_channels": (
        "list_channels [--no-table-headers] [<column> ...]\n\n"
        "Lists all channels in the node.\n\n\n"
        "Arguments and Options\n\n"
        "<column>\n"
        "\tmust be one of acks_uncommitted, confirm, connection, consumer_count, global_prefetch_count, "
        "messages_unacknowledged, messages_uncommitted, messages_unconfirmed, name, number, pid, "
        "prefetch_count, transactional, user, vhost\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/channels.html\n"
    ),
    "list_ciphers": (
        "list_ciphers\n\n"
        "Lists cipher suites supported by encoding commands.\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/configure.html\n\n"
        " * https://rabbitmq.com/ssl.html\n"
    ),
    "list_connections": (
        "list_connections [--no-table-headers] [<column> ...] [--timeout <timeout>]\n\n"
        "Lists AMQP 0.9.1 connections for the node.\n\n\n"
        "Arguments and Options\n\n"
        "<column>\n"
        "\tmust be one of auth_mechanism, channel_max, channels, client_properties, connected_at, "
        "frame_max, host, name, peer_cert_issuer, peer_cert_subject, peer_cert_validity, peer_host, "
        "peer_port, pid, port, protocol, recv_cnt, recv_oct, send_cnt, send_oct, send_pend, ssl, "
        "ssl_cipher, ssl_hash, ssl_key_exchange, ssl_protocol, state, timeout, user, vhost\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/connections.html\n"
    ),
    "list_consumers": (
        "list_consumers [--vhost <vhost>] [--no-table-headers] [<column> ...] [--timeout <timeout>]\n\n"
        "Lists all consumers for a vhost.\n\n\n"
        "Arguments and Options\n\n"
        "<column>\n"
        "\tmust be one of ack_required, active, activity_status, arguments, channel_pid, consumer_tag, "
        "prefetch_count, queue_name\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/consumers.html\n"
    ),
    "list_exchanges": (
        "list_exchanges [--vhost <vhost>] [--no-table-headers] [<column> ...] [--timeout <timeout>]\n\n"
        "Lists exchanges.\n\n\n"
        "Arguments and Options\n\n"
        "<column>\n"
        "\tmust be one of arguments, auto_delete, durable, internal, name, policy, type\n"
    ),
    "list_feature_flags": (
        "list_feature_flags [<column> ...] [--timeout <timeout>]\n\n"
        "Lists feature flags.\n\n\n"
        "Arguments and Options\n\n"
        "<column>\n"
        "\tmust be one of desc, doc_url, name, provided_by, stability, state\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/feature-flags.html\n"
    ),
    "list_global_parameters": (
        "list_global_parameters [--no-table-headers] [--timeout <timeout>]\n\n"
        "Lists global runtime parameters.\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/parameters.html\n"
    ),
    "list_hashes": (
        "list_hashes\n\n"
        "Lists hash functions supported by encoding commands.\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/configure.html\n\n"
        " * https://rabbitmq.com/ssl.html\n"
    ),
    "list_network_interfaces": (
        "list_network_interfaces [--timeout <timeout>]\n\n"
        "Lists network interfaces (NICs) on the target node.\n"
    ),
    "list_node_auth_attempt_stats": (
        "list_node_auth_attempts [--by-source]\n\n"
        "Lists authentication attempts on the target node.\n\n\n"
        "Arguments and Options\n\n"
        "--by-source\n"
        "\tlist authentication attempts by remote address and username\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/access-control.html\n\n"
        " * https://rabbitmq.com/monitoring.html\n"
    ),
    "list_operator_policies": (
        "list_operator_policies [--vhost <vhost>] [--no-table-headers] [--timeout <timeout>]\n\n"
        "Lists operator policy overrides for a virtual host.\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/parameters.html\n"
    ),
    "list_parameters": (
        "list_parameters [--vhost <vhost>] [--no-table-headers] [--timeout <timeout>]\n\n"
        "Lists runtime parameters for a virtual host.\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/parameters.html\n"
    ),
    "list_permissions": (
        "list_permissions [--vhost <vhost>] [--no-table-headers] [--timeout <timeout>]\n\n"
        "Lists user permissions in a virtual host.\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/access-control.html\n\n"
        " * https://rabbitmq.com/virtual-hosts.html\n"
    ),
    "list_policies": (
        "list_policies [--vhost <vhost>] [--no-table-headers] [--timeout <timeout>]\n\n"
        "Lists all policies in a virtual host.\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/parameters.html\n"
    ),
    "list_queues": (
        "list_queues [--vhost <vhost>] [--online] [--offline] [--local] [--no-table-headers] [<column>, "
        "...] [--timeout <timeout>]\n\n"
        "Lists queues and their properties.\n\n\n"
        "Arguments and Options\n\n"
        "<column>\n"
        "\tmust be one of arguments, auto_delete, consumer_capacity, consumer_utilisation, consumers, "
        "disk_reads, disk_writes, durable, exclusive, exclusive_consumer_pid, exclusive_consumer_tag, "
        "head_message_timestamp, leader, members, memory, message_bytes, message_bytes_persistent, "
        "message_bytes_ram, message_bytes_ready, message_bytes_unacknowledged, messages, "
        "messages_persistent, messages_ram, messages_ready, messages_ready_ram, messages_unacknowledged, "
        "messages_unacknowledged_ram, name, online, owner_pid, pid, policy, slave_pids, state, "
        "synchronised_slave_pids, type\n\n"
        "--online\n"
        "\tlists only queues on online (reachable) nodes\n\n"
        "--offline\n"
        "\tlists only queues on offline (unreachable) nodes\n\n"
        "--local\n"
        "\tonly return queues hosted on the target node\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/queues.html\n"
    ),
    "list_topic_permissions": (
        "list_topic_permissions [--vhost <vhost>] [--no-table-headers] [--timeout <timeout>]\n\n"
        "Lists topic permissions in a virtual host.\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/access-control.html\n"
    ),
    "list_unresponsive_queues": (
        "list_unresponsive_queues [--local] [--queue-timeout <milliseconds>] [<column> ...] "
        "[--no-table-headers] [--timeout <timeout>]\n\n"
        "Tests queues to respond within timeout. Lists those which did not respond.\n\n\n"
        "Arguments and Options\n\n"
        "<column>\n"
        "\tmust be one of arguments, auto_delete, durable, name, pid, recoverable_slaves\n\n"
        "--local\n"
        "\tonly return queues hosted on the target node\n\n"
        "--queue-timeout <milliseconds>\n"
        "\tper-queue timeout to use when checking for responsiveness\n"
    ),
    "list_user_limits": (
        "list_user_limits [--user <username>] [--global]\n\n"
        "Displays configured user limits.\n\n\n"
        "Arguments and Options\n\n"
        "--global\n"
        "\tlist limits for all the users\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/access-control.html\n"
    ),
    "list_user_permissions": (
        "list_user_permissions [--no-table-headers] <username> [--timeout <timeout>]\n\n"
        "Lists permissions of a user across all virtual hosts.\n\n\n"
        "Arguments and Options\n\n"
        "<username>\n"
        "\tName of the user\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/access-control.html\n\n"
        " * https://rabbitmq.com/virtual-hosts.html\n"
    ),
    "list_user_topic_permissions": (
        "list_user_topic_permissions [--no-table-headers] <username> [--timeout <timeout>]\n\n"
        "Lists user topic permissions.\n\n\n"
        "Arguments and Options\n\n"
        "<username>\n"
        "\tName of the user\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/access-control.html\n"
    ),
    "list_users": (
        "list_users [--no-table-headers] [--timeout <timeout>]\n\n"
        "List user names and tags.\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/access-control.html\n"
    ),
    "list_vhost_limits": (
        "list_vhost_limits [--vhost <vhost>] [--global] [--no-table-headers]\n\n"
        "Displays configured virtual host limits.\n\n\n"
        "Arguments and Options\n\n"
        "--global\n"
        "\tlist global limits (those not associated with a virtual host)\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/virtual-hosts.html\n"
    ),
}
