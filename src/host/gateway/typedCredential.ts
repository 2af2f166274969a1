type CredentialReading =
  | { readonly ok: true; readonly credential: string }
  | { readonly ok: false; readonly problem: 'empty' | 'line-break' | 'space' | 'unprintable' };

const invisible = /[\u200B-\u200F\u2060\uFEFF\u00AD]/g;
const quoted = /^(["'`“‘«])(.*)(["'`”’»])$/s;

/**
 * Removes surrounding space, quotes, invisible characters and a `Bearer ` prefix from a pasted credential.
 * Rejects a line break inside, which would end the header (F104), and a space, which would end the credential in the
 * header.
 */
export function cleanCredential(text: string): CredentialReading {
  let credential = text.replace(invisible, '').trim();
  credential = (quoted.exec(credential)?.[2] ?? credential).trim();
  credential = credential.replace(/^Bearer\s+/i, '').trim();
  if (credential === '') return { ok: false, problem: 'empty' };
  if (/[\r\n]/.test(credential)) return { ok: false, problem: 'line-break' };
  if (/\s/.test(credential)) return { ok: false, problem: 'space' };
  if (!/^[\x21-\x7e]+$/.test(credential)) return { ok: false, problem: 'unprintable' };
  return { ok: true, credential };
}
