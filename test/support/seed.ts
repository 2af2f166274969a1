import fc from 'fast-check';

/** What all random runs begin with: `npm test` prints it, and `--seed` gives another. */
export const seed = Number(process.env.MODEL_GATEWAY_SEED ?? 0);

fc.configureGlobal({ seed });
