#!/bin/sh
# Sees to the software drivers that the rendering tests draw with: Mesa's lavapipe (Vulkan) and llvmpipe (EGL).
# Installs what is missing where it may (Debian and its kin, as root), and says in one line what is missing else.
set -u

found() { # -> whether bv-gpu's own list of drivers holds $1
    "$tool" adapters --backend "$1" 2>/dev/null | grep -q '"adapter"'
}

tool=${1:-target/release/bv-gpu}
missing=
found vulkan || missing="mesa-vulkan-drivers libvulkan1"
found egl || missing="$missing libegl1 libgl1-mesa-dri"
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    # shellcheck disable=SC2086 # a list of packages
    if ! DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing >/dev/null 2>&1; then
        apt-get update -q >/dev/null 2>&1
        # shellcheck disable=SC2086
        DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing >/dev/null 2>&1
    fi
fi
for sort in vulkan egl; do
    found "$sort" || echo "driver.sh: no $sort driver: bv-gpu's rendering tests do without it; install $missing" >&2
done
exit 0
