/** How much to think in a word, also for a budget in tokens. */
export function effortWord(effort: string | number): string {
  if (typeof effort === 'string') return effort;
  if (effort < 4096) return 'low';
  return effort < 16_384 ? 'medium' : 'high';
}
