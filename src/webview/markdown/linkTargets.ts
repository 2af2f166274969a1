import { readFileReference } from '../../base/fileReference.ts';

/** Matches whole addresses with these schemes only, not relative addresses, `//host` or `\\host`. */
const openable = /^(?:https?:\/\/|mailto:)/i;

/** Parses the address of a link in a reply. Undefined if the link may not open it, so that it is shown as text. */
export function parseOpenableLink(address: string): URL | undefined {
  if (!openable.test(address)) return undefined;
  return URL.parse(address) ?? undefined;
}

/**
 * Returns the destination to show next to a link: the host, or the mail address. Undefined if the text of the link
 * is the same destination. A name that is not plain ASCII, or an address with a user name before its host, is always
 * shown.
 */
export function describeLinkDestination(url: URL, text: string): string | undefined {
  const destination = url.protocol === 'mailto:' ? decodeAddress(url.pathname) : url.host;
  if (url.username || url.password || destination.includes('xn--')) return destination;
  return showsDestination(text.trim(), destination) ? undefined : destination;
}

function showsDestination(text: string, destination: string): boolean {
  if (text === destination) return true;
  const textUrl = parseOpenableLink(text) ?? URL.parse(`https://${text}`);
  return textUrl?.host === destination && !/\s/.test(text);
}

function decodeAddress(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Returns the host of an image, or the scheme of its address. */
export function describeImageSource(address: string): string {
  const url = URL.parse(address);
  return url?.host || url?.protocol || address;
}

/**
 * Returns the workspace file that a link may open, with its lines, as written in the reply; undefined for another
 * link. The host checks whether the file exists.
 */
export function readFileLink(address: string): string | undefined {
  const decoded = decodeAddress(address);
  return readFileReference(decoded) && decoded.replace(/^(?:\.\/)+/, '');
}

/** Returns the file to show next to a link; undefined if the text of the link contains the file's name. */
export function describeFileDestination(file: string, text: string): string | undefined {
  const name = readFileReference(file)?.path.split('/').at(-1) ?? file;
  return text.includes(name) ? undefined : file;
}
