import { Argument, InvalidArgumentError } from 'commander';

/** One version of a kind's contract, as people write it and as the edge names it. */
export interface ContractWord {
  readonly kind: string;
  readonly version: number;
  /** `image@2` */
  readonly word: string;
  /** `kinds/image/contracts/2` */
  readonly name: string;
}

const kindForm = /^[a-z][a-z0-9-]{0,62}$/;
const wordForm = /^([a-z][a-z0-9-]{0,62})@([1-9]\d{0,8})$/;
const nameForm = /^kinds\/([^/]+)\/contracts\/(\d+)$/;

export const contractArgument = (name = 'kind@version', description = 'for example image@2'): Argument => new Argument(`<${name}>`, description).argParser(parseContract);

/** @throws InvalidArgumentError */
export function parseContract(text: string): ContractWord {
  const [, kind, version] = wordForm.exec(text) ?? [];
  if (kind === undefined || version === undefined) throw new InvalidArgumentError('It must be KIND@VERSION, for example image@2.');
  return { kind, version: Number(version), word: text, name: `kinds/${kind}/contracts/${version}` };
}

/** @throws InvalidArgumentError */
export function parseKind(text: string): string {
  if (!kindForm.test(text)) throw new InvalidArgumentError('It must be a kind, for example image.');
  return text;
}

/** The short form of an edge's name. */
export const wordOfName = (name: string): string => name.replace(nameForm, '$1@$2');
