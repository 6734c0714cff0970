/** The bytes that records are cut by. In UTF-8 none of them is ever part of another character. */
export const LF = 0x0a;
export const CR = 0x0d;
export const QUOTE = 0x22;
export const SUB = 0x1a;
