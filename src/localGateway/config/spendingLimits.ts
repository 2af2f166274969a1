import * as z from 'zod';
import { type SpendingLimit, toBillionths } from '../../storage/spending/spendingLimit.ts';

/** A limit of the costs or tokens in a period. */
export const spendingLimit = z
  .strictObject({
    per: z.enum(['day', 'month']).describe('Whether it applies to a day or a calendar month, in local time.'),
    money: z.number().positive().max(1_000_000).optional().describe('Allowed costs in US dollars.'),
    tokens: z
      .number()
      .int()
      .min(1)
      .max(1e12)
      .optional()
      .describe('Allowed number of tokens, input and output together, instead of money.'),
    unpriced: z
      .enum(['refuse', 'allow'])
      .optional()
      .describe('Whether a limit of money allows requests whose price is unknown. Default: refuse.'),
  })
  .superRefine(({ money, tokens }, context) => {
    if ((money === undefined) !== (tokens === undefined)) return;
    context.addIssue({ code: 'custom', message: 'expected either money or tokens' });
  });

type LimitConfig = z.infer<typeof spendingLimit>;

interface LimitedConfig {
  readonly limits?: readonly LimitConfig[] | undefined;
  readonly credentials?:
    | readonly { readonly name: string; readonly limits?: readonly LimitConfig[] | undefined }[]
    | undefined;
}

/**
 * Reads the limits of a configuration: first the limits of all credentials together, then the limits of each
 * credential.
 */
export function readSpendingLimits({
  limits = [],
  credentials = [],
}: LimitedConfig): readonly SpendingLimit[] {
  return [
    ...limits.map((each) => readLimit(each)),
    ...credentials.flatMap(({ name, limits: own = [] }) => own.map((each) => readLimit(each, name))),
  ];
}

/** @param credential the name of the only credential to which the limit applies; absent if it applies to all */
function readLimit({ per, money, tokens, unpriced }: LimitConfig, credential?: string): SpendingLimit {
  const amount = money === undefined ? `${tokens} tokens` : `${money} USD`;
  return {
    name: `${amount} a ${per}`,
    per,
    allowed: toBillionths(money) ?? tokens ?? 0,
    ...(money !== undefined && { currency: 'USD', allowsUnpriced: unpriced === 'allow' }),
    ...(credential !== undefined && { initiator: credential }),
  };
}
