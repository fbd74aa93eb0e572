#!/bin/sh
# Prints the path of npm, which installs the checkers of the page's scripts; installs the distribution's where there is none.
set -eu

here=$(dirname "$0")
"$here/ensure_node.sh" >/dev/null
if command -v npm; then exit 0; fi

. "$here/apt_install.sh"
apt_install npm >&2 || {
    echo "Checking the page's scripts needs npm, and it could not be installed here." >&2
    echo "Install it by hand (on Debian and Ubuntu: apt-get install npm), then run this again." >&2
    exit 1
}
command -v npm
