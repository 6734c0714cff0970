import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { BuildRecord, GetContractResponse } from '@leasehold/rollout-v1';
import { Argument, type Command } from 'commander';
import { contractArgument, parseKind, wordOfName, type ContractWord } from '../contract-word.js';
import { indented, properties, table } from '../print/table.js';
import type { Session } from '../session.js';
import { Usage } from '../terminal.js';
import { contractData, contractSentence, leftData, leftText, oldestText, stateText } from './contract.js';

/** Adds `contracts list|describe|announce` to the root command. */
export function addContractCommands(root: Command, session: Session): void {
  const contracts = root.command('contracts').description('lists, shows and announces contract versions');
  contracts
    .command('list')
    .description('contract versions by kind, what is left of each, and who reads it')
    .addArgument(new Argument('[kind]', 'only of this kind').argParser(parseKind))
    .action(async (kind: string | undefined) => {
      const { contracts: found } = await session.services.coordinator(({ rollout }) => rollout.listContracts({ parent: `kinds/${kind ?? '-'}` }));
      const data = found.flatMap(({ contract, left, readers }) => (contract === undefined ? [] : [{ ...contractData(contract), left: leftData(left), readers }]));
      session.print(data, () => (found.length === 0 ? 'no contracts' : table(['contract', 'state', 'new jobs', 'left', 'oldest', 'readers'], found.flatMap(({ contract, left, readers }) =>
        (contract === undefined ? [] : [[wordOfName(contract.name), stateText(contract, session), `${contract.sharePercent} %`, leftText(left), oldestText(left), String(readers)]])))));
    });
  contracts
    .command('describe')
    .description('one contract version with everything that its gates look at')
    .addArgument(contractArgument())
    .action(async ({ name }: ContractWord) => {
      const found = await session.services.coordinator(({ rollout }) => rollout.getContract({ name }));
      session.print(data(found), () => description(found, session));
    });
  contracts
    .command('announce')
    .description('makes a version known, so that workers may read it; it is never redefined')
    .addArgument(contractArgument())
    .requiredOption('--descriptors <file>', 'its descriptor set, as `buf build --exclude-source-info -o FILE` writes it; its SHA-256 is what the version stands for')
    .action(async ({ name, word }: ContractWord, { descriptors }: { descriptors: string }) => {
      const descriptorDigest = digestOf(descriptors);
      const { contract } = await session.services.coordinator(({ rollout }) => rollout.announceContract({ name, descriptorDigest, actor: session.actor }));
      if (contract !== undefined) session.print(contractData(contract), () => `${contractSentence(contract, session)}\ndigest ${descriptorDigest.toString('hex')}\n${session.next([`leasehold gate open ${word}`])}`);
    });
}

function digestOf(path: string): Buffer {
  const bytes = read(path);
  // An empty file is what a failed build leaves; it would stand for the version for ever.
  if (bytes.length === 0) throw new Usage(`${path} is empty: build the descriptor set first`);
  return createHash('sha256').update(bytes).digest();
}

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new Usage(`${path} cannot be read`, { cause: error });
  }
}

const data = ({ contract, left, readers, producers, builds }: GetContractResponse): object => ({ ...(contract && contractData(contract)), left: leftData(left), readers, producers, builds });

function description({ contract, left, readers, producers, builds }: GetContractResponse, session: Session): string {
  const section = (title: string, empty: string, head: readonly string[], rows: readonly string[][]): string => `${session.ink.bold(title)}\n${indented(rows.length === 0 ? empty : table(head, rows))}`;
  return [
    contract === undefined ? '' : properties([
      ['contract', wordOfName(contract.name)], ['state', stateText(contract, session)], ['new jobs', `${contract.sharePercent} %`], ['left', leftText(left)], ['oldest', oldestText(left)],
      ['etag', contract.etag], ['digest', contract.descriptorDigest.toString('hex')], ['announced', contract.announceTime?.toISOString() ?? ''], ['changed', contract.updateTime?.toISOString() ?? ''],
    ]),
    section('read by', 'no live worker', ['build', 'workers', 'concurrency', ''], readers.map((r) => [r.build, String(r.workers), String(r.concurrency),
      [r.suspended ? session.ink.red('suspended') : '', r.uncertainWorkers > 0 ? session.ink.yellow(`${r.uncertainWorkers} silent`) : ''].filter((part) => part !== '').join(', ')])),
    section('producers of the kind', 'none was heard lately', ['producer', 'build', 'writes', 'reads', 'last heard'], producers.map((p) => [p.producer, p.build, p.writes.join(' '), p.reads.join(' '), p.lastSeenTime?.toISOString() ?? ''])),
    section('attempts of the last hour', 'none ended', ['build', 'attempts', 'succeeded', 'failed: content', 'failed: technical', 'expired', 'bad'], builds.map((b) => [
      b.build, String(b.attempts), String(b.succeeded), String(b.failedContent), String(b.failedTechnical), String(b.expired), `${badPercent(b)} %`])),
  ].filter((part) => part !== '').join('\n');
}

/** Attempts that a build may have spoilt; what was wrong with the content says nothing of it. */
const badPercent = ({ attempts, failedTechnical, expired }: BuildRecord): bigint => (attempts === 0n ? 0n : ((failedTechnical + expired) * 100n) / attempts);
