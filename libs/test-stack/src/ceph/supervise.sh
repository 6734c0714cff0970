# Runs a Ceph of one monitor, one object daemon in memory and one S3 gateway, and ends all of it when the process that asked for it is gone.
# Argument: the folder with ceph.conf and keyring; LEASEHOLD_CEPH_ACCESS_KEY and _SECRET_KEY are those of its S3 user. File descriptor 3 is connected
# with the asking process: its end is the asker's end. Standard output says `started` once the gateway was launched.
set -eu
dir=$1
conf=$dir/ceph.conf

# In a session of its own, so that it outlives the group that it ends. Everything else here is in this shell's group.
setsid sh -c '
  read -r _ || :
  kill -s KILL -- "-$1"
  tries=0
  while kill -s 0 -- "-$1" 2>/dev/null && [ "$tries" -lt 40 ]; do tries=$((tries + 1)); sleep 0.05; done
  rm -rf "$2"
' leasehold-ceph-watcher "$$" "$dir" <&3 >/dev/null 2>&1 3>&- &
exec 3>&-

# Each daemon also dies with this shell, should somebody kill just that.
daemon() {
  setpriv --pdeathsig KILL "$@" -f -c "$conf" >>"$dir/daemons.log" 2>&1 &
}

exec 2>>"$dir/daemons.log"
monmaptool --create --clobber --fsid "$(sed -n 's/^fsid = //p' "$conf")" --addv a "$(sed -n 's/^mon_host = //p' "$conf")" "$dir/monmap" >&2
ceph-mon --mkfs -i a --monmap "$dir/monmap" --keyring "$dir/keyring" -c "$conf" >&2
daemon ceph-mon -i a
mon=$!
uuid=$(cat /proc/sys/kernel/random/uuid)
ceph -c "$conf" --connect-timeout 60 osd create "$uuid" 0 >&2
ceph-osd -i 0 -c "$conf" --mkfs --osd-uuid "$uuid" >&2
daemon ceph-osd -i 0
osd=$!
# The first client of the cluster makes the gateway's pools; two at once would make them twice.
radosgw-admin -c "$conf" user create --uid=leasehold --display-name=leasehold --access-key="$LEASEHOLD_CEPH_ACCESS_KEY" --secret-key="$LEASEHOLD_CEPH_SECRET_KEY" >/dev/null
daemon radosgw -n client.rgw
rgw=$!
echo started
while kill -s 0 "$mon" && kill -s 0 "$osd" && kill -s 0 "$rgw"; do sleep 1; done
exit 1
