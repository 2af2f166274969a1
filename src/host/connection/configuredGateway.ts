import { isObject } from '../../base/json.ts';
import type { OpenRoute, OpenRouteChoice } from '../../client/types.ts';
import { type HeaderChoice, type HeaderNames, headerPresets } from '../../wire/headerNames.ts';
import type { CredentialHeader } from '../../wire/routes.ts';
import { replaceHidden } from '../kit/display/plainText.ts';

/** A gateway of the user's settings. */
export interface ConfiguredGateway {
  readonly name: string;
  /** The storage key of a renamed gateway, which is its first name. Absent if the gateway was not renamed. */
  readonly id?: string;
  readonly baseUrl: string;
  /** The names of the headers that providers name after themselves. */
  readonly headers?: HeaderChoice;
  /** The paths and credential headers of the messages and the responses format, if they differ from the defaults. */
  readonly openRoutes?: OpenRouteChoice;
  /** The origins in a private network from which results may be downloaded. */
  readonly resultOrigins?: readonly string[];
  /** Whether requests contain fields for prompt caching; by default only if the server is known to accept them. */
  readonly promptCaching?: boolean;
  /** The command that prints the credential. It runs only after the user confirmed it on this machine. */
  readonly credentialCommand?: string;
  /** Further headers by name; null for a value in VS Code's secret storage. */
  readonly extraHeaders?: Readonly<Record<string, string | null>>;
}

/** Returns the storage key of a gateway: its first name. */
export function readIdentity({ id, name }: Pick<ConfiguredGateway, 'id' | 'name'>): string {
  return id ?? name;
}

/** Returns the key of the user's choices for a gateway, which does not change when the gateway is renamed. */
export function buildMemoryKey(
  gateway: Pick<ConfiguredGateway, 'id' | 'name'> & { readonly kind: string },
): string {
  return `${gateway.kind}/${readIdentity(gateway)}`;
}

/** Reads the valid gateways of the settings. If several entries have the same id, only the first entry keeps it. */
export function readGateways(entries: unknown): readonly ConfiguredGateway[] {
  if (!Array.isArray(entries)) return [];
  const ids = new Set<string>();
  return entries.flatMap((entry) => {
    const gateway = readGateway(entry);
    if (gateway?.id === undefined) return gateway ?? [];
    const { id, ...withoutId } = gateway;
    if (ids.has(id)) return withoutId;
    ids.add(id);
    return gateway;
  });
}

/** Header names that HTTP or the credential uses, so that overrides must not use them. */
const reservedHeaders =
  /^(authorization|proxy-.*|cookie|host|connection|content-.*|transfer-encoding|te|trailer|upgrade|expect|accept.*|x-request-id)$/i;

const credentialHeaders: Readonly<Record<CredentialHeader, true>> = {
  bearer: true,
  'vendor-api-key': true,
  'api-key': true,
};

/**
 * Reads an entry of the settings, without its invalid fields.
 *
 * @returns undefined for an entry that is not a gateway
 */
export function readGateway(entry: unknown): ConfiguredGateway | undefined {
  if (!isObject(entry)) return undefined;
  const { name, id, baseUrl, promptCaching } = entry;
  if (typeof name !== 'string' || name === '') return undefined;
  if (typeof baseUrl !== 'string' || !URL.canParse(baseUrl)) return undefined;
  const headers = readHeaderChoice(entry.headers);
  const openRoutes = readOpenRouteChoice(entry.openRoutes);
  const resultOrigins = readOrigins(entry.resultOrigins);
  const { credentialCommand } = entry;
  const extraHeaders = readExtraHeaders(entry.extraHeaders);
  return {
    name,
    ...(typeof id === 'string' && id !== '' && id !== name && { id }),
    baseUrl,
    ...(headers && { headers }),
    ...(openRoutes && { openRoutes }),
    ...(resultOrigins.length > 0 && { resultOrigins }),
    ...(typeof promptCaching === 'boolean' && { promptCaching }),
    ...(typeof credentialCommand === 'string' && credentialCommand !== '' && { credentialCommand }),
    ...(Object.keys(extraHeaders).length > 0 && { extraHeaders }),
  };
}

/** Reads further headers. Does not check them, because a request with an invalid header must fail. */
function readExtraHeaders(value: unknown): Readonly<Record<string, string | null>> {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).map(([name, text]) => [name, text === null ? null : String(text)]),
  );
}

/** Returns the valid origins. Skips entries with a path or a user name, because only their origin would be used. */
function readOrigins(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((entry) => {
    if (typeof entry !== 'string' || !URL.canParse(entry)) return [];
    const { protocol, origin, href } = new URL(entry);
    return /^https?:$/.test(protocol) && href === `${origin}/` ? [origin] : [];
  });
}

function readHeaderChoice(value: unknown): HeaderChoice | undefined {
  if (!isObject(value)) return undefined;
  const preset = value.preset === 'provider' ? 'provider' : 'interface';
  const entries = isObject(value.overrides) ? Object.entries(value.overrides) : [];
  const overrides: Partial<HeaderNames> = Object.fromEntries(entries.filter(isHeaderName));
  return { preset, overrides };
}

function isHeaderName([key, name]: [string, unknown]): boolean {
  if (!Object.hasOwn(headerPresets.interface, key) || typeof name !== 'string') return false;
  return /^[a-z][a-z0-9-]*$/i.test(name) && !reservedHeaders.test(name);
}

function readOpenRouteChoice(value: unknown): OpenRouteChoice | undefined {
  if (!isObject(value)) return undefined;
  const messages = readOpenRoute(value.messages);
  const responses = readOpenRoute(value.responses);
  return { ...(messages && { messages }), ...(responses && { responses }) };
}

function readOpenRoute(value: unknown): OpenRoute | undefined {
  if (!isObject(value)) return undefined;
  const { path, credential } = value;
  return {
    ...(typeof path === 'string' && /^\/[^\s?#]*$/.test(path) && { path }),
    ...(isCredentialHeader(credential) && { credential }),
  };
}

function isCredentialHeader(value: unknown): value is CredentialHeader {
  return typeof value === 'string' && Object.hasOwn(credentialHeaders, value);
}

/** The reason why a name for a gateway is invalid. */
type NameProblem = 'empty' | 'too-long' | 'unprintable' | 'taken';

/** The maximum length of a name, in UTF-16 units. It is small, because the status bar shows the name. */
export const maxGatewayNameLength = 60;

/**
 * Returns why `name` is invalid for a gateway.
 *
 * @param taken the names of other gateways, compared without case
 */
export function findNameProblem(name: string, taken: Iterable<string>): NameProblem | undefined {
  if (name.trim() === '') return 'empty';
  if (name.length > maxGatewayNameLength) return 'too-long';
  if (/[\t\n]/.test(name) || replaceHidden(name, () => '') !== name) return 'unprintable';
  const lowerName = name.toLowerCase();
  return [...taken].some((other) => other.toLowerCase() === lowerName) ? 'taken' : undefined;
}
