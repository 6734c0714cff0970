/** 0 done, and a gate that passes; 1 the system refused, and a gate that fails; 2 nobody answers, or nobody can say; 64 the command line is wrong (EX_USAGE of sysexits.h). */
export const exitCodes = { done: 0, refused: 1, unreachable: 2, usage: 64 } as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
