import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { ReplyHeaders } from '../../src/base/replyHeaders.ts';

/** A failed reply and its meaning. */
export interface FailedReplyRow {
  readonly title: string;
  readonly group: string;
  readonly route: string;
  readonly status: number;
  readonly headers: ReplyHeaders;
  readonly failureClass: string;
  readonly hint: string;
  readonly step: string;
  readonly message: string;
  readonly body: string;
}

/** A bundle has no address of its own: scripts/windowTests.mjs passes the folder of the fixtures. */
const { MODEL_GATEWAY_TEST_FIXTURES: fixtureFolder } = process.env;
const fixtures = fixtureFolder
  ? pathToFileURL(`${fixtureFolder}/`)
  : new URL('../fixtures/', import.meta.url);
const file = new URL('failures/replies.txt', fixtures);

/** Bodies that are too long for the table, by their name in the table. */
export const bodies: Readonly<Record<string, string>> = {
  '-': '',
  '@deep': `${'[{"error":'.repeat(20_000)}1${'}]'.repeat(20_000)}`,
  '@large': 'x'.repeat(1_000_000),
};

/** Reads the table of failed replies, row by row. */
export function* readFailureReplies(): Generator<FailedReplyRow> {
  let section = '';
  let [group = '', route = ''] = ['chatCompletions'];
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (line.startsWith('## ')) section = line.slice(3);
    else if (line.startsWith('reply ')) [, group = '', route = ''] = line.split(' ');
    else if (line !== '' && !line.startsWith('#')) {
      const cells = line.split(' | ');
      const [gateway = '', status = '', headers = '', failureClass = '', hint = '', step = '', ...rest] =
        cells;
      const [message = '', ...body] = rest.join(' | ').split(/(?<!\\) \| /);
      yield {
        title: `${section}: ${gateway} (${status})`,
        group,
        route,
        status: Number(status),
        headers: parseHeaders(headers),
        failureClass,
        hint,
        step,
        message: message.replaceAll('\\|', '|'),
        body: parseBody(body.join(' | ')),
      };
    }
  }
}

function parseHeaders(cell: string): ReplyHeaders {
  if (cell === '-') return {};
  const pairs = cell.split('; ').map((pair) => pair.split(/: (.*)/s));
  return Object.fromEntries(pairs.map(([name = '', value = '']) => [name, value]));
}

function parseBody(cell: string): string {
  const known = Object.hasOwn(bodies, cell) ? bodies[cell] : undefined;
  if (known !== undefined) return known;
  return /^(?:data|event):/.test(cell) ? cell.replaceAll('\\n', '\n') : cell;
}
