import { Metadata, ServerInterceptingCall, status, type ServerInterceptingCallInterface, type ServerInterceptor } from '@grpc/grpc-js';
import { Counter, Histogram, type Registry } from 'prom-client';
import { isTooLarge } from './service-error.js';
import { codeName, DETAILS_TRAILER, encodeDetails } from './status-details.js';

type Answer = Parameters<ServerInterceptingCallInterface['sendStatus']>[0];

/** Unary work takes milliseconds; long polls take up to 30 s. */
const DURATION_BUCKETS_S = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/**
 * Sees every status that leaves the server, also those that grpc-js sends by itself (deadline, size limit, unreadable request), counts
 * it, and gives it its ErrorInfo. It replaces `sendStatus` on the innermost call, through which grpc-js sends all of them.
 * @param domainOf the domain of a service, by its full name.
 */
export function callObserver(registry: Registry, domainOf: (service: string) => string): ServerInterceptor {
  const calls = new Counter({
    name: 'leasehold_rpc_server_calls_total',
    help: 'Calls answered, by method and status; CANCELLED: the caller left before the answer',
    labelNames: ['method', 'code'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'leasehold_rpc_server_duration_seconds',
    help: 'From the arrival of a call to its status, long polls and streams included',
    labelNames: ['method'],
    buckets: DURATION_BUCKETS_S,
    registers: [registry],
  });
  return (method, call) => {
    const startedAt = performance.now();
    const domain = domainOf(method.path.split('/')[1] ?? '');
    let ended = false;
    const end = (code: status): void => {
      if (ended) return;
      ended = true;
      calls.inc({ method: method.path, code: codeName(code) });
      durations.observe({ method: method.path }, (performance.now() - startedAt) / 1000);
    };
    const sendStatus = call.sendStatus.bind(call);
    call.sendStatus = (answer) => {
      const complete = withDetails(answer, domain);
      end(complete.code);
      sendStatus(complete);
    };
    return new ServerInterceptingCall(call, { start: (next) => next({ onCancel: () => end(status.CANCELLED) }) });
  };
}

/** The answer with exactly one ErrorInfo. UNKNOWN, which grpc-js answers for what it cannot name, leaves as INTERNAL. */
function withDetails(answer: Answer, domain: string): Answer {
  if (answer.code === status.OK || (answer.metadata?.get(DETAILS_TRAILER).length ?? 0) > 0) return answer;
  const unknown = answer.code === status.UNKNOWN;
  const code = unknown ? status.INTERNAL : answer.code;
  const message = unknown ? 'an internal error' : answer.details;
  const metadata = answer.metadata?.clone() ?? new Metadata();
  const reason = isTooLarge(answer) ? 'MESSAGE_TOO_LARGE' : codeName(code);
  metadata.set(DETAILS_TRAILER, encodeDetails({ code, reason, domain, message, metadata: {} }));
  return { code, details: message, metadata };
}
