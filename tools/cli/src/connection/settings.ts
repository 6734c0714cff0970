import { hostPorts, parseConfig, str, tlsFilesOf, tlsVariables, type TlsFiles } from '@leasehold/service';
import { Option, type Command } from 'commander';
import { readConfigFile } from './config-file.js';

/** How services are reached. */
export interface Settings {
  readonly coordinators: readonly string[];
  readonly ingest: readonly string[];
  /** Undefined: plaintext, to this machine only. */
  readonly tls: TlsFiles | undefined;
}

/** The flags of the root command that say so. */
export interface ConnectionFlags {
  readonly coordinator?: string;
  readonly coordinators?: string;
  readonly ingest?: string;
  readonly tlsCa?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly config?: string;
}

/** Not commander's env(): it would take a variable for a flag, and the file could not come after both. */
export const withConnectionFlags = (root: Command): Command => root
  .option('--coordinator <host:port,...>', 'queue coordinators (LEASEHOLD_COORDINATORS; default 127.0.0.1:7400)')
  .addOption(new Option('--coordinators <host:port,...>').hideHelp().conflicts('coordinator'))
  .option('--ingest <host:port,...>', 'ingest services, for files and imports (LEASEHOLD_INGEST; default 127.0.0.1:7410)')
  .option('--tls-ca <file>', 'authorities that services are certified by (LEASEHOLD_TLS_CA)')
  .option('--tls-cert <file>', 'your certificate (LEASEHOLD_TLS_CERT)')
  .option('--tls-key <file>', 'its private key (LEASEHOLD_TLS_KEY)')
  .option('--config <file>', 'a JSON file with these settings (LEASEHOLD_CONFIG; default ~/.config/leasehold/config.json)');

const variables = {
  LEASEHOLD_COORDINATORS: hostPorts({ default: ['127.0.0.1:7400'], desc: 'the coordinators, also --coordinator or "coordinators" in the configuration file', example: '127.0.0.1:7400,127.0.0.1:7402' }),
  LEASEHOLD_INGEST: hostPorts({ default: ['127.0.0.1:7410'], desc: 'the ingest services, also --ingest or "ingest" in the configuration file', example: '127.0.0.1:7410' }),
  LEASEHOLD_CONFIG: str({ default: undefined }),
  ...tlsVariables,
};

/**
 * Flags before environment before file, setting by setting.
 * @throws ConfigError, Usage
 */
export function settingsOf(flags: ConnectionFlags, env: NodeJS.ProcessEnv): Settings {
  const given = {
    LEASEHOLD_COORDINATORS: flags.coordinator ?? flags.coordinators, LEASEHOLD_INGEST: flags.ingest,
    LEASEHOLD_TLS_CA: flags.tlsCa, LEASEHOLD_TLS_CERT: flags.tlsCert, LEASEHOLD_TLS_KEY: flags.tlsKey,
  };
  const file = readConfigFile(flags.config ?? (env['LEASEHOLD_CONFIG'] || undefined), env);
  // A variable that is there and empty means what it says: not this setting, not even the file's.
  const read = parseConfig(variables, { ...file, ...env, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) });
  return { coordinators: read.LEASEHOLD_COORDINATORS, ingest: read.LEASEHOLD_INGEST, tls: tlsFilesOf(read) };
}
