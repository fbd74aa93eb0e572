# Sourced by the ensure scripts: apt_install PACKAGE..., as root or through sudo; fails where neither works.

apt_install() {
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
