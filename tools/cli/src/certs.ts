import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Authority, writeAuthority, writeCertificateFolder } from '@leasehold/development-ca';
import { parseIdentity, type Identity } from '@leasehold/rpc';
import { Argument, InvalidArgumentError, Option, type Command } from 'commander';
import { Refusal, type Terminal } from './terminal.js';

const everybody = ['coordinator/one', 'ingest/main', 'worker/image/one', 'client/default', 'operator/me'];
const dayMs = 86_400_000;
const identityForm = 'coordinator/<name>, ingest/<name>, worker/<kind>/<name>, client/<namespace>[/<namespace>...] or operator/<name>';

/** Adds `certs` to the root command. */
export function addCertsCommand(root: Command, terminal: Terminal): void {
  root
    .command('certs')
    .description('makes a certificate authority for development, and certificates of it; overwrites nothing')
    .addArgument(new Argument('[identity...]', `whom to make certificates for: ${identityForm}`).argParser(identityOf).default([], everybody.join(' ')))
    .option('--out <folder>', 'where to write; an authority that is there already is used', '.leasehold/certs')
    .option('--days <n>', 'how long the certificates are valid, 1 to 825', daysOf, 90)
    .addOption(new Option('--host <name...>', 'host names and addresses of the servers, for HTTPS callers').default(['localhost', '127.0.0.1', '::1']))
    .action(async (asked: readonly Identity[], o: { out: string; days: number; host: string[] }) => {
      const identities = asked.length > 0 ? asked : everybody.reduce<Identity[]>((all, text) => identityOf(text, all), []);
      // Before anything is written.
      for (const identity of identities) await refuseExisting(join(o.out, folderOf(identity)));
      const authority = await authorityIn(o.out, terminal);
      const notAfter = new Date(Date.now() + o.days * dayMs);
      for (const identity of identities) {
        const folder = join(o.out, folderOf(identity));
        const { ca, certificate, key } = await writeCertificateFolder(folder, await authority.issue({ uris: [identity.id], hosts: o.host, notAfter }), authority);
        terminal.out(`${identity.id}, until ${notAfter.toISOString().slice(0, 10)}:\n  LEASEHOLD_TLS_CA=${ca} LEASEHOLD_TLS_CERT=${certificate} LEASEHOLD_TLS_KEY=${key}`);
      }
    });
}

const spiffe = 'spiffe://leasehold/';
const folderOf = ({ id }: Identity): string => id.slice(spiffe.length).replaceAll('/', '.');

function identityOf(text: string, before: readonly Identity[]): Identity[] {
  const identity = parseIdentity(`${spiffe}${text}`);
  if (identity === undefined) throw new InvalidArgumentError(`It must be ${identityForm}.`);
  return [...before, identity];
}

function daysOf(text: string): number {
  const days = Number(text);
  if (!Number.isInteger(days) || days < 1 || days > 825) throw new InvalidArgumentError('1 to 825 is allowed.');
  return days;
}

async function refuseExisting(path: string): Promise<void> {
  if (await exists(path)) throw new Refusal(`${path} is there already and stays as it is: remove it first, or choose another --out`);
}

async function authorityIn(folder: string, terminal: Terminal): Promise<Authority> {
  const [certificate, key] = [join(folder, 'ca.pem'), join(folder, 'ca-key.pem')];
  if (await exists(certificate) || await exists(key)) {
    try {
      return await Authority.load({ certificate: await readFile(certificate, 'utf8'), key: await readFile(key, 'utf8') });
    } catch {
      throw new Refusal(`${certificate} and ${key} are no authority that can go on: remove both, or choose another --out`);
    }
  }
  const authority = await Authority.create();
  await writeAuthority(folder, authority);
  terminal.out(`a new authority: ${certificate}; its key, ${key}, lets its owner be anybody: for development only`);
  return authority;
}

const exists = (path: string): Promise<boolean> => access(path).then(() => true, () => false);
