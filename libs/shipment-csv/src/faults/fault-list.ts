import type { FaultCode, RowFault } from '../shipment.js';
import { shortened } from './excerpt.js';

/** Faults in the order of the file: the first are kept, all are counted. */
export class FaultList {
  readonly listed: RowFault[] = [];
  readonly #longest: number;
  #count = 0;
  #fatal = false;

  constructor(longest: number) {
    this.#longest = longest;
  }

  get count(): number {
    return this.#count;
  }

  /** Nothing that follows could be read with any sense. */
  get fatal(): boolean {
    return this.#fatal;
  }

  add(line: number, column: string, code: FaultCode, message: string): void {
    this.#count += 1;
    if (this.listed.length < this.#longest) this.listed.push({ line, column: shortened(column), code, message });
  }

  /** A fault that ends the reading. */
  end(line: number, column: string, code: FaultCode, message: string): void {
    this.add(line, column, code, message);
    this.#fatal = true;
  }
}
