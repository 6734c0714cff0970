import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Authority, writeCertificateFolder, type CertificateRequest } from '@leasehold/development-ca';
import { onTestFinished } from 'vitest';
import { Certificates, type CertificatesOptions } from './certificates.js';
import type { TlsFiles } from './tls-material.js';

/** The certificate files of one process, and an authority that they come from. Removed when the test ends. */
export async function certificateFiles(authority: Authority, o: CertificateRequest = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'leasehold-certificates-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const files: TlsFiles = await writeCertificateFolder(folder, await authority.issue(o), authority);
  return {
    files,
    /** As a rotation does: the files one after the other, under the process's hands. */
    replace: async (by: Authority, request: CertificateRequest = o) => { await writeCertificateFolder(folder, await by.issue(request), by, { replace: true }); },
  };
}

/** Looks at the files often enough for a test. */
export function watched(files: TlsFiles, o: CertificatesOptions = {}): Certificates {
  const certificates = Certificates.open(files, { everyMs: 10, ...o });
  onTestFinished(() => certificates.stop());
  return certificates;
}
