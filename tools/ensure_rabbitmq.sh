#!/bin/sh
# Prints the home of RabbitMQ 3.10.8; installs Debian's package where there is none. The system's own node is neither
# started nor used: what needs a broker starts a private one.
set -eu

version=3.10.8

find_home() {
    command -v erlc >/dev/null && command -v epmd >/dev/null || return 1
    home=/usr/lib/rabbitmq/lib/rabbitmq_server-$version
    [ -x "$home/sbin/rabbitmq-server" ] || return 1
    echo "$home"
}

if find_home; then exit 0; fi

. "$(dirname "$0")/apt_install.sh"

status=0
apt_install_without_starting "rabbitmq-server=$version*" erlang-base >&2 || status=1

if [ "$status" -ne 0 ] || ! find_home; then
    echo "Running the real broker needs RabbitMQ $version, and it could not be installed here." >&2
    echo "Debian 12 (bookworm) has it: apt-get install rabbitmq-server" >&2
    exit 1
fi
