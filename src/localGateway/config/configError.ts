/** The configuration cannot be used. The message names the file, each wrong place and what is expected there. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
