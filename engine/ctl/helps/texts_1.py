"""What the tools of RabbitMQ 3.10.8 say of each command; their text, Mozilla Public License 2.0. By tests.ctl.helps."""

from __future__ import annotations

from typing import Final

TEXTS: Final = {
    "add_user": (
        "add_user <username> <password>\n\n"
        "Creates a new user in the internal database. This user will have no permissions for any virtual "
        "hosts by default..\n\n\n"
        "Arguments and Options\n\n"
        "<username>\n"
        "\tSelf-explanatory\n\n"
        "<password>\n"
        "\tPassword this user will authenticate with. Use a blank string to disable password-based "
        "authentication.\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/access-control.html\n"
    ),
    "add_vhost": (
        'add_vhost <vhost> [--description <description> --tags "<tag1>,<tag2>,<...>" '
        "--default-queue-type <quorum|classic|stream>]\n\n"
        "Creates a virtual host.\n\n\n"
        "Arguments and Options\n\n"
        "<vhost>\n"
        "\tVirtual host name\n\n"
        "--description <description>\n"
        "\tVirtual host description\n\n"
        "--tags <tags>\n"
        "\tCommand separated list of tags\n\n"
        "--default-queue-type <quorum|classic|stream>\n"
        "\tQueue type to use if no type is explicitly provided by the client\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/virtual-hosts.html\n"
    ),
    "alarms": (
        "alarms [--timeout <timeout>]\n\n"
        "Lists resource alarms (local or cluster-wide) in effect on the target node.\n"
    ),
    "authenticate_user": (
        "authenticate_user <username> <password>\n\n"
        "Attempts to authenticate a user. Exits with a non-zero code if authentication fails..\n\n\n"
        "Arguments and Options\n\n"
        "<username>\n"
        "\tUsername to use\n\n"
        "<password>\n"
        "\tPassword to use. Can be entered via stdin in interactive mode.\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/access-control.html\n"
    ),
    "autocomplete": (
        "autocomplete [prefix] [--timeout <timeout>]\n\n"
        "Provides command name autocomplete variants.\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/cli.html\n"
    ),
    "await_online_nodes": (
        "await_online_nodes <count> [--timeout <timeout>]\n\n"
        "Waits for <count> nodes to join the cluster.\n\n\n"
        "Arguments and Options\n\n"
        "<count>\n"
        "\thow many cluster members must be up in order for this command to exit. When <count> is 1, "
        "always exits immediately.\n"
    ),
    "await_startup": ("await_startup\n\nWaits for the RabbitMQ application to start on the target node.\n"),
    "cancel_sync_queue": (
        "cancel_sync_queue [--vhost <vhost>] <queue>\n\n"
        "Instructs a synchronising mirrored queue to stop synchronising itself.\n\n\n"
        "Arguments and Options\n\n"
        "<queue>\n"
        "\tQueue name\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/ha.html\n"
    ),
    "certificates": (
        "certificates\n\n"
        "Displays certificates (public keys) for every listener on target node that is configured to use "
        "TLS.\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/configure.html\n\n"
        " * https://rabbitmq.com/ssl.html\n"
    ),
    "change_cluster_node_type": (
        "change_cluster_node_type <disc | ram>\n\n"
        "Changes the type of the cluster node.\n\n\n"
        "Arguments and Options\n\n"
        "<disc | ram>\n"
        "\tNew node type\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/clustering.html\n"
    ),
    "change_password": (
        "change_password <username> <password>\n\n"
        "Changes the user password.\n\n\n"
        "Arguments and Options\n\n"
        "<username>\n"
        "\tName of the user whose password should be changed\n\n"
        "<password>\n"
        "\tNew password to set\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/access-control.html\n"
    ),
    "check_alarms": (
        "check_alarms [--timeout <timeout>]\n\n"
        "Health check that exits with a non-zero code if the target node reports any alarms, local or "
        "cluster-wide..\n"
    ),
    "check_certificate_expiration": (
        "check_certificate_expiration [--within <period>] [--unit <unit>]\n\n"
        "Checks the expiration date on the certificates for every listener configured to use TLS.\n\n\n"
        "Arguments and Options\n\n"
        "<period>\n"
        "\tperiod of time to check. Default is four (weeks).\n\n"
        "<unit>\n"
        "\ttime unit for the period, can be days, weeks, months, years. Default is weeks.\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/ssl.html\n\n"
        " * https://rabbitmq.com/networking.html\n"
    ),
    "check_if_node_is_mirror_sync_critical": (
        "check_if_node_is_mirror_sync_critical [--timeout <timeout>]\n\n"
        "Health check that exits with a non-zero code if there are classic mirrored queues without "
        "online synchronised mirrors (queues that would potentially lose data if the target node is shut "
        "down).\n"
    ),
    "check_if_node_is_quorum_critical": (
        "check_if_node_is_quorum_critical [--timeout <timeout>]\n\n"
        "Health check that exits with a non-zero code if there are queues with minimum online quorum "
        "(queues that would lose their quorum if the target node is shut down).\n"
    ),
    "check_local_alarms": (
        "check_local_alarms [--timeout <timeout>]\n\n"
        "Health check that exits with a non-zero code if the target node reports any local alarms.\n"
    ),
    "check_port_connectivity": (
        "check_port_connectivity [--timeout <timeout>]\n\n"
        "Basic TCP connectivity health check for each listener's port on the target node.\n"
    ),
    "check_port_listener": (
        "check_port_listener <port> [--timeout <timeout>]\n\n"
        "Health check that exits with a non-zero code if target node does not have an active listener "
        "for given port.\n"
    ),
    "check_protocol_listener": (
        "check_protocol_listener <protocol> [--timeout <timeout>]\n\n"
        "Health check that exits with a non-zero code if target node does not have an active listener "
        "for given protocol.\n"
    ),
    "check_running": (
        "check_running [--timeout <timeout>]\n\n"
        "Health check that exits with a non-zero code if the RabbitMQ app on the target node is not "
        "running.\n"
    ),
    "check_virtual_hosts": (
        "check_virtual_hosts [--timeout <timeout>]\n\n"
        "Health check that checks if all vhosts are running in the target node.\n"
    ),
    "cipher_suites": (
        "cipher_suites [--format <openssl | erlang | map>] [--all] [--timeout <timeout>]\n\n"
        "Lists cipher suites enabled by default. To list all available cipher suites, add the --all "
        "argument..\n\n\n"
        "Arguments and Options\n\n"
        "--format\n"
        "\toutput format to use: openssl, erlang or map\n\n"
        "--all\n"
        "\tlist all available suites\n"
    ),
    "clear_global_parameter": (
        "clear_global_parameter <name>\n\n"
        "Clears a global runtime parameter.\n\n\n"
        "Arguments and Options\n\n"
        "<name>\n"
        "\tparameter name (identifier)\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/parameters.html\n"
    ),
    "clear_operator_policy": (
        "clear_operator_policy [--vhost <vhost>] <name>\n\n"
        "Clears an operator policy.\n\n\n"
        "Arguments and Options\n\n"
        "<name>\n"
        "\tpolicy name (identifier)\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/parameters.html\n"
    ),
    "clear_parameter": (
        "clear_parameter [--vhost <vhost>] <component_name> <name>\n\n"
        "Clears a runtime parameter..\n\n\n"
        "Arguments and Options\n\n"
        "<component_name>\n"
        "\tcomponent name\n\n"
        "<name>\n"
        "\tparameter name (identifier)\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/parameters.html\n"
    ),
    "clear_password": (
        "clear_password <username>\n\n"
        "Clears (resets) password and disables password login for a user.\n\n\n"
        "Arguments and Options\n\n"
        "<username>\n"
        "\tName of the user whose password should be cleared\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/access-control.html\n"
    ),
    "clear_permissions": (
        "clear_permissions [--vhost <vhost>] <username>\n\n"
        "Revokes user permissions for a vhost.\n\n\n"
        "Arguments and Options\n\n"
        "<username>\n"
        "\tName of the user whose permissions should be revoked\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/access-control.html\n"
    ),
    "clear_policy": (
        "clear_policy [--vhost <vhost>] <name>\n\n"
        "Clears (removes) a policy.\n\n\n"
        "Arguments and Options\n\n"
        "<name>\n"
        "\tName of policy to clear (remove)\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/parameters.html\n"
    ),
    "clear_topic_permissions": (
        "clear_topic_permissions [--vhost <vhost>] <username> [<exchange>]\n\n"
        "Clears user topic permissions for a vhost or exchange.\n\n\n"
        "Arguments and Options\n\n"
        "<username>\n"
        "\tName of the user whose topic permissions should be revoked\n\n"
        "<exchange>\n"
        "\tExchange the permissions are for\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/access-control.html\n"
    ),
    "clear_user_limits": (
        "clear_user_limits <username> <limit_type> | all\n\n"
        "Clears user connection/channel limits.\n\n\n"
        "Arguments and Options\n\n"
        "<username>\n"
        "\tSelf-explanatory\n\n"
        "<limit_type>\n"
        "\tLimit type, must be max-connections or max-channels\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/access-control.html\n"
    ),
    "clear_vhost_limits": (
        "clear_vhost_limits [--vhost <vhost>]\n\n"
        "Clears virtual host limits.\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/virtual-hosts.html\n"
    ),
    "close_all_connections": (
        "close_all_connections [--vhost <vhost> --limit <limit>] [-n <node> --global] "
        "[--per-connection-delay <delay>] <explanation>\n\n"
        "Instructs the broker to close all connections for the specified vhost or entire RabbitMQ node.\n\n\n"
        "Arguments and Options\n\n"
        "--global\n"
        "\tconsider connections across all virtual hosts\n\n"
        "--limit <number>\n"
        "\tclose up to this many connections\n\n"
        "--per-connection-delay <milliseconds>\n"
        "\tinject a delay between closures\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/connections.html\n"
    ),
    "close_all_user_connections": (
        "close_all_user_connections <username> <explanation>\n\n"
        "Instructs the broker to close all connections of the specified user.\n\n\n"
        "Arguments and Options\n\n"
        "<username>\n"
        "\tSelf-explanatory\n\n"
        "<explanation>\n"
        "\treason for connection closure, will be logged and provided to clients\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/connections.html\n"
    ),
    "close_connection": (
        "close_connection <connection pid> <explanation>\n\n"
        "Instructs the broker to close the connection associated with the Erlang process id.\n\n\n"
        "Arguments and Options\n\n"
        "<connection pid>\n"
        "\tconnection identifier (Erlang PID), see list_connections\n\n"
        "<explanation>\n"
        "\treason for connection closure\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/connections.html\n"
    ),
    "cluster_status": (
        "cluster_status [--timeout <timeout>]\n\n"
        "Displays all the nodes in the cluster grouped by node type, together with the currently running "
        "nodes.\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/clustering.html\n\n"
        " * https://rabbitmq.com/cluster-formation.html\n\n"
        " * https://rabbitmq.com/monitoring.html\n"
    ),
    "command_line_arguments": (
        "command_line_arguments\n\n"
        "Displays target node's command-line arguments and flags as reported by the runtime.\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/configure.html\n\n"
        " * https://rabbitmq.com/monitoring.html\n"
    ),
    "consume_event_stream": (
        "consume_event_stream [--duration|-d <seconds>] [--pattern <pattern>] [--timeout <timeout>]\n\n"
        "Streams internal events from a running node. Output is jq-compatible..\n\n\n"
        "Arguments and Options\n\n"
        "<duration_in_seconds>\n"
        "\tduration in seconds to stream log. Defaults to infinity\n\n"
        "<pattern>\n"
        "\tregular expression to pick events\n"
    ),
    "decode": (
        "decode value passphrase [--cipher <cipher>] [--hash <hash>] [--iterations <iterations>]\n\n"
        "Decrypts an encrypted configuration value.\n\n\n"
        "Arguments and Options\n\n"
        "<value>\n"
        "\tconfig value to decode\n\n"
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
    "delete_queue": (
        "delete_queue <queue_name> [--if-empty|-e] [--if-unused|-u] [--timeout <timeout>]\n\n"
        "Deletes a queue.\n\n\n"
        "Arguments and Options\n\n"
        "<queue_name>\n"
        "\tname of the queue to delete\n\n"
        "--if-empty\n"
        "\tdelete the queue if it is empty (has no messages ready for delivery)\n\n"
        "--if-unused\n"
        "\tdelete the queue only if it has no consumers\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/queues.html\n"
    ),
    "delete_user": (
        "delete_user <username>\n\n"
        "Removes a user from the internal database. Has no effect on users provided by external backends "
        "such as LDAP.\n\n\n"
        "Arguments and Options\n\n"
        "<username>\n"
        "\tName of the user to delete.\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/access-control.html\n"
    ),
    "delete_vhost": (
        "delete_vhost <vhost>\n\n"
        "Deletes a virtual host.\n\n\n"
        "Arguments and Options\n\n"
        "<vhost>\n"
        "\tName of the virtual host to delete.\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/virtual-hosts.html\n"
    ),
    "disable_auth_attempt_source_tracking": (
        "disable_track_auth_attempt_source\n\n"
        "Disables the tracking of peer IP address and username of authentication attempts.\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/access-control.html\n\n"
        " * https://rabbitmq.com/monitoring.html\n"
    ),
    "discover_peers": (
        "discover_peers [--timeout <timeout>]\n\n"
        "Performs peer discovery and lists discovered nodes, if any.\n"
    ),
    "enable_auth_attempt_source_tracking": (
        "enable_auth_attempt_source_tracking\n\n"
        "Enables the tracking of peer IP address and username of authentication attempts.\n\n\n"
        "Relevant Doc Guides\n\n"
        " * https://rabbitmq.com/access-control.html\n\n"
        " * https://rabbitmq.com/monitoring.html\n"
    ),
}
