#!/bin/sh
# enter_root.sh ROOT PROGRAM [ARGUMENT ...]: runs a program in the system below ROOT, where /proc, /dev and /tmp are this
# machine's. What is mounted for that is seen by this program alone, and gone with it.
set -eu

exec unshare --mount --propagation private sh -c '
    root=$1
    shift
    for each in /proc /dev /tmp; do mount --rbind "$each" "$root$each"; done
    exec chroot "$root" "$@"' enter "$@"
