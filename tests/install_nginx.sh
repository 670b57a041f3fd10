#!/bin/sh
# Installs Debian's nginx for tests/classroom/test_behind_nginx.py, as root or by sudo: some 1 MB to fetch.
set -eu
! PATH=$PATH:/usr/sbin command -v nginx >/dev/null || exit 0
if ! command -v apt-get >/dev/null; then
  echo "There is no apt-get here: install nginx by other means." >&2
  exit 1
fi
as_root=
[ "$(id -u)" -eq 0 ] || as_root="sudo -n"
$as_root apt-get update -qq
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends nginx >/dev/null
