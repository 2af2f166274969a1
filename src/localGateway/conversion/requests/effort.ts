const near: Readonly<Record<string, string>> = { minimal: 'low', xhigh: 'high', max: 'high' };

/** The nearest of the words low, medium and high; another word stays as it is. */
export function plainEffort(word: string): string {
  return (Object.hasOwn(near, word) ? near[word] : undefined) ?? word;
}
