/** The configuration is invalid. The message names the file, each invalid path and the expected value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
