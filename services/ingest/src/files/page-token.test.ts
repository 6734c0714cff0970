import { describe, expect, test } from 'vitest';
import { PageTokens } from './page-token.js';

const first = 'the first secret of at least 32 bytes';
const second = 'another secret of at least 32 bytes..';
const list = { namespace: 'team-a', states: ['ready', 'queued'] };

describe('a page token', () => {
  test('continues the very list that it was given for, at any instance with the secret', () => {
    const token = new PageTokens([first]).write({ ...list, seq: 2n ** 53n + 1n });
    expect(new PageTokens([first]).read(token, { namespace: 'team-a', states: ['queued', 'ready'] })).toBe(2n ** 53n + 1n);
  });

  test.each([
    { namespace: 'team-b', states: list.states },
    { namespace: 'team-a', states: ['ready'] },
    { namespace: 'team-a', states: [] },
  ])('is refused for another list: $namespace $states', (other) => {
    expect(new PageTokens([first]).read(new PageTokens([first]).write({ ...list, seq: 7n }), other)).toBeUndefined();
  });

  test('is refused when it was changed, made up or cut', () => {
    const tokens = new PageTokens([first]);
    const bytes = Buffer.from(tokens.write({ ...list, seq: 7n }), 'base64url');
    for (const at of bytes.keys()) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      expect(tokens.read(changed.toString('base64url'), list)).toBeUndefined();
    }
    expect(tokens.read('7', list)).toBeUndefined();
    expect(tokens.read(bytes.subarray(0, 8).toString('base64url'), list)).toBeUndefined();
  });

  test('outlives a change of the secret for as long as the old one is kept', () => {
    const token = new PageTokens([first]).write({ ...list, seq: 7n });
    expect(new PageTokens([second, first]).read(token, list)).toBe(7n);
    expect(new PageTokens([second]).read(token, list)).toBeUndefined();
  });
});
