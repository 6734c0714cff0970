import { ServerInterceptingCall, type ServerInterceptingCallInterface } from '@grpc/grpc-js';

/** The call, for an interceptor that has nothing to do with it: a further wrapping would cost every call and serve none. */
export const untouched = (call: ServerInterceptingCallInterface): ServerInterceptingCall =>
  call instanceof ServerInterceptingCall ? call : new ServerInterceptingCall(call);
