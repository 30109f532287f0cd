# As ninja: steps of a build, and a status.
for i in $(seq 1 30); do
  echo "[$i/40] Building file $i"
  sleep 0.1
done
exit "$1"
