# SPDX-License-Identifier: MIT
# The root folder of another Debian, made by mmdebstrap and kept. Sourced by tests/on/trixie and tests/on/arm64.
# shellcheck shell=bash

skip()
{
  echo "skip: $1"
  exit 77
}

# apt_sources SUITE FOLDER: writes this host's own apt sources into FOLDER, with SUITE in place of the host's suite. A host
# without Debian's sources gets Debian's public archive.
apt_sources()
{
  local suite=$1 folder=$2 own file
  own=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
    if grep -qsE "^(deb |Suites:)(.* )?$own( |\$)" "$file" && grep -qsE '^(deb |URIs:).*/debian/? ?' "$file"; then
      sed -E "s/\\b$own\\b/$suite/g" "$file" >"$folder/${file##*/}"
    fi
  done
  if [ -z "$(ls "$folder")" ]; then
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $suite main" \
      >"$folder/debian.list"
  fi
}

# root_make ROOT SUITE OPTIONS... -- PACKAGE...: makes ROOT, unless ROOT exists and was made with these arguments.
root_make()
{
  local root=$1 suite=$2 options=() key work status=0 begin=$SECONDS
  shift 2
  while [ "$1" != -- ]; do
    options+=("$1")
    shift
  done
  shift
  key="$suite ${options[*]} $*"
  [ "$(cat "$root.key" 2>/dev/null)" = "$key" ] && return 0

  echo "== making $root (minutes; it is kept)"
  work=$(mktemp -d)
  apt_sources "$suite" "$work"
  rm -rf "$root" "$root.key"
  mmdebstrap --quiet "${options[@]}" --include="$(IFS=,; echo "$*")" \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' "$suite" "$root" "$work"/* >"$root.log" 2>&1 || status=$?
  rm -rf "$work"
  if [ $status != 0 ]; then
    tail -n 20 "$root.log"
    grep -qE 'Could not (resolve|connect)|Failed to fetch|Temporary failure' "$root.log" && skip "no archive of Debian can be reached"
    grep -q 'unable to pick chroot mode' "$root.log" && skip "mmdebstrap needs root, or user namespaces with newuidmap (package uidmap)"
    echo "$root could not be made (status $status); the log is $root.log" >&2
    exit 1
  fi
  echo "$key" >"$root.key"
  echo "   made in $((SECONDS - begin)) s"
}
