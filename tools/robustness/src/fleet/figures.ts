/** Sums the samples of one metric in Prometheus' text format whose labels are as given. */
export function sumOf(text: string, metric: string, labels: Readonly<Record<string, string>> = {}): number {
  let sum = 0;
  for (const line of text.split('\n')) {
    const [, name, given = '', value] = /^([a-z_:]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name !== metric) continue;
    const has = new Map([...given.matchAll(/([a-z_]+)="([^"]*)"/g)].map(([, key, label]) => [key, label]));
    if (Object.entries(labels).every(([key, label]) => has.get(key) === label)) sum += Number(value);
  }
  return sum;
}
