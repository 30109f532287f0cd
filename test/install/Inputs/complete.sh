# What bash completes behind these words, a line each.
# usage: bash complete.sh COMMAND WORD...
source "$(dirname "$0")/../../../share/bash-completion/completions/onnxc"
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE}
_onnxc
printf '%s\n' "${COMPREPLY[@]}"
