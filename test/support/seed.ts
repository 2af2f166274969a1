import fc from 'fast-check';

/** The seed of all random runs: `npm test` prints it, and `--seed` sets another one. */
export const seed = Number(process.env.MODEL_GATEWAY_SEED ?? 0);

fc.configureGlobal({ seed });
