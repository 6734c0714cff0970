import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, normalize } from 'node:path';
import { projects, readJson } from './projects.mjs';

/**
 * Imports that only work by accident: of a package that the importing project does not declare (npm puts every package at the root, so
 * that it is found until the project that does declare it drops it), and of a file of another project (past what that one exports).
 * @param {string} root @param {string[]} files
 */
export function accidentalImports(root, files) {
  const everywhere = Object.keys(readJson(root, 'package.json').devDependencies ?? {});
  return projects(root).flatMap(({ folder, name, manifest }) => {
    const declared = new Set([name, ...everywhere, ...Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })]);
    const sources = files.filter((path) => path.startsWith(`${folder}/src/`) && /\.m?ts$|\.mjs$/.test(path));
    return sources.flatMap((path) => specifiersOf(readFileSync(join(root, path), 'utf8')).flatMap((specifier) => {
      if (specifier.startsWith('.')) return normalize(join(dirname(path), specifier)).startsWith(`${folder}/`) ? [] : [`${path}: imports ${specifier}, which lies outside of ${folder}`];
      const packageName = specifier.split('/').slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
      return declared.has(packageName) ? [] : [`${path}: imports ${packageName}, which ${folder}/package.json does not declare`];
    }));
  });
}

/** What a source text imports, without Node's own modules. @param {string} text */
function specifiersOf(text) {
  const matches = text.matchAll(/^(?:import|export) (?:[^'"]*? from )?'([^']+)'|(?<![\w.])import\('([^']+)'\)/gm);
  const specifiers = [...matches].map((match) => match[1] ?? match[2] ?? '');
  return [...new Set(specifiers)].filter((each) => !each.startsWith('node:') && !builtinModules.includes(each));
}
