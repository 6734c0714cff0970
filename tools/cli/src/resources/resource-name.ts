import { Usage } from '../terminal.js';

/** The full name of a resource that may be named in short. @throws Usage for what is neither */
export function fullName(text: string, { namespace, collection }: { readonly namespace: string; readonly collection: 'files' | 'imports' }): string {
  if (!text.includes('/')) return `namespaces/${namespace}/${collection}/${text}`;
  const [root, , its, id, ...more] = text.split('/');
  if (root !== 'namespaces' || its !== collection || !id || more.length > 0) throw new Usage(`${text} is not of the form namespaces/{namespace}/${collection}/{id}`);
  return text;
}

/** The job of one generation of a resource, as ingest names it. */
export function jobOf(name: string, kind: string, generation: number): string {
  const [, namespace = '', , id = ''] = name.split('/');
  return `namespaces/${namespace}/kinds/${kind}/jobs/${id}.${generation}`;
}
