import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Batcher } from './batcher.js';

const dataError = (): Error => Object.assign(new Error('value out of range'), { code: '22003' });

/** Statements that end when they are told to. */
class Statements {
  readonly batches: (readonly number[])[] = [];
  readonly #ends: (() => void)[] = [];

  readonly run = async (requests: readonly number[]): Promise<number[]> => {
    this.batches.push(requests);
    await new Promise<void>((resolve) => this.#ends.push(resolve));
    return requests.map((n) => n * 2);
  };

  endAll(): void {
    for (const end of this.#ends.splice(0)) end();
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('calls that arrive together share a statement, and each gets its own answer', async () => {
  const batcher = new Batcher<number, number>({ run: async (requests) => requests.map((n) => n * 2) });
  expect(await Promise.all([1, 2, 3].map((n) => batcher.submit(n)))).toEqual([2, 4, 6]);
});

test('at most two statements are under way; what arrives meanwhile makes up the next', async () => {
  const statements = new Statements();
  const batcher = new Batcher<number, number>({ run: statements.run });
  const answers: Promise<number>[] = [];
  for (const n of [1, 2, 3, 4]) {
    answers.push(batcher.submit(n));
    await turn();
  }
  expect(statements.batches).toEqual([[1], [2]]);
  statements.endAll();
  await turn();
  await turn();
  expect(statements.batches).toEqual([[1], [2], [3, 4]]);
  statements.endAll();
  expect(await Promise.all(answers)).toEqual([2, 4, 6, 8]);
});

test('a bad request fails by itself, whatever stands beside it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 40 }), async (bad) => {
      const batcher = new Batcher<boolean, string>({
        run: async (requests) => {
          if (requests.includes(true)) throw dataError();
          return requests.map(() => 'ok');
        },
      });
      const settled = await Promise.allSettled(bad.map((each) => batcher.submit(each)));
      expect(settled.map((s) => s.status === 'rejected')).toEqual(bad);
    }),
  );
});

test('an error that is not of the values fails the batch and is not repeated', async () => {
  let runs = 0;
  const batcher = new Batcher<number, number>({
    run: async () => {
      runs++;
      throw new Error('connection lost');
    },
  });
  const settled = await Promise.allSettled([1, 2, 3].map((n) => batcher.submit(n)));
  expect(settled.map((s) => s.status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(runs).toBe(1);
});

test('a batch keeps to its size, counted as the requests say, but one that is larger alone still goes', async () => {
  const batches: (readonly number[])[] = [];
  const batcher = new Batcher<number, number>({
    run: async (requests) => {
      batches.push(requests);
      return [...requests];
    },
    sizeOf: (n) => n,
    maxSize: 10,
    maxInFlight: 1,
  });
  await Promise.all([4, 5, 6, 20, 1].map((n) => batcher.submit(n)));
  expect(batches).toEqual([[4, 5], [6], [20], [1]]);
});

test('a statement that answers too little is an error, not a hang', async () => {
  const batcher = new Batcher<number, number>({ run: async () => [] });
  await expect(batcher.submit(1)).rejects.toThrow('answered with 0 results');
});
