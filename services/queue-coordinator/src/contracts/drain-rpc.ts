import { WatchDrainResponse } from '@leasehold/rollout-v1';
import type { CallContext } from '@leasehold/rpc';
import type { ContractName } from './contract.js';
import { totalLeft } from './facts.js';
import { contractOf } from './gates/readers.js';
import { leftMessage, nothingLeft } from './messages.js';
import { contractAndFacts } from './requests.js';
import type { RolloutParts } from './rollout-parts.js';

/** How long a watcher sleeps at most, and at least, between two looks. */
const drainEveryMs = 1_000;

/** What is left of a contract, now and after each change, until nothing is. */
export async function* watchDrain(parts: RolloutParts, name: ContractName, call: CallContext): AsyncIterable<WatchDrainResponse> {
  const signal = AbortSignal.any([call.signal, call.draining]);
  const subscription = parts.wakeups.subscribe('change');
  try {
    let shown = '';
    for (;;) {
      const { facts } = await contractAndFacts(parts, name);
      const contract = contractOf(facts, name.version);
      const left = contract?.left ?? nothingLeft;
      const key = JSON.stringify({ ...left, oldestJobMs: 0, oldestOutcomeMs: 0 });
      if (key !== shown) yield WatchDrainResponse.create({ left: leftMessage(left), witnesses: [...(contract?.jobs ?? []), ...(contract?.outcomes ?? [])].slice(0, 10) });
      shown = key;
      if (totalLeft(left) === 0 || signal.aborted) return;
      // Counting a long queue is not free: once a second at most, however much changes.
      await subscription.wait(drainEveryMs, signal);
    }
  } finally {
    subscription.close();
  }
}
