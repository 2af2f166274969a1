import * as z from 'zod';

/** A name in the configuration. IDs of models, headers and logs may contain it. */
export const configName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'expected 1 to 32 lower-case letters, digits and hyphens');

/**
 * Creates a check that refuses two elements of an array with the same value of a member. `problems` has a message
 * for each compared member. A missing member is not compared.
 */
export function refuseDuplicates(problems: Readonly<Record<string, string>>) {
  return (elements: readonly object[], context: z.RefinementCtx): void => {
    for (const [member, message] of Object.entries(problems)) {
      const seen = new Set<unknown>();
      elements.forEach((element, i) => {
        const value: unknown = Reflect.get(element, member);
        if (value === undefined) return;
        if (seen.has(value)) context.addIssue({ code: 'custom', path: [i, member], message });
        seen.add(value);
      });
    }
  };
}

/** Finds the most similar name. At most two letters or a third of them may differ; case is ignored. */
export function findNearestName(input: string, names: readonly string[]): string | undefined {
  const [nearest] = names
    .map((name) => ({ name, distance: countEdits(input.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= Math.max(2, Math.floor(name.length / 3)))
    .sort((one, other) => one.distance - other.distance);
  return nearest?.name;
}

const maxComparedLetters = 64;

/** Counts the letters to insert, delete or replace to convert `input`, which may be long, into the name. */
function countEdits(input: string, name: string): number {
  let row = Array.from({ length: name.length + 1 }, (_, i) => i);
  for (let i = 0; i < Math.min(input.length, maxComparedLetters); i++) {
    const next = [i + 1];
    for (let j = 0; j < name.length; j++) {
      const replaced = (row[j] ?? 0) + (input[i] === name[j] ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return (row.at(-1) ?? 0) + Math.max(0, input.length - maxComparedLetters);
}
