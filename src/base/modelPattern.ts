/** Whether a model's id matches a pattern, in which `*` stands for any text. Case does not count. */
export function modelMatches(model: string, pattern: string): boolean {
  return modelMatcher(pattern)(model);
}

/** Returns what tells of many ids whether they match a pattern, at a cost in proportion to their length. */
export function modelMatcher(pattern: string): (model: string) => boolean {
  const [start = '', ...pieces] = pattern.toLowerCase().split('*');
  const end = pieces.pop();
  return (model) => {
    const id = model.toLowerCase();
    if (end === undefined) return id === start;
    if (!id.startsWith(start) || !id.endsWith(end)) return false;
    let at = start.length;
    for (const piece of pieces) {
      const found = id.indexOf(piece, at);
      if (found === -1) return false;
      at = found + piece.length;
    }
    return at + end.length <= id.length;
  };
}
