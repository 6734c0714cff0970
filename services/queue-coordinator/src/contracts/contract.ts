/**
 * ```
 * ANNOUNCED ─open─▶ OPEN ─close─▶ CLOSED ─retire─▶ RETIRED
 *                     ▲──reopen─────┘
 * ```
 * Only an operator moves a contract. Producers may write what is OPEN; workers may read any. RETIRED is final: a version is never used again.
 */
export type ContractState = 'announced' | 'open' | 'closed' | 'retired';

/** Names one version of a kind's contract. */
export interface ContractName {
  readonly kind: string;
  readonly version: number;
}

/** A contract as it is. */
export interface Contract extends ContractName {
  readonly state: ContractState;
  /** 32 bytes, or empty. */
  readonly descriptorDigest: Buffer;
  readonly paused: boolean;
  readonly sharePercent: number;
  readonly revision: bigint;
  readonly announcedAt: Date;
  readonly updatedAt: Date;
}

const nameForm = /^kinds\/([a-z][a-z0-9-]{0,62})\/contracts\/([1-9][0-9]{0,8})$/;
const wordForm = /^([a-z][a-z0-9-]{0,62})@([1-9][0-9]{0,8})$/;
const read = (form: RegExp, text: string): ContractName | undefined => {
  const [, kind, version] = form.exec(text) ?? [];
  return kind === undefined || version === undefined ? undefined : { kind, version: Number(version) };
};

/** Undefined when the text is no `kinds/{kind}/contracts/{version}`. */
export const parseContractName = (text: string): ContractName | undefined => read(nameForm, text);
export const renderContractName = ({ kind, version }: ContractName): string => `kinds/${kind}/contracts/${version}`;

/** Undefined when the text is no `kind@version`, the short form that people write. */
export const parseContractWord = (text: string): ContractName | undefined => read(wordForm, text);
export const contractWord = ({ kind, version }: ContractName): string => `${kind}@${version}`;
