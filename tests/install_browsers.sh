#!/bin/sh
# Installs Debian's Firefox and WebKit for `make test-browsers`, as root or by sudo: some 130 MB to fetch.
set -eu
is_there() { for program in firefox-esr WebKitWebDriver Xvfb; do command -v $program >/dev/null || return 1; done; }
! is_there || exit 0
if ! command -v apt-get >/dev/null; then
  echo "There is no apt-get here: install Firefox, and WebKit's driver, by other means." >&2
  exit 1
fi
as_root=
[ "$(id -u)" -eq 0 ] || as_root="sudo -n"
$as_root apt-get update -qq
$as_root env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -qq --no-install-recommends firefox-esr webkit2gtk-driver xvfb >/dev/null
