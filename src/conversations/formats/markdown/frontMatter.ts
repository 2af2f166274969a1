import type { ConversationRecord, MessageRecord } from '../../conversation/record.ts';

/** The block before the text of a Markdown file, of YAML in its simplest form: names and JSON values. */
export function frontMatter(
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
    ...figures(path),
    note,
  };
  const lines = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${JSON.stringify(value)}`],
  );
  return ['---', ...lines, '---'].join('\n');
}

/** Sums over the answers that tell; what none tells is left out, never zero. */
function figures(path: readonly MessageRecord[]): Readonly<Record<string, number | undefined>> {
  const answers = path.flatMap(({ request }) => (request ? [request] : []));
  const costs = answers.map(({ cost }) => cost?.usd);
  return {
    inputTokens: sum(answers.map(({ usage }) => usage?.inputTokens)),
    outputTokens: sum(answers.map(({ usage }) => usage?.outputTokens)),
    costUsd: sum(costs),
    answersWithoutCost:
      sum(costs) === undefined ? undefined : costs.filter((usd) => usd === undefined).length || undefined,
  };
}

function sum(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length > 0 ? known.reduce((one, other) => one + other) : undefined;
}

/** The front matter of a file, by names, and the text behind it. */
export interface ReadFrontMatter {
  readonly values: ReadonlyMap<string, string>;
  readonly text: string;
}

/**
 * Reads names and scalar values; lists and nested values stay as they are written.
 *
 * @returns undefined where there is no front matter
 */
export function readFrontMatter(markdown: string): ReadFrontMatter | undefined {
  const lines = markdown.trimStart().split(/\r?\n/);
  if (lines[0]?.trimEnd() !== '---') return undefined;
  const end = lines.findIndex((line, nth) => nth > 0 && /^(?:---|\.\.\.)\s*$/.test(line));
  if (end === -1) return undefined;
  const written = new Map<string, string[]>();
  let value: string[] = [];
  for (const line of lines.slice(1, end)) {
    const [, name, rest = ''] = /^([\w.-]{1,100}):(?:\s+(.*))?$/.exec(line) ?? [];
    if (name === undefined) value.push(line);
    else {
      value = [rest];
      written.set(name, value);
    }
  }
  const values = new Map([...written].map(([name, lines]) => [name, scalar(lines.join('\n').trim())]));
  return { values, text: lines.slice(end + 1).join('\n') };
}

function scalar(value: string): string {
  if (/^".*"$/.test(value)) {
    try {
      return String(JSON.parse(value));
    } catch {
      return value.slice(1, -1);
    }
  }
  return /^'.*'$/.test(value) ? value.slice(1, -1).replaceAll("''", "'") : value;
}
