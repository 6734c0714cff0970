/** What is made of each photo, by all contenders alike: ingest's defaults. */
export const spec = { maxWidth: 1600, maxHeight: 1600, quality: 80, effort: 4 };

/** Photos that every contender makes before it is measured: its programs are loaded and compiled by then, as those of services are that have run for a while. */
export const warmPhotos = (encoders: number): number => 4 * encoders;
