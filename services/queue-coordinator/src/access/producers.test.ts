import { ConfigError } from '@leasehold/service';
import { expect, test } from 'vitest';
import { parseGrants, Producers } from './producers.js';

const grants = (text: string): Producers => new Producers(parseGrants('LEASEHOLD_PRODUCERS', text));
const image = (namespace: string) => ({ kind: 'image', namespace });

test('a producer may what any of its grants says, and those for every producer', () => {
  const producers = grants('main:image:* ; partner:image,import:team-a, team-b; *:thumbnail:public');
  expect([producers.mayProduce('main', image('any')), producers.mayProduce('partner', image('team-b')), producers.mayProduce('stranger', { kind: 'thumbnail', namespace: 'public' })]).toEqual([true, true, true]);
  expect([producers.mayProduce('main', { kind: 'import', namespace: 'any' }), producers.mayProduce('partner', image('team-c')), producers.mayProduce('stranger', image('public'))]).toEqual([false, false, false]);
  expect([producers.namespacesOf('main', 'image'), producers.namespacesOf('partner', 'import'), producers.namespacesOf('stranger', 'image')]).toEqual(['any', ['team-a', 'team-b'], []]);
});

test.each(['', 'main', 'main:image', 'main:image:*:more', 'main::*', 'main:image:', 'Main:image:*', 'main:image:team_a', ';', 'main:image:*;'])('%j is refused, and the variable named', (text) => {
  expect(() => grants(text)).toThrow(ConfigError);
  expect(() => grants(text)).toThrow(/LEASEHOLD_PRODUCERS must be of the form/);
});
