# Sourced by the ensure scripts: apt_install PACKAGE..., as root or through sudo; fails where neither works.

# apt fails while another one installs: tests that run at the same time wait for each other.
one_at_a_time() {
    (flock 9 && "$@" 9>&-) 9> "${TMPDIR:-/tmp}/waterline-apt-$(id -u)"
}

apt_install() {
    one_at_a_time install_packages "$@"
}

# Debian starts a service as soon as it is installed, unless this file says no.
apt_install_without_starting() {
    one_at_a_time install_without_starting "$@"
}

install_packages() {
    command -v apt-get >/dev/null || { echo "apt-get is not on this machine." >&2; return 1; }
    as_root=""
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || { echo "Installing $* needs root or sudo." >&2; return 1; }
        as_root="sudo"
    fi
    echo "Installing $* from the distribution's packages ..."
    $as_root apt-get update -q </dev/null || return 1
    $as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -q --no-install-recommends "$@" </dev/null || return 1
}

install_without_starting() {
    policy=/usr/sbin/policy-rc.d
    sudo_or_not=""
    if [ "$(id -u)" -ne 0 ]; then sudo_or_not="sudo"; fi
    added=""
    if [ ! -e "$policy" ] && [ -d /usr/sbin ] && command -v apt-get >/dev/null; then
        printf '#!/bin/sh\nexit 101\n' | $sudo_or_not tee "$policy" >/dev/null 2>&1 && $sudo_or_not chmod 755 "$policy" && added=yes
    fi
    installed=0
    install_packages "$@" || installed=1
    if [ "$added" ]; then $sudo_or_not rm -f "$policy"; fi
    return "$installed"
}
