/** How much to think in a word, also for a budget in tokens. */
export function effortWord(effort: string | number): string {
  if (typeof effort === 'string') return effort;
  if (effort < 4096) return 'low';
  return effort < 16_384 ? 'medium' : 'high';
}

const near: Readonly<Record<string, string>> = { minimal: 'low', xhigh: 'high', max: 'high' };

/** The nearest of the words low, medium and high, which most models know; another word stays as it is. */
export function plainEffort(word: string): string {
  return (Object.hasOwn(near, word) ? near[word] : undefined) ?? word;
}
