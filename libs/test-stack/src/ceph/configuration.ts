import { randomBytes, randomUUID } from 'node:crypto';

export interface CephPorts {
  readonly monitor: number;
  readonly gateway: number;
}

/**
 * ceph.conf of a cluster in one folder and on loopback. Several may run at once: everything but the object daemon's ports, which it finds free
 * ones for itself, is in the folder or given here.
 */
export function configuration(dir: string, { monitor, gateway }: CephPorts): string {
  return `[global]
fsid = ${randomUUID()}
mon_host = [v2:127.0.0.1:${monitor}]
ms_bind_msgr1 = false
public_addr = 127.0.0.1
cluster_addr = 127.0.0.1
auth_cluster_required = cephx
auth_service_required = cephx
auth_client_required = cephx
auth_allow_insecure_global_id_reclaim = true
keyring = ${dir}/keyring
run_dir = ${dir}
log_file = ${dir}/$name.log
admin_socket =
pid_file =
${singleNode}
[mon.a]
mon_data = ${dir}/mon
[osd.0]
osd_data = ${dir}/osd
osd_objectstore = memstore
memstore_device_bytes = 2147483648
osd_op_num_shards = 1
[client.rgw]
rgw_frontends = beast endpoint=127.0.0.1:${gateway}
rgw_data = ${dir}/rgw
rgw_thread_pool_size = 32
rgw_run_sync_thread = false
`;
}

// A map of a cluster gathers changes for a second by default; the pools of a gateway are a dozen changes, one after the other.
const singleNode = `paxos_propose_interval = 0.02
paxos_min_wait = 0.01
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 1
osd_pool_default_pgp_num = 1
osd_pool_default_pg_autoscale_mode = off
osd_crush_chooseleaf_type = 0
osd_crush_update_on_start = true
crush_location = root=default host=localhost
mon_allow_pool_size_one = true
mon_max_pg_per_osd = 1000
mon_warn_on_pool_no_redundancy = false
mon_data_avail_crit = 1
mon_data_avail_warn = 1`;

/** Keys of the cluster's own parties; they are worth nothing outside of its folder. */
export function keyring(): string {
  const entity = (name: string, caps: readonly string[]): string => [`[${name}]`, `  key = ${cephKey()}`, ...caps.map((cap) => `  caps ${cap}`)].join('\n');
  return `${[
    entity('mon.', ['mon = "allow *"']),
    entity('client.admin', ['mon = "allow *"', 'osd = "allow *"', 'mgr = "allow *"']),
    entity('client.rgw', ['mon = "allow rwx"', 'osd = "allow rwx"']),
    entity('osd.0', ['mon = "allow profile osd"', 'osd = "allow *"']),
  ].join('\n')}\n`;
}

/** A CryptoKey as Ceph encodes it (auth/Crypto.cc): type AES as uint16, seconds and nanoseconds as uint32, length as uint16, 16 bytes. */
function cephKey(): string {
  const head = Buffer.alloc(12);
  head.writeUInt16LE(1, 0);
  head.writeUInt32LE(Math.trunc(Date.now() / 1000), 2);
  head.writeUInt16LE(16, 10);
  return Buffer.concat([head, randomBytes(16)]).toString('base64');
}
