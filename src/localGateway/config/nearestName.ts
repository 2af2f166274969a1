/** The name that was most likely meant, if any is near: two letters or a third of them differ, case aside. */
export function nearestName(written: string, names: readonly string[]): string | undefined {
  const [nearest] = names
    .map((name) => ({ name, distance: distance(written.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= Math.max(2, Math.floor(name.length / 3)))
    .sort((one, other) => one.distance - other.distance);
  return nearest?.name;
}

/** How many letters must be put in, left out or changed to make one text of the other. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (let i = 0; i < Math.min(one.length, 64); i++) {
    const next = [i + 1];
    for (let j = 0; j < other.length; j++) {
      const changed = (row[j] ?? 0) + (one[i] === other[j] ? 0 : 1);
      next.push(Math.min(changed, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return (row.at(-1) ?? 0) + Math.max(0, one.length - 64);
}
