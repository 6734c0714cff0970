import { once } from 'node:events';
import { createWriteStream } from 'node:fs';

/** Writes a shipment of so many rows, over so many SKUs in no order. The same size makes the same file. */
export async function writeShipment(path: string, o: { rows: number; skus: number }): Promise<void> {
  const file = createWriteStream(path);
  file.write('sku,quantity\n');
  let state = 1;
  let text = '';
  for (let row = 0; row < o.rows; row += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    // The upper bits: the lower ones of such a generator repeat soon.
    text += `SKU-${String(Math.floor((state / 2 ** 32) * o.skus)).padStart(7, '0')},${1 + (row % 9)}\n`;
    if (text.length > 1 << 16 || row === o.rows - 1) {
      if (!file.write(text)) await once(file, 'drain');
      text = '';
    }
  }
  file.end();
  await once(file, 'close');
}
