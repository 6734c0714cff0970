import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { placeIn, relocating } from './release-places.mjs';

const root = '/clone';
function told(code: string, path: string): { code: string; started: string[] } {
  const plugin = relocating(root, 'code/any.js');
  return { code: plugin.tell(code, `${root}/${path}`), started: plugin.started };
}

/** As it is in a bundle. */
const valueOf = (expression: string): unknown => runInNewContext(expression.replaceAll('import.meta.url', 'program'), { URL, program: 'file:///release/code/any.js' });

test('what was built and what was written of a project lie in one folder of a release', () => {
  expect(placeIn('services/ingest/dist/http/files.js')).toBe('services/ingest/src/http/files.js');
  expect(placeIn('node_modules/a/dist/index.js')).toBe('packages/a/src/index.js');
});

test('a module finds the files beside it where the release has them, from wherever the bundle is', () => {
  const { code } = told("export const at = new URL('../migrations/', import.meta.url);", 'services/ingest/dist/migrations.js');
  expect(valueOf(/new URL\('\.\.\/migrations\/', (.*)\);$/.exec(code)?.[1] ?? '')).toBe('file:///release/services/ingest/src/migrations.js');
});

test('a descriptor image is asked for by its edge', () => {
  const { code } = told("import.meta.resolve('@leasehold/queue-v1/image.binpb')", 'services/queue-coordinator/dist/server.js');
  expect(valueOf(code)).toBe('file:///release/images/queue-v1.binpb');
});

test('a program that a module starts is bundled too', () => {
  expect(told("new URL('./child/main.js', import.meta.url)", 'services/image-worker/dist/pool.js').started).toEqual(['services/image-worker/dist/child/main.js']);
});

test('a package that reads files beside its code and is not known for it is refused', () => {
  expect(() => told('read(__dirname)', 'node_modules/new-package/index.js')).toThrow('say in release-places.mjs which');
});
