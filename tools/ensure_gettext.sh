#!/bin/sh
# Makes sure that GNU gettext is there: only collecting texts to translate needs it, not running the app.
set -eu

if command -v xgettext >/dev/null && command -v msgmerge >/dev/null; then exit 0; fi

. "$(dirname "$0")/apt_install.sh"
apt_install gettext || {
    echo "Collecting texts to translate needs GNU gettext, and it could not be installed here." >&2
    echo "Install it by hand (on Debian and Ubuntu: apt-get install gettext), then run this again." >&2
    exit 1
}
