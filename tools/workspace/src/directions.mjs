import { typeOf } from './projects.mjs';

// Edges import nothing, libs import libs and edges, no service imports a service, nothing imports a tool. Tools may start services.
/** @type {Record<import('./projects.mjs').ProjectType, import('./projects.mjs').ProjectType[]>} */
const mayDependOn = { edge: [], lib: ['edge', 'lib'], service: ['edge', 'lib'], tool: ['edge', 'lib', 'service'] };

/**
 * Dependencies against the directions, one line each.
 * @param {import('./projects.mjs').Project[]} all
 */
export function breaches(all) {
  const types = new Map(all.map(({ name, folder }) => [name, typeOf(folder)]));
  return all.flatMap(({ name, folder, internal }) => internal.flatMap((dependency) => {
    const [own, other] = [typeOf(folder), types.get(dependency)];
    if (other === undefined) return [`${name} depends on ${dependency}, which is no project of this workspace`];
    return mayDependOn[own].includes(other) ? [] : [`${name} (${own}) must not depend on ${dependency} (${other})`];
  }));
}
