#!/bin/sh
# Prints the path of a Chromium or Chrome; installs Debian's chromium-headless-shell, or chromium, where there is none.
set -eu

find_browser() {
    for name in chromium-headless-shell chromium chromium-browser google-chrome google-chrome-stable; do
        command -v "$name" && return 0
    done
    return 1
}

if find_browser; then exit 0; fi

. "$(dirname "$0")/apt_install.sh"
apt_install chromium-headless-shell >&2 || apt_install chromium >&2 || {
    echo "The browser tests need Chromium or Google Chrome on the PATH, and it could not be installed here." >&2
    echo "Install one of them by hand (on Debian and Ubuntu: apt-get install chromium), then run this again." >&2
    exit 1
}
find_browser
