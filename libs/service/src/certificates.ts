import type { Logger } from 'pino';
import { Gauge, type Registry } from 'prom-client';
import type { Component } from './lifecycle.js';
import { isSameMaterial, readTlsMaterial, type TlsFiles, type TlsMaterial } from './tls-material.js';

/** How the material has changed. */
export interface TlsChange {
  readonly material: TlsMaterial;
  /** Whom to trust is another list than before: peers that were admitted by the old one must show themselves again. */
  readonly trust: boolean;
}

export interface CertificatesOptions {
  /** How often the files are looked at, in ms. Default 5000. */
  readonly everyMs?: number;
  readonly logger?: Logger;
  /** For `leasehold_tls_certificate_not_after_timestamp_seconds`. */
  readonly registry?: Registry;
}

/**
 * The certificates of a process, kept as fresh as their files. Files are replaced one after the other, so that what is read in between may
 * not fit together: then the last good material stays in use, with a warning, until the files are whole again.
 */
export class Certificates implements Component {
  readonly name = 'certificates';
  readonly #files: TlsFiles;
  readonly #o: CertificatesOptions;
  readonly #listeners = new Set<(change: TlsChange) => void>();
  readonly #timer: NodeJS.Timeout;
  readonly #expiry: Gauge | undefined;
  #material: TlsMaterial;
  #complaint: string | undefined;

  private constructor(files: TlsFiles, material: TlsMaterial, o: CertificatesOptions) {
    this.#files = files;
    this.#o = o;
    this.#material = material;
    this.#timer = setInterval(() => this.#look(), o.everyMs ?? 5_000).unref();
    this.#expiry = o.registry && new Gauge({
      name: 'leasehold_tls_certificate_not_after_timestamp_seconds',
      help: "When this process's certificate ends (Unix time).",
      registers: [o.registry],
    });
    this.#expiry?.set(material.notAfter.getTime() / 1000);
  }

  /** Reads the files and goes on watching them until stop(). @throws Error for files that are of no use, naming the file. */
  static open(files: TlsFiles, o: CertificatesOptions = {}): Certificates {
    return new Certificates(files, readTlsMaterial(files), o);
  }

  get material(): TlsMaterial {
    return this.#material;
  }

  /** Calls back after each change, until the answered function is called. */
  onChange(listener: (change: TlsChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async start(): Promise<void> {}

  async stop(): Promise<void> {
    clearInterval(this.#timer);
  }

  #look(): void {
    let material: TlsMaterial;
    try {
      material = readTlsMaterial(this.#files);
    } catch (error) {
      this.#complain(error instanceof Error ? error.message : 'unreadable');
      return;
    }
    this.#complaint = undefined;
    const before = this.#material;
    if (isSameMaterial(before, material)) return;
    this.#material = material;
    this.#expiry?.set(material.notAfter.getTime() / 1000);
    const trust = !before.ca.equals(material.ca);
    this.#o.logger?.info({ event: 'certificates_changed', trust, not_after: material.notAfter }, 'new certificates are in use');
    for (const listener of this.#listeners) listener({ material, trust });
  }

  /** Once for each thing that is wrong, not at every look. */
  #complain(reason: string): void {
    if (reason === this.#complaint) return;
    this.#complaint = reason;
    this.#o.logger?.warn({ event: 'certificates_unreadable', reason, not_after: this.#material.notAfter }, 'the certificates read before stay in use');
  }
}
