#!/bin/bash
# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Unpacks Debian's chromium-headless-shell and what it needs into
# ~/.cache/onnxc/chromium, for the test of the page of onnxc inspect: 300 MB, and
# nothing of the system is changed.
#
# usage: utils/install_chromium.sh

set -euo pipefail
folder="${XDG_CACHE_HOME:-$HOME/.cache}/onnxc/chromium"
[ ! -e "$folder/root/usr/lib/chromium/chromium-headless-shell" ] || exit 0
mkdir -p "$folder/debs"
cd "$folder/debs"
# Those that are not installed.
packages=$(apt-get install -s --no-install-recommends chromium-headless-shell | awk '/^Inst/ {print $2}')
apt-get download $packages fonts-dejavu-core
for package in *.deb; do
  dpkg -x "$package" "$folder/new"
done
mv "$folder/new" "$folder/root"
rm -rf "$folder/debs"
