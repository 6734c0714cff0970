import { ConfigError, durationMs, parseConfig } from '@leasehold/service';
import { InvalidArgumentError, Option } from 'commander';

/** A parser of whole numbers, both ends included. */
export const wholeNumber = (min: number, max: number) => (text: string): number => {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) throw new InvalidArgumentError(`${min} to ${max} is allowed.`);
  return value;
};

/** A parser of lengths of time as configuration has them: 500ms, 30s, 2m, 1h. */
export const lengthOfTime = (o: { readonly min?: number } = {}) => (text: string): number => {
  try {
    return parseConfig({ it: durationMs(o) }, { it: text }).it;
  } catch (error) {
    if (error instanceof ConfigError) throw new InvalidArgumentError(`It ${error.problems[0]?.problem ?? 'is no length of time'}.`);
    throw error;
  }
};

/** An option for a length of time, whose default is shown as it would be typed. */
export const timeOption = (flags: string, description: string, initially: string, o: { readonly min?: number } = {}): Option => {
  const parse = lengthOfTime(o);
  return new Option(flags, description).argParser(parse).default(parse(initially), initially);
};

/** Percentages that only rise or only fall. */
export function percentages(text: string): readonly number[] {
  const percent = wholeNumber(0, 100);
  const list = text.split(',').map((part) => percent(part.trim()));
  const steps = list.slice(1).map((value, index) => Math.sign(value - (list[index] ?? 0)));
  if (steps.some((step) => step === 0 || step !== steps[0])) throw new InvalidArgumentError('They must only rise, or only fall: 10,50,100.');
  return list;
}
