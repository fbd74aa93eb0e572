#!/bin/sh
# Prints the path of a Node.js that has a test runner (18 or newer); installs Debian's nodejs where there is none.
set -eu

find_node() {
    command -v node >/dev/null || return 1
    major=$(node --version | sed 's/^v\([0-9]*\).*/\1/')
    [ "$major" -ge 18 ] || return 1
    command -v node
}

if find_node; then exit 0; fi

. "$(dirname "$0")/apt_install.sh"
apt_install nodejs >&2 || {
    echo "The tests of the page's scripts need Node.js 18 or newer, and it could not be installed here." >&2
    echo "Install it by hand (on Debian and Ubuntu: apt-get install nodejs), then run this again." >&2
    exit 1
}
find_node
