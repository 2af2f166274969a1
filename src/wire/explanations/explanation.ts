import { isObject } from '../../base/json.ts';
import { sentences } from './sentences.ts';

export type SentenceId = keyof typeof sentences;

/** A host behind a proxy, both with their ports. */
interface ProxiedHost {
  readonly host: string;
  readonly proxy: string;
}

/** The arguments of sentences, by placeholder. The name of a number contains its unit. */
export interface SentenceArgs {
  /** With its port. */
  readonly host: string | ProxiedHost;
  /** With its port. */
  readonly proxy: string;
  /** The origin that a redirect leads to. */
  readonly target: string;
  /** The address of a gateway. */
  readonly address: string;
  /** The name of a gateway. */
  readonly gateway: string;
  /** The message of another program or of the system. */
  readonly cause: string;
  /** A member of a JSON object. */
  readonly member: string;
  readonly mimeType: string;
  /** The name of a spending limit. */
  readonly limit: string;
  /** Amounts of a spending limit, with their unit. */
  readonly used: string;
  readonly allowed: string;
  readonly needed: string;
  /** A date with its time. */
  readonly resets: string;
  /** The name of a header, as the user wrote it. */
  readonly header: string;
  /** The name of a tool, as the model wrote it. */
  readonly tool: string;
  /** The original name of an attached file. */
  readonly file: string;
  /** The path of a folder on this machine. */
  readonly folder: string;
  /** The system's code of an error. */
  readonly code: string;
  readonly status: number;
  /** Shown in brackets after a space; empty if the error is inside a reply with a success status. */
  readonly httpStatus: number | undefined;
  readonly waitMs: number;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly neededBytes: number;
  readonly receivedBytes: number;
  readonly freeBytes: number;
  /** In bytes, shown exactly. */
  readonly size: number;
  readonly announcedSize: number;
  readonly maxMiB: number;
  /** In UTF-16 units. */
  readonly maxLength: number;
  /** The number of things that the sentence names. */
  readonly count: number;
  /** The version of a file's format. */
  readonly version: number;
}

type Placeholder<Template extends string> = Template extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholder<Rest>
  : never;

type ArgsOf<Id extends SentenceId> = Pick<SentenceArgs, Placeholder<(typeof sentences)[Id]>>;

/** The cause of a failure and the next step: the id of a sentence and its arguments, independent of language. */
export type Explanation = {
  [Id in SentenceId]: { readonly id: Id; readonly args: ArgsOf<Id> };
}[SentenceId];

/** The ids of sentences with no other placeholders than `Names`. */
export type SentenceIdWith<Names extends keyof SentenceArgs> = {
  [Id in SentenceId]: Placeholder<(typeof sentences)[Id]> extends Names ? Id : never;
}[SentenceId];

/**
 * An explanation from one sentence and its arguments. If `id` may be one of several ids, `args` contains the arguments
 * of all their sentences.
 */
export function explain<Id extends SentenceId>(
  id: Id,
  ...[args]: Placeholder<(typeof sentences)[Id]> extends never ? [] : [args: ArgsOf<Id>]
): Explanation {
  return { id, args: args ?? {} } as Explanation;
}

/**
 * Reads an explanation that was stored as JSON.
 *
 * @returns undefined if this version does not have the sentence, or if an argument is missing
 */
export function readExplanation(value: unknown): Explanation | undefined {
  if (!isObject(value) || typeof value.id !== 'string' || !Object.hasOwn(sentences, value.id))
    return undefined;
  const { id, args } = value as { readonly id: SentenceId; readonly args: unknown };
  if (!isObject(args) || !listPlaceholders(sentences[id]).every((name) => isArg(name, args[name])))
    return undefined;
  return { id, args } as unknown as Explanation;
}

/** Fills the placeholders of a template, which may be a translation. */
type Fill = (template: string, words: Readonly<Record<string, string>>) => string;

/**
 * An explanation as text.
 *
 * @param fill for every template, including the template of a host behind a proxy
 */
export function formatExplanation({ id, args }: Explanation, fill: Fill): string {
  const template = sentences[id];
  const values: Readonly<Record<string, unknown>> = { ...args };
  const words = listPlaceholders(template).map(
    (name) => [name, formatArg(name, values[name], fill)] as const,
  );
  return fill(template, Object.fromEntries(words));
}

export function inEnglish(explanation: Explanation): string {
  return formatExplanation(explanation, (template, words) =>
    template.replaceAll(placeholder, (all, name: string) => words[name] ?? all),
  );
}

const placeholder = /\{(\w+)\}/g;

function listPlaceholders(template: string): readonly string[] {
  return [...template.matchAll(placeholder)].map(([, name = '']) => name);
}

function isProxiedHost(value: unknown): value is ProxiedHost {
  return isObject(value) && typeof value.host === 'string' && typeof value.proxy === 'string';
}

type NumberName = {
  [Name in keyof SentenceArgs]: number extends SentenceArgs[Name] ? Name : never;
}[keyof SentenceArgs];

/** The placeholders for numbers. */
const numberNames: Readonly<Record<NumberName, true>> = {
  status: true,
  httpStatus: true,
  waitMs: true,
  timeoutMs: true,
  maxBytes: true,
  neededBytes: true,
  receivedBytes: true,
  freeBytes: true,
  size: true,
  announcedSize: true,
  maxMiB: true,
  maxLength: true,
  count: true,
  version: true,
};

function isArg(name: string, value: unknown): boolean {
  if (Object.hasOwn(numberNames, name))
    return typeof value === 'number' || (name === 'httpStatus' && value === undefined);
  return typeof value === 'string' || (name === 'host' && isProxiedHost(value));
}

function formatArg(name: string, value: unknown, fill: Fill): string {
  if (isProxiedHost(value)) {
    const { host, proxy } = value;
    return fill(sentences['host-through-proxy'], { host, proxy });
  }
  if (typeof value !== 'number') return typeof value === 'string' ? value : '';
  if (name === 'httpStatus') return ` (HTTP ${value})`;
  if (name.endsWith('Ms')) return formatDuration(value);
  return name.endsWith('Bytes') ? formatBytes(value) : String(value);
}

function formatDuration(ms: number): string {
  return ms % 1000 === 0 ? `${ms / 1000} s` : `${ms} ms`;
}

function formatBytes(bytes: number): string {
  return bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.ceil(bytes / 1e6)} MB`;
}
