/** Where the migrations of `records` lie, seen from src/ and from dist/ alike. */
export const migrationsDirectory = new URL('../migrations/', import.meta.url);
