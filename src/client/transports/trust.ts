import tls from 'node:tls';
import { systemSecureContext } from '../../base/node/systemCertificates.ts';
import type { Connecting } from './transport.ts';

/**
 * The authorities that may sign a gateway's certificate: those given, or else the bundled ones and, unless
 * turned off, those of the operating system where the runtime can list them.
 *
 * @returns undefined for the runtime's own choice
 */
export function secureContext({ ca, systemCertificates = true }: Connecting): tls.SecureContext | undefined {
  if (ca) return tls.createSecureContext({ ca: [...ca] });
  return systemCertificates ? systemSecureContext() : undefined;
}
