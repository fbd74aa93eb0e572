#!/bin/sh
# Prints where RabbitMQ 3.8.9 (Erlang/OTP 23) is: a root of its own in the user's cache, made where there is none (about a
# minute and 300 MB) from the packages of the distribution's suite bullseye, which this machine's own package source has.
# Nothing is installed into the system; a node of it is started only by who needs one.
set -eu

dest=${XDG_CACHE_HOME:-$HOME/.cache}/waterline/rabbitmq-3.8.9
root=$dest/root
packages="rabbitmq-server erlang-base erlang-asn1 erlang-crypto erlang-eldap erlang-inets erlang-mnesia erlang-os-mon
 erlang-parsetools erlang-public-key erlang-runtime-tools erlang-ssl erlang-syntax-tools erlang-tools erlang-xmerl
 erlang-ftp erlang-tftp erlang-snmp libssl1.1"

make_root() {
    apt=$dest/apt
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$dest/debs" "$root"
    : > "$apt/status"
    source=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -m1 -E '/debian/?$')
    echo "deb $source bullseye main" > "$apt/sources.list"
    set -- -q -o "Dir::Etc::sourcelist=$apt/sources.list" -o "Dir::Etc::sourceparts=/dev/null" \
        -o "Dir::State::Lists=$apt/lists" -o "Dir::Cache=$apt/cache" -o "Dir::State::status=$apt/status" \
        -o "APT::Sandbox::User=root"
    apt-get "$@" update
    missing=""
    for package in $packages; do
        ls "$dest/debs/${package}"_*.deb >/dev/null 2>&1 || missing="$missing $package"
    done
    [ -z "$missing" ] || (cd "$dest/debs" && apt-get "$@" download $missing)
    for deb in "$dest"/debs/*.deb; do dpkg -x "$deb" "$root"; done
    # erl and erlc name the directory absolutely in which the package would have put them.
    erlang=$root/usr/lib/erlang
    for file in "$erlang/bin/erl" "$erlang/bin/start" "$erlang"/erts-*/bin/erl "$erlang"/erts-*/bin/start; do
        if [ -f "$file" ] && [ ! -L "$file" ]; then sed -i "s|^ROOTDIR=.*|ROOTDIR=\"$erlang\"|" "$file"; fi
    done
}

unpack_headers() {
    # The compiler reads no header out of an archive.
    mkdir -p "$dest/libs"
    python3 -m zipfile -e "$(echo "$root"/usr/lib/rabbitmq/lib/rabbitmq_server-3.8.9/plugins/rabbit_common-*.ez)" \
        "$dest/libs"
}

# Who comes while it is being made waits, and takes what was made.
if [ ! -e "$dest/complete" ]; then
    mkdir -p "$dest"
    exec 9> "$dest/lock"
    flock 9
fi
if [ ! -e "$dest/complete" ]; then
    if ! { make_root && unpack_headers; } >&2; then
        echo "RabbitMQ 3.8.9 could not be made here: it needs apt, dpkg and Debian's suite bullseye (amd64)." >&2
        exit 1
    fi
    : > "$dest/complete"
fi
echo "$dest"
