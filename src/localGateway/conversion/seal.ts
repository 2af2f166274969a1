import type { TextFormatId } from '../../wire/apis/textFormats.ts';

/**
 * Marks a provider's signature with the API format that it came in, since it means nothing to providers of other
 * formats. The caller gets it as base64, which every format takes, and sends it back unchanged.
 */
export function sealed(format: TextFormatId, signature: string): string {
  return Buffer.from(`${format}:${signature}`).toString('base64');
}

/** The signature, if it came in this format through this gateway. */
export function unsealed(format: TextFormatId, proof: string): string | undefined {
  const text = Buffer.from(proof, 'base64').toString();
  const [origin = ''] = text.split(':', 1);
  return origin === format ? text.slice(origin.length + 1) : undefined;
}
