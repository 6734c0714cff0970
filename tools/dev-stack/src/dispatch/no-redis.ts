/** Said on the command line to have none. */
export const noRedis = 'none';
