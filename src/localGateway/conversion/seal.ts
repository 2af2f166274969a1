import type { TextFormatId } from '../../wire/apis/textFormats.ts';

/** What a provider signed. Formats without signatures of calls write both as reasoning. */
export type Signed = 'reasoning' | 'call';

/**
 * Marks a provider's signature with the API format that it came in, since it means nothing to providers of other
 * formats, and with what it signs. The caller gets it as base64, which every format takes, and sends it back unchanged.
 */
export function sealed(format: TextFormatId, signature: string, signed: Signed): string {
  return Buffer.from(`${format} ${signed}:${signature}`).toString('base64');
}

/** The signature, if it came in this format through this gateway and signs this. */
export function unsealed(format: string, proof: string, signed: Signed): string | undefined {
  const text = Buffer.from(proof, 'base64').toString();
  const [origin = ''] = text.split(':', 1);
  return origin === `${format} ${signed}` ? text.slice(origin.length + 1) : undefined;
}
