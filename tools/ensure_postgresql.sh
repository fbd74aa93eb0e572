#!/bin/sh
# Prints the directory of initdb and pg_ctl; installs Debian's package where there is none. Only private servers on
# directories of their own are started with it.
set -eu

find_bin() {
    for bin in $(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V -r) "$(dirname "$(command -v initdb || echo /none/x)")"; do
        if [ -x "$bin/initdb" ] && [ -x "$bin/pg_ctl" ]; then echo "$bin"; return 0; fi
    done
    return 1
}

if find_bin; then exit 0; fi

. "$(dirname "$0")/apt_install.sh"
apt_install postgresql >&2 || true
if ! find_bin; then
    echo "Testing with PostgreSQL needs its server: apt-get install postgresql" >&2
    exit 1
fi
