# SPDX-License-Identifier: MIT
# The Debian packages of the project, and their installation. tools/quickstart and tests/run source this file, which has the
# only lists. It never changes an installed package, and prints every package that it installs.
# shellcheck shell=bash

packages_build=(gcc libc6-dev make cmake pkg-config
                libfyaml-dev liblo-dev libmodbus-dev libncurses-dev libjansson-dev libmicrohttpd-dev libhdf5-dev libxml2-dev libzip-dev)
packages_page=(libjs-three) # three.js for ali3-view and ali3-sim --view, when they run
packages_mjcf=(libmujoco-dev) # MJCF in ali3-import, on systems that have it; a build without it reads URDF only
packages_client=(liblo-tools mbpoll python3)
packages_test=("${packages_client[@]}" "${packages_page[@]}" libcmocka-dev ninja-build curl iproute2 strace tshark clang libclang-rt-dev clang-format g++ rt-tests stress-ng
               gnuplot-nox socat mandoc groff-base parallel python3-yaml python3-jsonschema python3-h5py python3-numpy python3-pytest mypy python3-pymodbus python3-serial python3-serial-asyncio)
packages_cluster=(slurm-wlm munge) # soak/slurm
packages_tidy=(clang-tidy)
packages_browser=(chromium chromium-driver python3-selenium) # tests/e2e/soak_view.py, test_page.py
packages_package=(dpkg-dev debhelper dh-python fakeroot) # tools/package
packages_lint_packages=(lintian blhc) # tests/on/packages
packages_prove=(frama-c-base why3 cvc4)
packages_chroot=(mmdebstrap debian-archive-keyring)
packages_arm64=(mmdebstrap debian-archive-keyring gcc-aarch64-linux-gnu qemu-user-static)
packages_vm=(mmdebstrap genext2fs e2fsprogs qemu-system-x86)

# packages_system: warns on a system on which these lists were not tried.
packages_system()
{
  local system
  # shellcheck source=/dev/null # a subshell: the file sets many names
  system=$(. /etc/os-release 2>/dev/null && echo "${ID:-} ${VERSION_ID:-}") || system=
  case $system in
  "debian 12" | "debian 13") ;;
  *) echo "note: these packages were tried on Debian 12 and 13 only; this is ${system:-an unknown system}" >&2 ;;
  esac
}

# packages_missing NAME...: prints the names that are not installed, on one line.
packages_missing()
{
  local name missing=()
  for name in "$@"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || missing+=("$name")
  done
  echo "${missing[*]}"
}

# packages_known NAME...: prints the names that the lists of the system have, each on a line.
packages_known()
{
  local name
  for name in "$@"; do
    if apt-cache show "$name" >/dev/null 2>&1; then echo "$name"; fi
  done
}

# packages_need NAME...: installs missing packages; if it cannot, prints the command to run and returns 1.
# ALI3_PACKAGES=skip leaves the installation to the user (another distribution, own builds of the libraries).
packages_need()
{
  local missing root=()
  [ "${ALI3_PACKAGES:-}" = skip ] && return 0
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "This system has no apt-get. Install the contents of these Debian packages, then set ALI3_PACKAGES=skip: $*" >&2
    return 1
  fi
  missing=$(packages_missing "$@")
  [ -z "$missing" ] && return 0

  echo "Missing Debian packages: $missing"
  if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null; then
      echo "Installing needs root, and this system has no sudo. As root:  apt-get install $missing" >&2
      return 1
    fi
    root=(sudo)
  fi
  local install=(env DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet --no-install-recommends
                 -o DPkg::Lock::Timeout=300)
  # The package lists may be absent (a fresh container) or stale: fetch them only then.
  # shellcheck disable=SC2086 # one word per package
  if ! apt-get --simulate install $missing >/dev/null 2>&1 || ! "${root[@]}" "${install[@]}" $missing; then
    "${root[@]}" apt-get update --quiet && "${root[@]}" "${install[@]}" $missing
  fi
  missing=$(packages_missing "$@")
  [ -z "$missing" ] && return 0
  echo "Could not install: $missing. See the messages above; by hand:  ${root[*]} apt-get install $missing" >&2
  return 1
}

# packages_depends DEB...: the packages that these packages of ours depend on, without versions, alternatives and ours; a line each.
packages_depends()
{
  local deb
  for deb in "$@"; do dpkg-deb -f "$deb" Depends; done | tr ',' '\n' | sed 's/(.*//; s/|.*//; s/:any//; s/ //g' |
    grep -vE '^(lib|python3-)?ali3|^$' | sort -u
}
