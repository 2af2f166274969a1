/** The ways to process a request that have prices of their own beside the standard one. */
export const serviceTiers = ['flex', 'priority', 'batch'] as const;

export type ServiceTier = (typeof serviceTiers)[number];

/**
 * The words of replies: OpenAI's, where `auto` leaves it open, Anthropic's, Groq's (`on_demand`) and Gemini's, with
 * those of its traffic types.
 */
const wordsOf: Readonly<Record<ServiceTier | 'standard', string>> = {
  standard: 'auto default standard on_demand unspecified traffic_type_unspecified',
  flex: 'flex on_demand_flex',
  priority: 'priority on_demand_priority',
  batch: 'batch',
};

const tierOfWord: ReadonlyMap<string, ServiceTier | 'standard'> = new Map(
  (['standard', ...serviceTiers] as const).flatMap((tier) =>
    wordsOf[tier].split(' ').map((word) => [word, tier] as const),
  ),
);

/**
 * How a request was processed.
 *
 * @param word the provider's own, as the reply tells it; none where it tells nothing, as most do
 * @returns undefined for a way that no price list tells apart
 */
export function serviceTierOf(word: string | undefined): ServiceTier | 'standard' | undefined {
  return word === undefined ? 'standard' : tierOfWord.get(word.toLowerCase());
}
