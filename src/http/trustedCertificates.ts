import tls from 'node:tls';
import type { buildConnector } from 'undici';

/** Which authorities may sign a server's certificate. */
export interface Trust {
  /**
   * Whether the operating system's certificate authorities are trusted in addition to the bundled ones; true by
   * default.
   */
  readonly systemCertificates?: boolean | undefined;
  /** The only authorities to trust, in PEM. */
  readonly ca?: readonly string[];
}

/**
 * The authorities that may sign a server's certificate: only those in `ca` if it is present, otherwise the bundled
 * ones and, unless turned off, those of the operating system, if Node can list them.
 *
 * @returns undefined for Node's own choice
 */
export function createSecureContext({
  ca,
  systemCertificates = true,
}: Trust = {}): tls.SecureContext | undefined {
  if (ca) return tls.createSecureContext({ ca: [...ca] });
  const system = systemCertificates ? (tls.getCACertificates?.('system') ?? []) : [];
  if (system.length === 0) return undefined;
  return tls.createSecureContext({ ca: [...new Set([...tls.getCACertificates('default'), ...system])] });
}

/**
 * Options of undici's connector: only HTTP/1.1, and only servers with a valid certificate.
 *
 * @param context the trusted authorities; undefined for Node's own choice
 */
export function createConnectOptions(context: tls.SecureContext | undefined) {
  return {
    allowH2: false,
    // Explicit, so that an environment variable cannot turn the check off.
    rejectUnauthorized: true,
    ...(context && { secureContext: context }),
  } as const satisfies buildConnector.BuildOptions;
}
