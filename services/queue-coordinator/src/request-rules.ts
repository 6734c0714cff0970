import { msOfDuration, type Faults, type FieldViolation } from '@leasehold/rpc';

/** Collects what is wrong with a request, so that a caller hears of everything at once. */
export class RequestRules {
  readonly violations: FieldViolation[] = [];

  check(ok: boolean, field: string, description: string): void {
    if (!ok) this.violations.push({ field, description });
  }

  size(items: readonly unknown[], field: string, max: number, min = 1): void {
    this.check(items.length >= min && items.length <= max, field, `holds ${items.length}; ${min} to ${max} are allowed`);
  }

  range(value: number, field: string, min: number, max: number): void {
    this.check(Number.isInteger(value) && value >= min && value <= max, field, `is ${value}; ${min} to ${max} is allowed`);
  }

  versions(versions: readonly number[], field: string): void {
    this.size(versions, field, 64);
    for (const [index, version] of versions.entries()) this.check(version >= 1, `${field}[${index}]`, `is ${version}; versions start at 1`);
  }

  /** A duration in ms. */
  duration(value: { seconds: bigint; nanos: number } | undefined, field: string, maxMs: number): number {
    const ms = msOfDuration(value);
    this.check(ms >= 0 && ms <= maxMs, field, `is ${ms} ms; 0 to ${maxMs} ms is allowed`);
    return ms;
  }
}

/** For an edge: states rules on a request. @throws Fault that names all of them that the request breaks */
export const refusing = (fault: Faults) => (state: (rules: RequestRules) => void): void => {
  const rules = new RequestRules();
  state(rules);
  if (rules.violations.length > 0) throw fault.invalid(rules.violations);
};

/** Longest payload or result, in bytes. */
export const maxContentBytes = 256 * 1024;
