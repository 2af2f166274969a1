/** Whether a model's id matches a pattern, in which `*` stands for any text. Case does not count. */
export function modelMatches(model: string, pattern: string): boolean {
  return modelMatcher(pattern)(model);
}

/** Returns what tells of many ids whether they match a pattern. */
export function modelMatcher(pattern: string): (model: string) => boolean {
  const literal = pattern.split('*').map((piece) => piece.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  const whole = new RegExp(`^${literal.join('.*')}$`, 'i');
  return (model) => whole.test(model);
}
