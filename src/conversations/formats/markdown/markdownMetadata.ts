import type { ConversationRecord, MessageRecord } from '../../conversation/conversationRecord.ts';
import { sumKnown } from '../../conversation/joinedResult.ts';

/** Creates the block at the start of a Markdown file, in a simple subset of YAML: names and JSON values. */
export function createFrontMatter(
  conversation: ConversationRecord,
  path: readonly MessageRecord[],
  note: string,
): string {
  const { title, createdAt, changedAt, gatewayName, model } = conversation;
  const values: Readonly<Record<string, string | number | undefined>> = {
    title,
    created: new Date(createdAt).toISOString(),
    changed: new Date(changedAt).toISOString(),
    gateway: gatewayName,
    model: model ?? path.findLast(({ request }) => request)?.request?.model,
    messages: path.length,
    ...sumValues(path),
    note,
  };
  const lines = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${JSON.stringify(value)}`],
  );
  return ['---', ...lines, '---'].join('\n');
}

/** Sums up the reported values. A value that no reply reports is omitted, not zero. */
function sumValues(path: readonly MessageRecord[]): Readonly<Record<string, number | undefined>> {
  const requests = path.flatMap(({ request }) => (request ? [request] : []));
  const costs = requests.map(({ cost }) => cost?.usd);
  return {
    inputTokens: sumKnown(requests.map(({ usage }) => usage?.inputTokens)),
    outputTokens: sumKnown(requests.map(({ usage }) => usage?.outputTokens)),
    costUsd: sumKnown(costs),
    repliesWithoutCost:
      sumKnown(costs) === undefined
        ? undefined
        : costs.filter((usd) => usd === undefined).length || undefined,
  };
}

/** The values of a file's front matter by their names, and the text after the front matter. */
export interface ParsedFrontMatter {
  readonly values: ReadonlyMap<string, string>;
  readonly text: string;
}

/**
 * Reads names and scalar values; lists and nested values are returned as text.
 *
 * @returns undefined if there is no front matter
 */
export function readFrontMatter(markdown: string): ParsedFrontMatter | undefined {
  const lines = markdown.trimStart().split(/\r?\n/);
  if (lines[0]?.trimEnd() !== '---') return undefined;
  const end = lines.findIndex((line, nth) => nth > 0 && /^(?:---|\.\.\.)\s*$/.test(line));
  if (end === -1) return undefined;
  const valueLines = new Map<string, string[]>();
  let value: string[] = [];
  for (const line of lines.slice(1, end)) {
    const [, name, rest = ''] = /^([\w.-]{1,100}):(?:\s(.*))?$/s.exec(line) ?? [];
    if (name === undefined) value.push(line);
    else {
      value = [rest];
      valueLines.set(name, value);
    }
  }
  const values = new Map([...valueLines].map(([name, lines]) => [name, readScalar(lines.join('\n').trim())]));
  return { values, text: lines.slice(end + 1).join('\n') };
}

function readScalar(value: string): string {
  if (/^".*"$/.test(value)) {
    try {
      return String(JSON.parse(value));
    } catch {
      return value.slice(1, -1);
    }
  }
  return /^'.*'$/.test(value) ? value.slice(1, -1).replaceAll("''", "'") : value;
}

/** Creates the Markdown comment before a message, which contains its role and time, and is not rendered. */
export function createMarker({ role, createdAt }: Pick<MessageRecord, 'role' | 'createdAt'>): string {
  return `<!-- message ${role} ${new Date(createdAt).toISOString()} -->`;
}

const markerPattern = /^<!-- message (user|assistant|system|tool) (\S+) -->\s*$/;
const markerLikePattern = /^(\\*)(?=<!-- message )/gm;

/** Reads the role and time of a message from its marker line; undefined for any other line. */
export function readMarker(
  line: string,
): { readonly role: MessageRecord['role']; readonly time: string } | undefined {
  const [, role, time = ''] = markerPattern.exec(line) ?? [];
  return role === undefined ? undefined : { role: role as MessageRecord['role'], time };
}

/** Escapes lines that look like markers. */
export function escapeMarkers(text: string): string {
  return text.replaceAll(markerLikePattern, '\\$1');
}

/** Undoes `escapeMarkers`. */
export function restoreMarkers(text: string): string {
  return text.replaceAll(/^\\(?=\\*<!-- message )/gm, '');
}
