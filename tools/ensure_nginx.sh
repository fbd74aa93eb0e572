#!/bin/sh
# Prints the program nginx; installs Debian's smallest package of it where there is none. Only private servers are
# started with it: the service that the package brings is not.
set -eu

find_nginx() {
    PATH="$PATH:/usr/sbin" command -v nginx
}

if find_nginx; then exit 0; fi

. "$(dirname "$0")/apt_install.sh"
apt_install_without_starting nginx-light >&2 || true
if ! find_nginx; then
    echo "The cluster needs nginx in front of its processes: apt-get install nginx-light" >&2
    exit 1
fi
