/** Returns a function that tests model ids against a pattern; `*` matches any text. Case is ignored. */
export function createModelMatcher(pattern: string): (model: string) => boolean {
  const [start = '', ...pieces] = pattern.toLowerCase().split('*');
  const end = pieces.pop();
  return (model) => {
    const id = model.toLowerCase();
    if (end === undefined) return id === start;
    if (!id.startsWith(start) || !id.endsWith(end)) return false;
    let position = start.length;
    for (const piece of pieces) {
      const index = id.indexOf(piece, position);
      if (index === -1) return false;
      position = index + piece.length;
    }
    return position + end.length <= id.length;
  };
}
