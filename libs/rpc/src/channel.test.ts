import { expect, test } from 'vitest';
import { targetOf } from './channel.js';

test.each([
  [['127.0.0.1:7400'], 'ipv4:127.0.0.1:7400'],
  [['localhost:7400', '127.0.0.2:7402'], 'ipv4:127.0.0.1:7400,127.0.0.2:7402'],
  [['[::1]:7400'], 'ipv6:[::1]:7400'],
])('%j is the target %s', (addresses, target) => {
  expect(targetOf(addresses)).toBe(target);
});

test.each([[], ['localhost'], ['localhost:'], [':7400'], ['http://localhost:7400'], ['::1:7400'], ['127.0.0.1:7400', '[::1]:7400'], ['']].map((a) => [a]))('%j is refused', (addresses) => {
  expect(() => targetOf(addresses)).toThrow(Error);
});

test.each([
  [['10.0.0.1:7400', '10.0.0.2:7400'], 'ipv4:10.0.0.1:7400,10.0.0.2:7400'],
  [['coordinator.internal:7400'], 'dns:coordinator.internal:7400'],
])('over TLS %j is the target %s', (addresses, target) => {
  expect(targetOf(addresses, { secure: true })).toBe(target);
});

test('several names are refused over TLS too: one name may stand for many addresses', () => {
  expect(() => targetOf(['one:7400', 'two:7400'], { secure: true })).toThrow('must be all IPv4 or all IPv6');
});

test.each(['10.0.0.1:7400', 'coordinator:7400', '[fe80::1]:7400', '128.0.0.1:7400'])('%s is refused, as calls are plaintext', (address) => {
  expect(() => targetOf([address])).toThrow('may only go to this machine');
});
