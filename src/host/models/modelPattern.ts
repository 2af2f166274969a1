/** Whether a model's id matches a pattern, in which `*` stands for any text. Case does not count. */
export function modelMatches(model: string, pattern: string): boolean {
  const literal = pattern.split('*').map((piece) => piece.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${literal.join('.*')}$`, 'i').test(model);
}
