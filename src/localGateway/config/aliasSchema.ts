import * as z from 'zod';
import { splitName } from '../models/modelTable.ts';
import { demoName } from '../upstreams/upstreamFields.ts';
import { nearestName } from './nearestName.ts';

/** A name for one model or several. */
export const alias = z
  .strictObject({
    name: z
      .string()
      .regex(
        /^[A-Za-z0-9][A-Za-z0-9._:@/-]{0,127}$/,
        'expected 1 to 128 letters, digits and . _ : @ / -, beginning with a letter or a digit',
      )
      .describe('The model id that callers write. It goes before the same id of any upstream.'),
    models: z
      .array(z.string().min(1))
      .min(1)
      .max(50)
      .describe('The models that answer, each as name/id with the name of an upstream of this file.'),
    strategy: z
      .enum(['fallback', 'round-robin', 'weighted'])
      .optional()
      .describe(
        'Which model is asked first: always the first one (fallback, where absent), each in turn (round-robin), or each as often as its weight says (weighted). The next one is asked when nothing was sent, or after 429; never for what creates a task.',
      ),
    weights: z
      .record(z.string(), z.number().int().min(1).max(1_000))
      .optional()
      .describe('How often each model is asked in proportion to the others, by name/id; 1 where absent.'),
    nextOnServerError: z
      .boolean()
      .optional()
      .describe(
        'Whether the next model is asked when an upstream answers 5xx or breaks off before its reply. Both requests may be billed. Off where absent.',
      ),
    nextAfterSeconds: z
      .number()
      .min(0.1)
      .max(600)
      .optional()
      .describe(
        'How long the first byte of a reply may take before that request is given up and the next model is asked. Both requests may be billed. No limit where absent.',
      ),
  })
  .superRefine(({ models, strategy, weights }, context) => {
    models.forEach((model, i) => {
      if (models.indexOf(model) < i)
        context.addIssue({ code: 'custom', path: ['models', i], message: 'this model is named already' });
    });
    if (!weights) return;
    if (strategy !== 'weighted')
      context.addIssue({
        code: 'custom',
        path: ['weights'],
        message: 'weights count with the strategy "weighted" alone',
      });
    for (const model of Object.keys(weights)) {
      if (models.includes(model)) continue;
      const message = `the alias names no such model${meant(model, models)}`;
      context.addIssue({ code: 'custom', path: ['weights', model], message });
    }
  });

export type AliasConfig = z.infer<typeof alias>;

/** Refuses aliases that name no upstream, and those whose names would be ids of one. */
export function checkAliases(
  {
    aliases = [],
    upstreams,
  }: {
    readonly aliases?: readonly AliasConfig[] | undefined;
    readonly upstreams: readonly { name: string }[];
  },
  context: z.RefinementCtx,
): void {
  const names = [demoName, ...upstreams.map(({ name }) => name)];
  aliases.forEach(({ name, models }, i) => {
    const [before] = splitName(name);
    if (names.includes(before))
      context.addIssue({
        code: 'custom',
        path: ['aliases', i, 'name'],
        message: `ids that begin with "${before}/" are of the upstream of that name`,
      });
    models.forEach((model, j) => {
      const [upstream, id] = splitName(model);
      if (names.includes(upstream) && id !== '') return;
      const message =
        upstream === ''
          ? 'expected name/id, with the name of an upstream before the id'
          : `there is no upstream "${upstream}"${meant(upstream, names)}`;
      context.addIssue({ code: 'custom', path: ['aliases', i, 'models', j], message });
    });
  });
}

function meant(written: string, names: readonly string[]): string {
  const nearest = nearestName(written, names);
  return nearest === undefined ? '' : `; did you mean "${nearest}"?`;
}
