import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Authority, writeCertificateFolder, type CertificateRequest } from '@leasehold/development-ca';
import { EchoResponse, EchoServiceService } from '@leasehold/echo-v1';
import { Certificates, createLogger, createRegistry } from '@leasehold/service';
import type { Registry } from 'prom-client';
import { onTestFinished } from 'vitest';
import type { AccessOf } from './access.js';
import type { CallerLimits } from './caller-limits.js';
import { createClient, type ClientOf } from './client.js';
import type { HandlersOf } from './definition.js';
import { ECHO_DOMAIN, image, type Echo } from './edges.fixture.js';
import { faults } from './faults.js';
import { GrpcServer } from './grpc-server.js';
import { service } from './service.js';

export const name = {
  coordinator: 'spiffe://leasehold/coordinator/one',
  ingest: 'spiffe://leasehold/ingest/main',
  worker: 'spiffe://leasehold/worker/image/one',
} as const;

/** The certificates of one process, from files that `rotate` replaces under its hands; it looks at them all the time. */
export interface Holder {
  readonly certificates: Certificates;
  /** Resolves when the process has taken the new ones up. */
  rotate(by: Authority, request?: CertificateRequest, trusted?: string): Promise<void>;
}

export async function holder(authority: Authority, request: CertificateRequest): Promise<Holder> {
  const folder = await mkdtemp(join(tmpdir(), 'leasehold-rpc-tls-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const certificates = Certificates.open(await writeCertificateFolder(folder, await authority.issue(request), authority), { everyMs: 10 });
  onTestFinished(() => certificates.stop());
  return {
    certificates,
    rotate: async (by, next = request, trusted = by.certificate) => {
      const issued = await by.issue(next);
      const done = new Promise<void>((resolve) => {
        const forget = certificates.onChange(({ material }) => {
          if (material.ca.toString() !== trusted || material.certificate.toString() !== issued.certificate) return;
          forget();
          resolve();
        });
      });
      await writeCertificateFolder(folder, issued, { certificate: trusted }, { replace: true });
      await done;
    },
  };
}

const openToAll: AccessOf<Echo> = { echo: () => undefined, discard: () => undefined, repeat: () => undefined, collect: () => undefined };
const unmeant = (): never => {
  throw faults('tested').unimplemented();
};

/** An echo server that shows its own name; it answers who it takes the caller for. */
export async function secureServer(certificates: Certificates, o: { access?: Partial<AccessOf<Echo>>; echo?: Partial<HandlersOf<Echo>>; host?: string; callerLimits?: CallerLimits; registry?: Registry } = {}): Promise<GrpcServer> {
  const handlers: HandlersOf<Echo> = {
    echo: async (_request, call) => EchoResponse.fromPartial({ note: { text: call.identity.id } }),
    discard: unmeant, repeat: unmeant, collect: unmeant, ...o.echo,
  };
  const server = new GrpcServer({
    host: o.host ?? '127.0.0.1', port: 0, certificates, logger: createLogger({ service: 'tested', level: 'silent' }), registry: o.registry ?? createRegistry('tested'),
    ...(o.callerLimits === undefined ? {} : { callerLimits: o.callerLimits }),
    services: [service(EchoServiceService, handlers, { domain: ECHO_DOMAIN, access: { ...openToAll, ...o.access } })],
    images: [image('@leasehold/google-rpc'), image('@leasehold/echo-v1')],
  });
  await server.start();
  onTestFinished(() => server.stop(AbortSignal.abort()));
  return server;
}

export function secureClient(server: GrpcServer | string, certificates: Certificates | undefined, role: 'coordinator' | 'ingest' = 'coordinator'): ClientOf<Echo> {
  const client = createClient(EchoServiceService, typeof server === 'string' ? server : server.address, { defaultTimeoutMs: 5_000, tls: certificates && { certificates, server: role } });
  onTestFinished(() => client.close());
  return client;
}
