/** Whether a model's id is as a pattern says: `*` stands for any text, case does not count. */
export function modelMatches(model: string, pattern: string): boolean {
  const literal = pattern.split('*').map((piece) => piece.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${literal.join('.*')}$`, 'i').test(model);
}
