import { EchoResponse, EchoServiceService, type CollectRequest, type CollectResponse, type EchoRequest, type RepeatRequest, type RepeatResponse } from '@leasehold/echo-v1';
import { expect, expectTypeOf, test } from 'vitest';
import type { ClientOf } from './client.js';
import type { ClientStream, HandlersOf, ServerStream, Unary } from './definition.js';
import { service } from './service.js';

type Echo = HandlersOf<typeof EchoServiceService>;

test('handlers and clients have the types of the definition', () => {
  expectTypeOf<Echo['echo']>().toEqualTypeOf<Unary<EchoRequest, EchoResponse>>();
  expectTypeOf<Echo['repeat']>().toEqualTypeOf<ServerStream<RepeatRequest, RepeatResponse>>();
  expectTypeOf<Echo['collect']>().toEqualTypeOf<ClientStream<CollectRequest, CollectResponse>>();
  expectTypeOf<keyof Echo>().toEqualTypeOf<keyof typeof EchoServiceService>();
  expectTypeOf<ClientOf<typeof EchoServiceService>['echo']>().returns.resolves.toEqualTypeOf<EchoResponse>();
  expectTypeOf<ClientOf<typeof EchoServiceService>['repeat']>().returns.toEqualTypeOf<AsyncIterable<RepeatResponse>>();
  expectTypeOf<keyof ClientOf<typeof EchoServiceService>>().toEqualTypeOf<keyof typeof EchoServiceService | 'close' | 'channelState'>();
});

test('a missing handler does not compile, and does not start', () => {
  const domain = 'echo.leasehold';
  // @ts-expect-error: three handlers are missing
  expect(() => service(EchoServiceService, { echo: () => Promise.resolve(EchoResponse.create()) }, { domain })).toThrow('/leasehold.echo.v1.EchoService/Discard has no handler');
  // @ts-expect-error: echo answers an EchoResponse
  expectTypeOf<Echo>().toExtend<{ echo: Unary<EchoRequest, CollectResponse> }>();
});

test('a service is named by its definition', () => {
  const refuse = (): never => { throw new Error('not called'); };
  const handlers: Echo = { echo: refuse, discard: refuse, repeat: refuse, collect: refuse };
  expect(service(EchoServiceService, handlers, { domain: 'echo.leasehold' })).toMatchObject({ name: 'leasehold.echo.v1.EchoService', domain: 'echo.leasehold' });
});
