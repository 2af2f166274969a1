import tls from 'node:tls';
import type { Connecting } from './transport.ts';

/**
 * The authorities a gateway's certificate may come from: the given ones, or the bundled ones and, unless that is
 * switched off, those of the operating system, where the runtime can list them. Undefined is the runtime's own
 * choice.
 */
export function secureContext({ ca, systemCertificates = true }: Connecting): tls.SecureContext | undefined {
  if (ca) return tls.createSecureContext({ ca: [...ca] });
  const system = (systemCertificates && tls.getCACertificates?.('system')) || [];
  if (system.length === 0) return undefined;
  return tls.createSecureContext({ ca: [...new Set([...tls.getCACertificates('default'), ...system])] });
}
