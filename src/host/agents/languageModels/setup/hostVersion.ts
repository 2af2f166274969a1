/** The first VS Code whose own chat answers without an account, with the models of extensions. */
export const firstWithoutAccount = '1.122';

/**
 * Whether VS Code's own chat asks for an account before it answers.
 *
 * @param version of VS Code; one that cannot be read counts as new
 */
export function asksForAccount(version: string): boolean {
  const [major, minor] = numbersOf(version);
  const [firstMajor, firstMinor] = numbersOf(firstWithoutAccount);
  return major < firstMajor || (major === firstMajor && minor < firstMinor);
}

function numbersOf(version: string): readonly [major: number, minor: number] {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(version) ?? [];
  return [Number(major ?? Number.POSITIVE_INFINITY), Number(minor ?? 0)];
}
