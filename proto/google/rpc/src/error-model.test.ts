import { expect, test } from 'vitest';
import { Any, BadRequest, ErrorInfo, PreconditionFailure, RetryInfo, Status } from './index.js';

test('the bytes are those of the published error model, field number for field number', () => {
  // {1: 9, 2: "no", 3: Any{1: "type.googleapis.com/google.rpc.ErrorInfo", 2: ErrorInfo{1: "R", 2: "d"}}} by hand.
  const info = Buffer.from([0x0a, 1, 0x52, 0x12, 1, 0x64]);
  const type = Buffer.from('type.googleapis.com/google.rpc.ErrorInfo');
  const any = Buffer.concat([Buffer.from([0x0a, type.length]), type, Buffer.from([0x12, info.length]), info]);
  const status = Buffer.concat([Buffer.from([0x08, 9, 0x12, 2, 0x6e, 0x6f, 0x1a, any.length]), any]);

  const decoded = Status.decode(status);
  expect(decoded).toMatchObject({ code: 9, message: 'no', details: [{ typeUrl: String(type) }] });
  expect(ErrorInfo.decode(decoded.details[0]?.value ?? Buffer.alloc(0))).toEqual(ErrorInfo.create({ reason: 'R', domain: 'd' }));
  expect(Buffer.from(Status.encode(decoded).finish())).toEqual(status);
});

test('every kind of detail survives the wire', () => {
  const bad = BadRequest.create({ fieldViolations: [{ field: 'jobs[0].name', description: 'wrong' }] });
  expect(BadRequest.decode(BadRequest.encode(bad).finish())).toEqual(bad);
  const failure = PreconditionFailure.create({ violations: [{ type: 'CONTRACT', subject: 'image@1', description: 'open it' }] });
  expect(PreconditionFailure.decode(PreconditionFailure.encode(failure).finish())).toEqual(failure);
  const retry = RetryInfo.create({ retryDelay: { seconds: 2n ** 40n, nanos: 1 } });
  expect(RetryInfo.decode(RetryInfo.encode(retry).finish())).toEqual(retry);
  const any = Any.create({ typeUrl: 't', value: Buffer.from([0, 255]) });
  expect(Any.decode(Any.encode(any).finish())).toEqual(any);
});
