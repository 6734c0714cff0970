/** Where the migrations of `records` lie, seen from src/ and from dist/ alike. */
export const migrationsDirectory = new URL('../migrations/', import.meta.url);
/** What the role of the service is granted. */
export const serviceRole = new URL('../service-role.sql', import.meta.url);
