#!/bin/sh
# Makes a static executable of mnist.a and read_digits.c in a folder.
#
# usage: build.sh FOLDER          (CC: another compiler, such as musl-gcc)
set -eu
cd "$1"
${CC:-cc} -static -O2 -I include -I . read_digits.c mnist.a -lm -pthread -s -o read_digits
