/** The first VS Code whose own chat works without an account, with the models of extensions. */
export const firstVersionWithoutAccount = '1.122';

/**
 * Whether VS Code's own chat requires an account.
 *
 * @param version of VS Code; an invalid version counts as new
 */
export function requiresAccount(version: string): boolean {
  const [major, minor] = parseVersion(version);
  const [firstMajor, firstMinor] = parseVersion(firstVersionWithoutAccount);
  return major < firstMajor || (major === firstMajor && minor < firstMinor);
}

function parseVersion(version: string): readonly [major: number, minor: number] {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(version) ?? [];
  return [Number(major ?? Number.POSITIVE_INFINITY), Number(minor ?? 0)];
}
