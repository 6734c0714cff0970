import { ConfigError, type Config } from './config.js';
import type { TlsFiles } from './tls-material.js';
import { str } from './variables.js';

/** The variables that turn mTLS on: all three or none. For the `parseConfig` of a service. */
export const tlsVariables = {
  LEASEHOLD_TLS_CA: str({ default: undefined, desc: 'PEM file with the authorities that peers must be certified by', example: '/etc/leasehold/tls/ca.pem' }),
  LEASEHOLD_TLS_CERT: str({ default: undefined, desc: 'PEM file with the certificate of this process', example: '/etc/leasehold/tls/cert.pem' }),
  LEASEHOLD_TLS_KEY: str({ default: undefined, desc: 'PEM file with its private key', example: '/etc/leasehold/tls/key.pem' }),
};

/**
 * The files that the variables name; undefined when none is set: then everything is plaintext and stays on this machine.
 * @throws ConfigError that names those that are missing when only some are set.
 */
export function tlsFilesOf(read: Config<typeof tlsVariables>): TlsFiles | undefined {
  const { LEASEHOLD_TLS_CA: ca, LEASEHOLD_TLS_CERT: certificate, LEASEHOLD_TLS_KEY: key } = read;
  if (ca !== undefined && certificate !== undefined && key !== undefined) return { ca, certificate, key };
  const missing = Object.entries({ LEASEHOLD_TLS_CA: ca, LEASEHOLD_TLS_CERT: certificate, LEASEHOLD_TLS_KEY: key }).filter(([, value]) => value === undefined);
  if (missing.length === 3) return undefined;
  throw new ConfigError(missing.map(([variable]) => ({ variable, problem: 'is not set: TLS needs LEASEHOLD_TLS_CA, LEASEHOLD_TLS_CERT and LEASEHOLD_TLS_KEY, or none of them' })));
}
