// The library's container needs it before it is loaded.
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import {
  BasicConstraintsExtension, ExtendedKeyUsage, ExtendedKeyUsageExtension, KeyUsageFlags, KeyUsagesExtension, PemConverter, SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension, AuthorityKeyIdentifierExtension, X509CertificateGenerator, X509Certificate, type Extension, type JsonGeneralName,
} from '@peculiar/x509';

/** A certificate and its private key (PKCS #8), both PEM. The key is a secret. */
export interface CertificateAndKey {
  readonly certificate: string;
  readonly key: string;
}

export interface Validity {
  /** Default: a minute ago, for peers whose clocks are behind. */
  readonly notBefore?: Date;
  /** Default: 90 days from now; of an authority 10 years. */
  readonly notAfter?: Date;
}

export interface CertificateRequest extends Validity {
  /** URI names, such as `spiffe://leasehold/operator/ada`. */
  readonly uris?: readonly string[];
  /** Host names and addresses that a server is reached by. */
  readonly hosts?: readonly string[];
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
// What every TLS library speaks, and quick to make: tests make many.
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/**
 * A certificate authority for development and tests: its key lies on disk or in memory, unprotected. What it issues serves both sides of
 * mTLS (server and client authentication).
 */
export class Authority {
  readonly #certificate: X509Certificate;
  readonly #keys: webcrypto.CryptoKeyPair;

  private constructor(certificate: X509Certificate, keys: webcrypto.CryptoKeyPair) {
    this.#certificate = certificate;
    this.#keys = keys;
  }

  /** @param o.name the common name, for people that look at certificates. */
  static async create(o: Validity & { name?: string } = {}): Promise<Authority> {
    const keys = await newKeys();
    const certificate = await X509CertificateGenerator.createSelfSigned({
      serialNumber: serialNumber(),
      name: [{ CN: [o.name ?? 'Leasehold development CA'] }],
      ...validity(o, 3650 * DAY_MS),
      signingAlgorithm: algorithm,
      keys,
      extensions: [
        new BasicConstraintsExtension(true, 0, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
        await SubjectKeyIdentifierExtension.create(keys.publicKey, false, webcrypto),
      ],
    }, webcrypto);
    return new Authority(certificate, keys);
  }

  /**
   * An authority that was written down before.
   * @throws Error for what is no PEM of a P-256 key and its certificate.
   */
  static async load(o: CertificateAndKey): Promise<Authority> {
    const certificate = new X509Certificate(o.certificate);
    const [bytes] = PemConverter.decode(o.key);
    if (bytes === undefined) throw new Error('the key of the authority is no PEM');
    const privateKey = await webcrypto.subtle.importKey('pkcs8', bytes, algorithm, true, ['sign']);
    const publicKey = await certificate.publicKey.export(algorithm, ['verify'], webcrypto);
    return new Authority(certificate, { privateKey, publicKey });
  }

  /** PEM. */
  get certificate(): string {
    return pem(this.#certificate);
  }

  /** PEM of the authority's private key: whoever has it can be anybody. */
  async key(): Promise<string> {
    return keyPem(this.#keys.privateKey);
  }

  async issue(o: CertificateRequest): Promise<CertificateAndKey> {
    const keys = await newKeys();
    const names: JsonGeneralName[] = [
      ...(o.uris ?? []).map((value) => ({ type: 'url' as const, value })),
      ...(o.hosts ?? []).map((value) => ({ type: isIP(value) === 0 ? ('dns' as const) : ('ip' as const), value })),
    ];
    const extensions: Extension[] = [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.clientAuth]),
      await AuthorityKeyIdentifierExtension.create(this.#keys.publicKey, false, webcrypto),
    ];
    if (names.length > 0) extensions.push(new SubjectAlternativeNameExtension(names));
    const certificate = await X509CertificateGenerator.create({
      serialNumber: serialNumber(),
      subject: [{ CN: [o.uris?.[0] ?? o.hosts?.[0] ?? 'nobody'] }],
      issuer: this.#certificate.subjectName,
      ...validity(o, 90 * DAY_MS),
      signingAlgorithm: algorithm,
      publicKey: keys.publicKey,
      signingKey: this.#keys.privateKey,
      extensions,
    }, webcrypto);
    return { certificate: pem(certificate), key: await keyPem(keys.privateKey) };
  }
}

const newKeys = (): Promise<webcrypto.CryptoKeyPair> => webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);

// 16 random bytes without the sign bit: RFC 5280 wants a positive number that no other certificate of the issuer has.
function serialNumber(): string {
  const bytes = webcrypto.getRandomValues(new Uint8Array(16));
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x01;
  return Buffer.from(bytes).toString('hex');
}

const validity = (o: Validity, lifeMs: number): Required<Validity> =>
  ({ notBefore: o.notBefore ?? new Date(Date.now() - MINUTE_MS), notAfter: o.notAfter ?? new Date(Date.now() + lifeMs) });

const pem = (certificate: X509Certificate): string => `${certificate.toString('pem')}\n`;

const keyPem = async (key: webcrypto.CryptoKey): Promise<string> =>
  `${PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')}\n`;
