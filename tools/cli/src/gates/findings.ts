import { indented } from '../print/table.js';
import type { Session } from '../session.js';

/** One thing that stands in the way. */
export interface Obstacle {
  readonly code: string;
  readonly subject: string;
  readonly description: string;
}

/** A line for the code and its witness, and one for what is wrong with it. */
export const findingLines = (findings: readonly Obstacle[], { ink }: Session): string =>
  findings.map(({ code, subject, description }) => `${indented(`${ink.red(code)}  ${subject}`)}\n${indented(description, 6)}`).join('\n');
