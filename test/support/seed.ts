import fc from 'fast-check';

/** What all random runs begin with. `npm test` chooses and prints it; `--seed` repeats those of another time. */
export const seed = Number(process.env.MODEL_GATEWAY_SEED ?? 0);

fc.configureGlobal({ seed });
