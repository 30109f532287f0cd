#!/bin/bash
# Builds the site of the pages into build/site. A dead link, a page that the
# navigation leaves out, and anything else that MkDocs warns of is an error.
#
# usage: utils/site.sh [--serve]
#   --serve            shows it at http://127.0.0.1:8000, and follows changes
#   ONNXC_SOURCE_URL   where links to files lead that are not pages, such as
#                      https://github.com/NAME/onnxc/blob/main; without it their
#                      text is left

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Not --quiet: it hides warnings from --strict, too.
command=(build --strict)
case "${1:-}" in
  "") ;;
  --serve) command=(serve) ;;
  *) sed -n '2,10s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac

# Not that of the tests: its packages are of no use to them.
venv="${XDG_CACHE_HOME:-$HOME/.cache}/onnxc/site"
if ! cmp -s utils/site/requirements.txt "$venv/requirements.txt"; then
  echo "making the Python environment $venv"
  python3 -m venv --clear "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check -r utils/site/requirements.txt
  cp utils/site/requirements.txt "$venv/requirements.txt"
fi
# Material's notes on its own future do not concern the pages.
export NO_MKDOCS_2_WARNING=1
exec "$venv/bin/mkdocs" "${command[@]}"
