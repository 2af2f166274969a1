import * as z from 'zod';

/** A name in the configuration, which may stand in ids of models, headers and logs. */
export const configName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'expected 1 to 32 lower-case letters, digits and hyphens');

/** Refuses two elements of an array with the same value of a member; tells what is wrong by member. */
export function unique(problems: Readonly<Record<string, string>>) {
  return (elements: readonly object[], context: z.RefinementCtx): void => {
    for (const [member, message] of Object.entries(problems)) {
      const seen = new Set<unknown>();
      elements.forEach((element, i) => {
        const value: unknown = Reflect.get(element, member);
        if (seen.has(value)) context.addIssue({ code: 'custom', path: [i, member], message });
        seen.add(value);
      });
    }
  };
}
