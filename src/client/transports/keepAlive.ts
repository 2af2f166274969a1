/** An idle connection is kept this long, unless the gateway names a time of its own. */
export const KEEP_ALIVE_MS = 30_000;
