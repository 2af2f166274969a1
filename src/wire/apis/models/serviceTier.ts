/** The service tiers that have prices of their own, besides the standard tier. */
export const serviceTiers = ['flex', 'priority', 'batch'] as const;

export type ServiceTier = (typeof serviceTiers)[number];

/**
 * The words of OpenAI, Anthropic, Groq (`on_demand`) and Gemini (traffic types). OpenAI's `auto` does not name a tier,
 * and its `fast` is another name of `priority`.
 */
const wordsByTier: Readonly<Record<ServiceTier | 'standard', string>> = {
  standard: 'auto default standard on_demand unspecified traffic_type_unspecified',
  flex: 'flex on_demand_flex',
  priority: 'priority fast on_demand_priority',
  batch: 'batch',
};

const tierOfWord: ReadonlyMap<string, ServiceTier | 'standard'> = new Map(
  (['standard', ...serviceTiers] as const).flatMap((tier) =>
    wordsByTier[tier].split(' ').map((word) => [word, tier] as const),
  ),
);

/**
 * Returns the service tier of a request.
 *
 * @param word the provider's word in the request or the reply; undefined if there is none, as in most requests
 * @returns undefined for a tier without prices of its own in any price list
 */
export function findServiceTier(word: string | undefined): ServiceTier | 'standard' | undefined {
  return word === undefined ? 'standard' : tierOfWord.get(word.toLowerCase());
}
