#!/bin/bash
# Makes the Python environments of the zoo, outside the tree: some 10 GB, most of
# it torch's. Takes no time when they are there.
#
# usage: utils/zoo/install.sh [venv | venv-genai | venv-tensorflow]
#   a name makes that one alone; utils/held_out.py needs venv

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
cache="${XDG_CACHE_HOME:-$HOME/.cache}/onnxc/zoo"

# make_environment NAME REQUIREMENTS [NAME of another, whose packages it sees]
# Its copy of the requirements says for which version of that file it was made.
make_environment() {
  local venv="$cache/$1" requirements="$2"
  if ! cmp -s "$requirements" "$venv/requirements.txt"; then
    echo "making the Python environment $venv"
    python3 -m venv --clear "$venv"
    [ -z "${3-}" ] || echo "$cache/$3"/lib/python3*/site-packages > "$(echo "$venv"/lib/python3*/site-packages)/others.pth"
    "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$requirements"
    cp "$requirements" "$venv/requirements.txt"
  fi
}

case "${1:-all}" in
  all | venv | venv-genai | venv-tensorflow) wanted="${1:-all}" ;;
  *) sed -n '2,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]##*/}"; exit 2 ;;
esac

# is_wanted NAME [NAME of another, which needs it]
is_wanted() { [[ "$wanted" == all || " $* " == *" $wanted "* ]]; }

! is_wanted venv venv-genai || make_environment venv requirements.txt
! is_wanted venv-genai || make_environment venv-genai requirements-genai.txt venv
! is_wanted venv-tensorflow || make_environment venv-tensorflow requirements-tensorflow.txt
