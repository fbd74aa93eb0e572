#!/bin/sh
# Prints the program redis-server; installs Debian's package where there is none. Only private servers are started with
# it: the service that the package brings is not.
set -eu

if command -v redis-server; then exit 0; fi

. "$(dirname "$0")/apt_install.sh"
apt_install_without_starting redis-server >&2 || true
if ! command -v redis-server; then
    echo "The cluster's processes tell each other of classes through Redis: apt-get install redis-server" >&2
    exit 1
fi
