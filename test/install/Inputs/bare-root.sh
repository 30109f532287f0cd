# Compiles and runs a model in an empty root that has glibc and an installed onnxc.
#
# usage: bare-root.sh INSTALLED MODEL INPUT.npy ROOT

set -euo pipefail
installed="$1" model="$2" input="$3" root="$4"
mkdir -p "$root/lib64" "$root/lib/x86_64-linux-gnu" "$root/tmp"
cp -r "$installed" "$root/onnxc"
cp "$model" "$root/model.onnx"
cp "$input" "$root/input.npy"
cp -L /lib64/ld-linux-x86-64.so.2 "$root/lib64"
for name in libc.so.6 libm.so.6 libpthread.so.0 libdl.so.2 librt.so.1; do
  cp -L "/lib/x86_64-linux-gnu/$name" "$root/lib/x86_64-linux-gnu"
done
ls "$root/lib/x86_64-linux-gnu"
# $ORIGIN is found by /proc, which is not here.
export LD_LIBRARY_PATH=/onnxc/lib
chroot "$root" /onnxc/bin/onnxc /model.onnx -o /model.so
chroot "$root" /onnxc/bin/onnxc run /model.so --input /input.npy
