import {
  type AddressReading,
  isRemotePlainHttp,
  listDistinct,
  readAddress,
  toggleApi,
} from '../../connection/typedAddress.ts';
import type { UpstreamEntry } from './configEdit.ts';
import { type UpstreamPreset, unusedName } from './upstreamPresets.ts';

/** A new upstream, with the values that the user has entered so far. */
export interface UpstreamDraft {
  readonly preset: UpstreamPreset;
  /** The address as the user entered it. */
  readonly address: string;
  readonly baseUrl: string;
  /** Other possible addresses at the same origin. */
  readonly otherUrls: readonly string[];
  readonly fields: Readonly<Record<string, string>>;
  /** Empty if the upstream does not need a key. */
  readonly key: string;
  /** The command that prints the key; empty without such a command. */
  readonly command: string;
  readonly name: string;
}

/** A new draft with the default values of a preset. */
export function newUpstreamDraft(preset: UpstreamPreset, taken: readonly string[]): UpstreamDraft {
  const fields = (preset.fields ?? []).map(({ name, defaultValue = '' }) => [name, defaultValue]);
  const { baseUrl, command = '' } = preset;
  const name = unusedName(preset.name, taken);
  return {
    preset,
    address: baseUrl,
    baseUrl,
    otherUrls: [],
    fields: Object.fromEntries(fields),
    key: '',
    command,
    name,
  };
}

/** The configuration entry of a draft. */
export function createUpstreamEntry({
  preset,
  baseUrl,
  fields,
  command,
  name,
}: UpstreamDraft): UpstreamEntry {
  const keyCommand = command === '' ? {} : { keyCommand: command };
  const plainHttp = isRemotePlainHttp(baseUrl) ? { plainHttp: true } : {};
  return { name, kind: preset.kind, baseUrl, ...plainHttp, ...fields, ...preset.entry, ...keyCommand };
}

/**
 * The draft with another address. Its key is removed at another origin, because a key is sent only to its own origin.
 */
export function withAddress(
  draft: UpstreamDraft,
  [baseUrl, ...otherUrls]: readonly [string, ...string[]],
  address = baseUrl,
): UpstreamDraft {
  const isSameOrigin = draft.baseUrl !== '' && new URL(draft.baseUrl).origin === new URL(baseUrl).origin;
  return { ...draft, address, baseUrl, otherUrls, key: isSameOrigin ? draft.key : '' };
}

/**
 * Reads the entered address of an upstream. An OpenAI-compatible upstream has several possible paths, because its
 * address usually ends in /v1. For all other kinds, the gateway adds the version itself.
 */
export function readUpstreamAddress(text: string, kind: string): AddressReading {
  return readAddress(text, kind === 'openai-compatible' ? compatiblePathCandidates : (path) => [path]);
}

function compatiblePathCandidates(path: string): readonly [string, ...string[]] {
  const [, base, version] = /^(.*)(\/v\d[a-z0-9]*)$/.exec(path) ?? [];
  if (base !== undefined) return listDistinct(path, base, `${toggleApi(base)}${version}`);
  if (/\/v\d[a-z0-9]*\//.test(path)) return [path];
  const versioned = `${path}/v1`;
  const [first, second] = path === '' || path.endsWith('/api') ? [versioned, path] : [path, versioned];
  return listDistinct(first, second, `${toggleApi(path)}/v1`);
}

/** The problem of a name, `form` for invalid characters or length; undefined if it is valid. */
export function upstreamNameProblem(name: string, taken: readonly string[]): 'form' | 'taken' | undefined {
  if (!/^[a-z0-9][a-z0-9-]{0,31}$/.test(name)) return 'form';
  return taken.includes(name) || name === 'demo' ? 'taken' : undefined;
}
