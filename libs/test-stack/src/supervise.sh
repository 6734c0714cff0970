# Runs one server and stops it when the process that asked for it is gone, however that one ended.
# Arguments: the signal that stops the server then; a folder to remove after that, or ""; the server's command line.
# File descriptor 3 is connected with that process: it hears the server's process id, and its end is the parent's end.
signal=$1 discard=$2
shift 2
orphaned=
trap 'orphaned=yes; kill -s "$signal" "$server"' TERM
"$@" 3>&- &
server=$!
echo "$server" >&3
(
  trap - TERM
  read -r _ <&3
  # Again and again: a server that is only just starting ignores the first ones.
  while kill -s TERM $$; do sleep 1; done
) >/dev/null 2>&1 &
watcher=$!
exec 3>&-
wait "$server"
status=$?
# A trapped signal ends `wait` early.
while kill -0 "$server" 2>/dev/null; do
  wait "$server"
  status=$?
done
kill -s KILL "$watcher" 2>/dev/null
if [ -n "$orphaned" ] && [ -n "$discard" ]; then rm -rf "$discard"; fi
exit "$status"
