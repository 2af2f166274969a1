import assert from 'node:assert/strict';
import type { FailedReplyRow } from './failureReplies.ts';

/** A credential that must not appear anywhere. */
export const canary = 'canary-7Zk3Qw9Xv2Lm8Rt5Bn1Yc4';
const hex = Buffer.from(canary).toString('hex');

/** The forms in which a gateway may repeat a credential. */
const forms: Readonly<Record<string, string>> = {
  raw: canary,
  base64: Buffer.from(canary).toString('base64'),
  base64url: Buffer.from(canary).toString('base64url'),
  percent: hex.replaceAll(/../g, '%$&'),
  json: hex.replaceAll(/../g, '\\u00$&'),
  hex,
  slice: canary.slice(9, 21),
};

/** The credential in every form, as a gateway may repeat it. */
export const echo = Object.values(forms).join(' ');

/** The headers of a reply that repeat the credential. */
export const echoHeaders = { 'x-request-id': canary, 'x-echo': echo, 'set-cookie': `key=${canary}` };

/** The body of a reply with the credential in its error message, and in every other place that has room for it. */
export function addEcho({ body, message }: FailedReplyRow): string {
  const words = /^[~-]/.test(message) ? 'Words' : message;
  const echoed = body.replace(words, `${words} ${echo.replaceAll('\\', '\\\\')}`);
  return /^\s*\{"/.test(echoed) ? echoed.replace('{"', `{"echo":"${canary}","`) : `${echoed}\n${echo}`;
}

/** Fails if a text contains the credential in any form. */
export function assertNoCanary(text: string, where: string): void {
  for (const [form, value] of Object.entries(forms)) {
    const at = text.indexOf(value);
    assert.equal(
      at,
      -1,
      `${where} contains the credential (${form}): ${text.slice(Math.max(0, at - 60), at + 60)}`,
    );
  }
}
