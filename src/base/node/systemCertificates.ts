import tls from 'node:tls';

/**
 * Trusts the operating system's certificate authorities beside the bundled ones.
 *
 * @returns undefined, the runtime's own choice, where the runtime cannot list the system's
 */
export function systemSecureContext(): tls.SecureContext | undefined {
  const system = tls.getCACertificates?.('system') ?? [];
  if (system.length === 0) return undefined;
  return tls.createSecureContext({ ca: [...new Set([...tls.getCACertificates('default'), ...system])] });
}
