/** What a placeholder may be at most: it travels with the card. Apart from what makes one, as the worker itself loads no decoder. */
export const placeholderMost = { bytes: 1024, side: 32 } as const;
