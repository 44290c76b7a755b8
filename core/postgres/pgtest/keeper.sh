# Keeps the tests' PostgreSQL: runs it as a child, and stops it when no test process is left, or at a time limit.
# $1 the shared directory, $2 PostgreSQL's binaries, $3 seconds to linger without tests, $4 seconds to live at most,
# then the options of postgres. Run by bash -c as the cluster's user; needs flock and setpriv (util-linux).
set -u
cd "$1" || exit 1
bin=$2 linger=$3 limit=$4
shift 4

# Whoever holds "keeper" keeps the cluster. Children don't inherit it (8>&-), so that it is free once this script is gone.
# A process that looks whether there is a keeper holds the lock for a moment: that is worth waiting for.
exec 8>keeper
flock -w 5 8 || exit 1

# pdeathsig: if this script is killed, PostgreSQL stops as well.
setpriv --pdeathsig INT "$bin/postgres" "$@" 8>&- &
postgres=$!
idle=0
SECONDS=0
while [ "$SECONDS" -lt "$limit" ] && [ -n "$(jobs -r 8>&-)" ]; do
    sleep 1 8>&-
    # Each test process holds "users" shared as long as it lives: who gets it exclusively is alone.
    if ! flock -n users true 8>&-; then idle=0; continue; fi
    idle=$((idle + 1))
    [ "$idle" -ge "$linger" ] || continue
    # Holding "gate", no test process can come in between the last look and the stop.
    exec 9>gate
    if flock -n 9 && flock -n users true 8>&- 9>&-; then break; fi
    exec 9>&-
    idle=0
done
kill -INT "$postgres" 2>/dev/null
wait "$postgres"
rm -rf data sock
