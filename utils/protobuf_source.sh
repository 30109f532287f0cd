#!/bin/bash
# Prints the folder of protobuf's sources, of the version that is installed as a
# Debian package; gets them from where packages come from the first time.
#
# usage: utils/protobuf_source.sh

set -euo pipefail
version="$(dpkg-query -W -f '${source:Version}' libprotobuf-dev)"
home="${XDG_CACHE_HOME:-$HOME/.cache}/onnxc"
folder="$home/protobuf-$version"
if [ ! -d "$folder" ]; then
  mkdir -p "$home"
  work="$(mktemp -d "$home/protobuf.XXXXXX")"
  trap 'rm -rf "$work"' EXIT
  # The machine's own list of places, for sources, and without a change to it.
  mkdir -p "$work/places" "$work/lists/partial" "$work/source"
  for file in /etc/apt/sources.list.d/*.sources; do
    [ -f "$file" ] && sed 's/^Types:.*/Types: deb-src/' "$file" >"$work/places/$(basename "$file")"
  done
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ -f "$file" ] && sed -n 's/^deb /deb-src /p' "$file" >"$work/places/$(basename "$file" .list).list"
  done
  apt=(apt-get -o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$work/places"
    -o "Dir::State::Lists=$work/lists" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=
    -o APT::Sandbox::User="$(id -un)" -o Debug::NoLocking=1)
  # Some places may have no sources.
  "${apt[@]}" -qq update >"$work/log" 2>&1 || true
  (cd "$work" && "${apt[@]}" -qq source --download-only "protobuf=$version") >>"$work/log" 2>&1 || {
    cat "$work/log" >&2
    echo "protobuf_source.sh: the sources of protobuf $version cannot be had" >&2
    exit 1
  }
  tar -C "$work/source" -xf "$work"/protobuf_*.orig.tar.* --strip-components=1
  # With the package's own changes.
  tar -C "$work" -xf "$work"/protobuf_*.debian.tar.*
  while read -r change; do
    patch -d "$work/source" -p1 --quiet --batch <"$work/debian/patches/$change"
  done < <(grep -vE '^(#|$)' "$work/debian/patches/series")
  rm -rf "$folder"
  mv "$work/source" "$folder"
fi
echo "$folder"
