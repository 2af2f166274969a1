/** How long an idle connection is kept, in milliseconds, unless the gateway names a time. */
export const KEEP_ALIVE_MS = 30_000;
