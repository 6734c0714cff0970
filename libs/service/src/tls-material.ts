import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';

/** Where the PEM files of a process lie: whom it trusts, who it is, and the key that proves it. */
export interface TlsFiles {
  /** One or more certificates of authorities; during a change of authority the old and the new one. */
  readonly ca: string;
  /** The process's own certificate, intermediate ones behind it. */
  readonly certificate: string;
  readonly key: string;
}

/** What the files held, checked to be of use together. */
export interface TlsMaterial {
  readonly ca: Buffer;
  readonly certificate: Buffer;
  readonly key: Buffer;
  /** When the own certificate ends. */
  readonly notAfter: Date;
}

const pemCertificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Reads the three files and makes sure that they belong together.
 * @throws Error that names the file and what is wrong with it; never shows what it holds.
 */
export function readTlsMaterial(files: TlsFiles): TlsMaterial {
  const [ca, certificate, key] = [read(files.ca), read(files.certificate), read(files.key)];
  certificatesIn(ca, files.ca);
  const [own] = certificatesIn(certificate, files.certificate);
  try {
    createSecureContext({ ca, cert: certificate, key });
  } catch {
    throw new Error(`${files.key}: holds no PEM key that belongs to ${files.certificate}`);
  }
  return { ca, certificate, key, notAfter: new Date(own.validTo) };
}

export const isSameMaterial = (one: TlsMaterial, other: TlsMaterial): boolean =>
  one.ca.equals(other.ca) && one.certificate.equals(other.certificate) && one.key.equals(other.key);

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new Error(`${path}: cannot be read (${error instanceof Error && 'code' in error ? String(error.code) : 'unknown'})`, { cause: error });
  }
}

/** Node ignores what is no certificate in a list of authorities, and then trusts nobody without a word. */
function certificatesIn(bytes: Buffer, path: string): [X509Certificate, ...X509Certificate[]] {
  try {
    const [first, ...more] = (bytes.toString('latin1').match(pemCertificate) ?? []).map((pem) => new X509Certificate(pem));
    if (first !== undefined) return [first, ...more];
  } catch {
    // Told below.
  }
  throw new Error(`${path}: holds no PEM certificate`);
}
