import { describe, expect, test } from 'vitest';
import { PageTokens, type PagedList } from './page-token.js';

const first = 'the first secret of at least 32 bytes';
const second = 'another secret of at least 32 bytes..';
const list = ['files', 'team-a', ['queued', 'ready']] as const;

describe('a page token', () => {
  test('continues the very list that it was given for, at any instance with the secret', () => {
    const token = new PageTokens([first]).write(list, '9007199254740993');
    expect(new PageTokens([first]).read(token, ['files', 'team-a', ['queued', 'ready']])).toBe('9007199254740993');
  });

  test.each<{ other: PagedList }>([
    { other: ['files', 'team-b', ['queued', 'ready']] },
    { other: ['files', 'team-a', ['ready']] },
    { other: ['files', 'team-a', []] },
    { other: ['imports', 'team-a', ['queued', 'ready']] },
  ])('is refused for another list: $other', ({ other }) => {
    expect(new PageTokens([first]).read(new PageTokens([first]).write(list, '7'), other)).toBeUndefined();
  });

  test('is refused when it was changed, made up or cut', () => {
    const tokens = new PageTokens([first]);
    const bytes = Buffer.from(tokens.write(list, '7'), 'base64url');
    for (const at of bytes.keys()) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      expect(tokens.read(changed.toString('base64url'), list)).toBeUndefined();
    }
    expect(tokens.read('7', list)).toBeUndefined();
    expect(tokens.read(bytes.subarray(0, 8).toString('base64url'), list)).toBeUndefined();
  });

  test('may hold any text as its position', () => {
    const tokens = new PageTokens([first]);
    for (const sku of ['', 'A-1', 'größe 42 🧦', '"]'.repeat(100)]) expect(tokens.read(tokens.write(list, sku), list)).toBe(sku === '' ? undefined : sku);
  });

  test('outlives a change of the secret for as long as the old one is kept', () => {
    const token = new PageTokens([first]).write(list, '7');
    expect(new PageTokens([second, first]).read(token, list)).toBe('7');
    expect(new PageTokens([second]).read(token, list)).toBeUndefined();
  });
});
