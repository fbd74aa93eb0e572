#!/bin/sh
# ensure_rabbitmq_suite.sh RELEASE: prints the root of a small system with RabbitMQ 4.0.5 (suite trixie, Erlang/OTP 27) or
# 4.3.6 (sid, Erlang/OTP 29), in the user's cache, made where there is none (some minutes and 500 MB) from this machine's own
# package source. Its programs need a newer libc than this machine may have: tools/enter_root.sh runs them, as root.
# With WATERLINE_FETCH=no nothing is made: what is not here is said to be missing.
set -eu

release=$1
case "$release" in
    4.0.5) suite=trixie ;;
    4.3.6) suite=sid ;;
    *) echo "Which RabbitMQ? 4.0.5 and 4.3.6 are known." >&2; exit 2 ;;
esac
here=$(dirname "$0")
dest=${XDG_CACHE_HOME:-$HOME/.cache}/waterline/rabbitmq-$release
root=$dest/root

make_root() {
    . "$here/apt_install.sh"
    command -v debootstrap >/dev/null || apt_install_without_starting debootstrap
    source=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -m1 -E '/debian/?$')
    if [ ! -e "$dest/base-complete" ]; then
        rm -rf "$root"
        mkdir -p "$root"
        script=/usr/share/debootstrap/scripts/$suite
        [ -e "$script" ] || script=/usr/share/debootstrap/scripts/sid
        debootstrap --variant=minbase "$suite" "$root" "$source" "$script"
        : > "$dest/base-complete"
    fi
    # No service may be started by its package.
    printf '#!/bin/sh\nexit 101\n' > "$root/usr/sbin/policy-rc.d"
    chmod 755 "$root/usr/sbin/policy-rc.d"
    printf '127.0.0.1 localhost\n' > "$root/etc/hosts"
    enter="$here/enter_root.sh"
    "$enter" "$root" apt-get -q update
    DEBIAN_FRONTEND=noninteractive "$enter" "$root" apt-get -q -y --no-install-recommends install rabbitmq-server
    "$enter" "$root" apt-get clean
    test -d "$root/usr/lib/rabbitmq/lib/rabbitmq_server-$release" \
        || { echo "The suite $suite has another release by now:" "$root"/usr/lib/rabbitmq/lib/*; return 1; }
}

# Who comes while it is being made waits, and takes what was made.
if [ ! -e "$dest/complete" ] && [ "${WATERLINE_FETCH:-yes}" != no ]; then
    mkdir -p "$dest"
    exec 9> "$dest/lock"
    flock 9
fi
if [ ! -e "$dest/complete" ]; then
    if [ "${WATERLINE_FETCH:-yes}" = no ] || ! make_root >&2; then
        echo "RabbitMQ $release could not be made here: it needs root, debootstrap and Debian's suite $suite (amd64)." >&2
        exit 1
    fi
    : > "$dest/complete"
fi
echo "$root"
