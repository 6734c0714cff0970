import { ConfigError } from '@leasehold/service';
import { isKind } from '../jobs/job-name.js';

/** What one producer may hand over: jobs of these kinds in these namespaces; `*` is any. */
export interface Grant {
  /** The name in `spiffe://leasehold/ingest/<name>`; `*`: every ingest. */
  readonly producer: string;
  readonly kinds: readonly string[];
  readonly namespaces: readonly string[];
}

export const grantsForm = 'producer:kinds:namespaces, several separated by ; and lists by commas, * for any: *:image:* or main:image:*;partner:image:team-a,team-b';
const namePart = /^(\*|[a-z0-9][a-z0-9._-]{0,62})$/;

/** @throws ConfigError for what is not of `grantsForm`. */
export function parseGrants(variable: string, text: string): readonly Grant[] {
  return text.split(';').map((entry): Grant => {
    const [producer = '', kinds = '', namespaces = '', ...more] = entry.split(':').map((part) => part.trim());
    const lists = { kinds: kinds.split(',').map((part) => part.trim()), namespaces: namespaces.split(',').map((part) => part.trim()) };
    // Kinds and namespaces have one form.
    const sound = [...lists.kinds, ...lists.namespaces].every((part) => part === '*' || isKind(part));
    if (more.length > 0 || !namePart.test(producer) || !sound) throw new ConfigError([{ variable, problem: `must be of the form ${grantsForm}` }]);
    return { producer, ...lists };
  });
}

const covers = (list: readonly string[], item: string): boolean => list.includes('*') || list.includes(item);

/** Who may produce what. */
export class Producers {
  readonly #grants: readonly Grant[];

  constructor(grants: readonly Grant[]) {
    this.#grants = grants;
  }

  mayProduce(producer: string, job: { readonly kind: string; readonly namespace: string }): boolean {
    return this.#of(producer, job.kind).some(({ namespaces }) => covers(namespaces, job.namespace));
  }

  /** The namespaces of a producer for a kind: `any`, or those named; none when it has no such kind. */
  namespacesOf(producer: string, kind: string): 'any' | readonly string[] {
    const named = this.#of(producer, kind).flatMap(({ namespaces }) => namespaces);
    return named.includes('*') ? 'any' : [...new Set(named)];
  }

  #of(producer: string, kind: string): readonly Grant[] {
    return this.#grants.filter((grant) => covers([grant.producer], producer) && covers(grant.kinds, kind));
  }
}
