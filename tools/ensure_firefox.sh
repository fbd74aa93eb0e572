#!/bin/sh
# Prints the path of Firefox; installs Debian's firefox-esr, or firefox, where there is none.
set -eu

find_browser() {
    for name in firefox-esr firefox; do
        command -v "$name" && return 0
    done
    return 1
}

if find_browser; then exit 0; fi

. "$(dirname "$0")/apt_install.sh"
apt_install firefox-esr >&2 || apt_install firefox >&2 || {
    echo "This check needs Firefox on the PATH, and it could not be installed here." >&2
    echo "Install it by hand (on Debian: apt-get install firefox-esr), then run this again." >&2
    exit 1
}
find_browser
