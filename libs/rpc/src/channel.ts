import { isIPv4, isIPv6 } from 'node:net';
import { connectivityState, type ChannelOptions, type ServiceConfig } from '@grpc/grpc-js';
import { isLoopback } from '@leasehold/service';

/** Connections are asked for a sign of life every `everyMs` and given up after `timeoutMs` without one. */
export interface Keepalive {
  everyMs: number;
  timeoutMs: number;
}

/** A peer that vanished without a word is noticed within 25 s. */
const KEEPALIVE: Keepalive = { everyMs: 20_000, timeoutMs: 5_000 };

export const keepaliveOptions = ({ everyMs, timeoutMs }: Keepalive = KEEPALIVE): ChannelOptions =>
  ({ 'grpc.keepalive_time_ms': everyMs, 'grpc.keepalive_timeout_ms': timeoutMs });

/** gRPC's own default, 4 MiB. */
export const DEFAULT_MAX_RECEIVE_BYTES = 4 * 1024 * 1024;

const HOST_PORT = /^(?:\[(?<v6>[^\]]+)\]|(?<name>[^:[\]]+)):(?<port>\d{1,5})$/;

/**
 * The gRPC target of `host:port` addresses (IPv6 in brackets); `localhost` counts as 127.0.0.1 so that it may be one of several.
 * Names other than that are looked up, and all addresses behind them are used.
 * @throws Error for what is no address, for several of which not all are IPv4 or all IPv6, and for hosts beyond this machine when the channel is plaintext.
 */
export function targetOf(addresses: readonly string[], o: { secure?: boolean } = {}): string {
  const parsed = addresses.map((address) => {
    const { v6, name, port } = HOST_PORT.exec(address)?.groups ?? {};
    const host = v6 ?? (name?.toLowerCase() === 'localhost' ? '127.0.0.1' : name);
    if (host === undefined || port === undefined) throw new Error(`${address} is no host:port`);
    if (o.secure !== true && !isLoopback(host)) throw new Error(`${address}: calls are plaintext and may only go to this machine (127.0.0.0/8, ::1, localhost)`);
    return { host, port };
  });
  if (parsed.length === 0) throw new Error('at least one address is needed');
  if (parsed.every(({ host }) => isIPv4(host))) return `ipv4:${parsed.map(({ host, port }) => `${host}:${port}`).join(',')}`;
  if (parsed.every(({ host }) => isIPv6(host))) return `ipv6:${parsed.map(({ host, port }) => `[${host}]:${port}`).join(',')}`;
  const [only, ...others] = parsed;
  if (only !== undefined && others.length === 0) return `dns:${only.host}:${only.port}`;
  throw new Error(`${addresses.join(', ')}: the addresses of one client must be all IPv4 or all IPv6`);
}

export function channelOptions(o: { maxReceiveBytes: number; keepalive: Keepalive | undefined; secure: boolean; retried: readonly { service: string; method: string }[] }): ChannelOptions {
  const config: ServiceConfig = {
    loadBalancingConfig: [{ round_robin: {} }],
    // Only UNAVAILABLE, and only for methods whose repeat is harmless: the server may have done the work before it went away.
    methodConfig: o.retried.length === 0 ? [] : [{
      name: [...o.retried],
      retryPolicy: { maxAttempts: 4, initialBackoff: '0.1s', maxBackoff: '1s', backoffMultiplier: 2, retryableStatusCodes: ['UNAVAILABLE'] },
    }],
  };
  return {
    ...keepaliveOptions(o.keepalive),
    'grpc.keepalive_permit_without_calls': 1,
    'grpc.service_config': JSON.stringify(config),
    'grpc.service_config_disable_resolution': 1,
    'grpc.max_receive_message_length': o.maxReceiveBytes,
    // Each client has connections of its own: a caller that tries another connection must not get the same one again.
    'grpc.use_local_subchannel_pool': 1,
    // gRPC waits up to 2 min between attempts to connect. In a rolling restart the next server stops as soon as this one is back: it must be connected
    // to before a call that found both away has used up its retries.
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 250,
    // The server is known by its certificate's role. TLS knows no server names that are addresses, which is what most targets are.
    ...(o.secure ? { 'grpc.ssl_target_name_override': 'leasehold' } : {}),
    'grpc.enable_http_proxy': 0,
    'grpc.enable_channelz': 0,
  };
}

export type ChannelState = 'idle' | 'connecting' | 'ready' | 'failing' | 'closed';

export function channelStateOf(state: connectivityState): ChannelState {
  switch (state) {
    case connectivityState.IDLE: return 'idle';
    case connectivityState.CONNECTING: return 'connecting';
    case connectivityState.READY: return 'ready';
    case connectivityState.TRANSIENT_FAILURE: return 'failing';
    case connectivityState.SHUTDOWN: return 'closed';
  }
}
