"""What rabbitmqctl prints when it refuses a line."""

from __future__ import annotations

from typing import Final

from engine.values.errors import EngineError

USAGE: Final = 64
UNREACHABLE: Final = 69
SOFTWARE: Final = 70


class CtlRefused(EngineError):
    """A line was not done; the message is what rabbitmqctl prints.

    Args:
        text: all lines that it prints.
        code: its exit code (64 usage, 65 a bad value, 69 the node refused).
    """

    def __init__(self, text: str, code: int = 64) -> None:
        super().__init__(text)
        self.text = text
        self.code = code


class NotHere(CtlRefused):
    """A line that the broker would do and Waterline does not; said as Waterline's remark, never as the broker's error.

    Args:
        what: a sentence about what is not here.
    """

    def __init__(self, what: str) -> None:
        super().__init__(f"Waterline: {what}\n")


TRACE: Final = """** (ArgumentError) errors were found at the given arguments:

  * 1st argument: not an already existing atom

    :erlang.binary_to_existing_atom("Elixir.RabbitMQ.CLI.Formatters.{module}", :utf8)
    (rabbitmqctl 3.10.0-dev) lib/rabbitmq/cli/core/config.ex:168: RabbitMQ.CLI.Core.Config.get_formatter/2
    (rabbitmqctl 3.10.0-dev) lib/rabbitmq/cli/core/parser.ex:174: RabbitMQ.CLI.Core.Parser.parse_command_specific/3
    (rabbitmqctl 3.10.0-dev) lib/rabbitmq/cli/core/parser.ex:77: RabbitMQ.CLI.Core.Parser.parse/1
    (rabbitmqctl 3.10.0-dev) lib/rabbitmqctl.ex:58: RabbitMQCtl.exec_command/2
    (rabbitmqctl 3.10.0-dev) lib/rabbitmqctl.ex:31: RabbitMQCtl.main/1
    (elixir 1.14.0) lib/kernel/cli.ex:131: anonymous fn/3 in Kernel.CLI.exec_fun/2
"""
"""What the command line of 3.10.8 prints for a formatter that it does not have."""
NO_NODE: Final = """Error: unable to perform an operation on node '{node}'. \
Please see diagnostics information and suggestions below.

Most common reasons for this are:

 * Target node is unreachable (e.g. due to hostname resolution, TCP connection or firewall issues)
 * CLI tool fails to authenticate with the server (e.g. due to CLI tool's Erlang cookie not matching that of the server)
 * Target node is not running

In addition to the diagnostics info below:

 * See the CLI, clustering and networking guides on https://rabbitmq.com/documentation.html to learn more
 * Consult server logs on node {node}
 * If target node is configured to use long node names, don't forget to use --longnames with CLI tools

DIAGNOSTICS
===========

attempted to contact: [{node}]

{node}:
  * unable to connect to epmd (port 4369) on {host}: nxdomain (non-existing domain)


Current node details:
 * node name: 'rabbitmqcli-1-rabbit@waterline'
 * effective user's home directory: /var/lib/rabbitmq
 * Erlang cookie hash: d2F0ZXJsaW5lAAAAAAAAAA==

"""

NO_CLAUSE: Final = """Setting memory threshold on {node} to {text} bytes ...
Stack trace:\x20

** (FunctionClauseError) no function clause matching in \
RabbitMQ.CLI.Ctl.Commands.SetVmMemoryHighWatermarkCommand.set_vm_memory_high_watermark_absolute/3
    (rabbitmqctl 3.10.0-dev) lib/rabbitmq/cli/ctl/commands/set_vm_memory_high_watermark_command.ex:135: \
RabbitMQ.CLI.Ctl.Commands.SetVmMemoryHighWatermarkCommand.set_vm_memory_high_watermark_absolute(\
{{{text}, ""}}, true, %{{longnames: false, node: :{node}, timeout: :infinity}})
    (rabbitmqctl 3.10.0-dev) lib/rabbitmqctl.ex:153: RabbitMQCtl.maybe_run_command/3
    (rabbitmqctl 3.10.0-dev) lib/rabbitmqctl.ex:121: anonymous fn/5 in RabbitMQCtl.do_exec_parsed_command/5
    (rabbitmqctl 3.10.0-dev) lib/rabbitmqctl.ex:584: RabbitMQCtl.maybe_with_distribution/3
    (rabbitmqctl 3.10.0-dev) lib/rabbitmqctl.ex:93: RabbitMQCtl.exec_command/2
    (rabbitmqctl 3.10.0-dev) lib/rabbitmqctl.ex:31: RabbitMQCtl.main/1
    (elixir 1.14.0) lib/kernel/cli.ex:131: anonymous fn/3 in Kernel.CLI.exec_fun/2

Error:
:function_clause

"""
"""What the command line of 3.10.8 prints for an absolute watermark below 0."""


def without_formatter(name: str) -> CtlRefused:
    """Return how the command line ends where it has no such formatter."""
    module = "".join(part.capitalize() for part in name.split("_"))
    return CtlRefused(TRACE.format(module=module), 1)


def unreachable(node: str) -> CtlRefused:
    """Return how the command line ends where it finds no such node."""
    name, _, host = node.partition("@")
    return CtlRefused(
        NO_NODE.format(node=f"{name}@{host or 'waterline'}", host=host or "waterline"), UNREACHABLE
    )


def no_clause(node: str, text: str) -> CtlRefused:
    """Return how the command line ends at an absolute watermark below 0."""
    return CtlRefused(NO_CLAUSE.format(node=node, text=text), SOFTWARE)
