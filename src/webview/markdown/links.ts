import { readFileReference } from '../../base/fileReference.ts';

/** Only whole addresses: no relative, `//host` or `\\host` form, and no scheme but these. */
const openable = /^(?:https?:\/\/|mailto:)/i;

/** The address a link in a reply may open, or undefined when it is shown as text instead. */
export function openableLink(raw: string): URL | undefined {
  if (!openable.test(raw)) return undefined;
  return URL.parse(raw) ?? undefined;
}

/**
 * What to show beside a link whose text does not already say where it leads: the host, or the mail
 * address. Undefined when the text is that same place. A name that is not plain ASCII, or an address
 * that carries a user name before its host, is always spelled out.
 */
export function linkDestination(url: URL, text: string): string | undefined {
  const destination = url.protocol === 'mailto:' ? decodeAddress(url.pathname) : url.host;
  if (url.username || url.password || destination.includes('xn--')) return destination;
  return saysDestination(text.trim(), destination) ? undefined : destination;
}

function saysDestination(text: string, destination: string): boolean {
  if (text === destination) return true;
  const shown = openableLink(text) ?? URL.parse(`https://${text}`);
  return shown?.host === destination && !/\s/.test(text);
}

function decodeAddress(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** The host an image would have been loaded from, or the kind of address it has. */
export function imageSource(raw: string): string {
  const url = URL.parse(raw);
  return url?.host || url?.protocol || raw;
}

/**
 * The file of the workspace that a link may open, with its lines, as the reply wrote it; undefined for another link.
 * Whether there is such a file, the host finds out.
 */
export function fileLink(raw: string): string | undefined {
  const decoded = decodeAddress(raw);
  return readFileReference(decoded) && decoded.replace(/^(?:\.\/)+/, '');
}

/** What to show beside a link to a file whose text does not name the file. */
export function fileDestination(file: string, text: string): string | undefined {
  const name = readFileReference(file)?.path.split('/').at(-1) ?? file;
  return text.includes(name) ? undefined : file;
}
