/** What is made of each photo, by all contenders alike: ingest's defaults. */
export const spec = { maxWidth: 1600, maxHeight: 1600, quality: 80, effort: 4 };
