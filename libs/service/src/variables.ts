import { EnvError, makeExactValidator, type OptionalValidatorSpec, type RequiredValidatorSpec, type ValidatorSpec } from 'envalid';

// The messages complete the sentence "LEASEHOLD_X …" and never quote the value: a value in the wrong variable may be a password.

interface About {
  /** What the variable is for; shown when it is wrong. */
  desc?: string;
  /** A value that would do; shown when it is wrong. */
  example?: string;
}

/** Any text that is not empty. */
export const str = makeExactValidator<string>((text) => text);

/** A TCP port, 0 to 65535; 0 lets the system choose one. */
export const port = makeExactValidator<number>((text) => wholeNumber(text, 0, 65_535));

const truth = new Map([['true', true], ['1', true], ['yes', true], ['false', false], ['0', false], ['no', false]]);

/** true, false, 1, 0, yes or no. */
export const bool = makeExactValidator<boolean>((text) => {
  const value = truth.get(text.toLowerCase());
  if (value === undefined) throw new EnvError('must be true or false');
  return value;
});

/** An absolute URL of any scheme, as it was given. */
export const url = makeExactValidator<string>((text) => {
  if (!URL.canParse(text)) throw new EnvError('must be an absolute URL');
  return text;
});

/** A network address `host:port` (IPv6 in brackets), as it was given; the port is 1 to 65535. */
export const hostPort = makeExactValidator<string>(parseHostPort);

/** One or more addresses `host:port`, separated by commas; blanks around them are dropped. */
export const hostPorts = makeExactValidator<readonly string[]>((text) => text.split(',').map((part) => parseHostPort(part.trim())));

interface Range extends About {
  min?: number;
  max?: number;
}

/** A whole number from `min` to `max`, both included. */
export function integer(o: Range & { default: undefined }): OptionalValidatorSpec<number>;
export function integer(o?: Range & { default?: number }): RequiredValidatorSpec<number>;
export function integer({ min, max, ...spec }: Range & { default?: number | undefined } = {}): ValidatorSpec<number> {
  return { ...spec, _parse: (text: string) => wholeNumber(text, min, max) };
}

/** A length of time such as 500ms, 30s, 2m or 1h, as milliseconds; `default`, `min` and `max` are milliseconds too. */
export function durationMs(o: Range & { default: undefined }): OptionalValidatorSpec<number>;
export function durationMs(o?: Range & { default?: number }): RequiredValidatorSpec<number>;
export function durationMs({ min = 0, max = Number.MAX_SAFE_INTEGER, ...spec }: Range & { default?: number | undefined } = {}): ValidatorSpec<number> {
  return { ...spec, _parse: (text: string) => parseDuration(text, min, max) };
}

/** One of the given words. */
export function choice<const T extends string>(words: readonly T[], o: About & { default: undefined }): OptionalValidatorSpec<T>;
export function choice<const T extends string>(words: readonly T[], o?: About & { default?: NoInfer<T> }): RequiredValidatorSpec<T>;
export function choice<const T extends string>(words: readonly T[], o: About & { default?: NoInfer<T> | undefined } = {}): ValidatorSpec<string> {
  return {
    ...o,
    _parse: (text: string) => {
      const word = words.find((candidate) => candidate === text);
      if (word === undefined) throw new EnvError(`must be one of ${words.join(', ')}`);
      return word;
    },
  };
}

function wholeNumber(text: string, min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER): number {
  const value = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
  if (min === Number.MIN_SAFE_INTEGER && max === Number.MAX_SAFE_INTEGER) throw new EnvError('must be a whole number');
  if (max === Number.MAX_SAFE_INTEGER) throw new EnvError(`must be a whole number, at least ${min}`);
  if (min === Number.MIN_SAFE_INTEGER) throw new EnvError(`must be a whole number, at most ${max}`);
  throw new EnvError(`must be a whole number from ${min} to ${max}`);
}

const unitMs = new Map([['ms', 1], ['s', 1000], ['m', 60_000], ['h', 3_600_000]]);

function parseDuration(text: string, min: number, max: number): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text) ?? [];
  const value = Math.round(Number(amount) * (unitMs.get(unit ?? '') ?? Number.NaN));
  if (!Number.isSafeInteger(value)) throw new EnvError('must be a length of time such as 500ms, 30s, 2m or 1h');
  if (value < min) throw new EnvError(`must be at least ${min}ms`);
  if (value > max) throw new EnvError(`must be at most ${max}ms`);
  return value;
}

function parseHostPort(text: string): string {
  const [, number] = /^(?:\[[0-9a-f:.]+\]|[^\s:/@[\]]+):(\d{1,5})$/i.exec(text) ?? [];
  if (number === undefined || Number(number) < 1 || Number(number) > 65_535) throw new EnvError('must be host:port');
  return text;
}
