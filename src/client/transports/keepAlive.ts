/** How long an idle connection is kept, in milliseconds, unless the gateway names a time. */
export const keepAliveMs = 30_000;
