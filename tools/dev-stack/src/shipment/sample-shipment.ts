/** A shipment file, and what it does to stock. */
export interface Shipment {
  readonly csv: Buffer;
  readonly rows: number;
  /** What each SKU gains, in the order of the SKUs. */
  readonly gains: ReadonlyMap<string, bigint>;
}

const skus = 500;

/** The same at each run: deliveries, and now and then something that goes back; every SKU gains in the end. @param rows at least 23 for each SKU */
export function sampleShipment(rows = 250_000): Shipment {
  const gains = new Map<string, bigint>();
  const lines = ['sku,quantity,note'];
  for (let row = 0; row < rows; row += 1) {
    const sku = `SAMPLE-${String((row % skus) + 1).padStart(4, '0')}`;
    // -2 to 20, each as often as any other for every SKU.
    const quantity = ((row * 7919 + Math.floor(row / skus)) % 23) - 2;
    gains.set(sku, (gains.get(sku) ?? 0n) + BigInt(quantity));
    lines.push(`${sku},${quantity},${quantity < 0 ? '"sent back, damaged"' : ''}`);
  }
  return { csv: Buffer.from(`${lines.join('\r\n')}\r\n`), rows, gains };
}

/** Another file: the first row's quantity is a different one. */
export function changed({ csv }: Shipment): Buffer {
  return Buffer.from(csv.toString('utf8').replace(/^(.*\r\n[^,]*,)-?\d+/, '$1999'));
}
