import * as vscode from 'vscode';
import { parseJson } from '../../base/json.ts';
import type { RequestContent } from '../../requests/requestContent.ts';
import type { OpenedRequest } from '../../requests/requestHistory.ts';
import type { RequestFigures } from '../../requests/requestRecord.ts';
import type { TimedText } from '../../requests/timedText.ts';
import { withoutHidden } from '../kit/display/plainText.ts';
import { duration } from '../kit/display/times.ts';
import { byteCount } from '../tasks/task/taskWords.ts';
import { failureSentence, noteWords, outcomeWord, requestName } from './requestWords.ts';

/** A request and its reply as Markdown text, whose code VS Code highlights. */
export function requestDocument({ figures, content }: OpenedRequest): string {
  const sections = [
    `# ${oneLine(requestName(figures))}`,
    facts(figures),
    ...failureSection(figures),
    `## ${vscode.l10n.t('Times')}`,
    times(figures),
    ...(content ? contentSections(figures, content) : [withoutContent(figures)]),
  ];
  return `${sections.join('\n\n')}\n`;
}

function withoutContent({ caller }: RequestFigures): string {
  return caller === undefined
    ? vscode.l10n.t('Headers and bodies are no longer stored.')
    : vscode.l10n.t('The local gateway does not store the headers and bodies of other programs’ requests.');
}

function facts(figures: RequestFigures): string {
  const { t } = vscode.l10n;
  const { requestedAt, gateway, requestId, gatewayRequestId, bytesReceived, transport } = figures;
  return list([
    [t('Outcome'), outcomeWord(figures)],
    [t('Gateway'), gateway],
    ...noteWords(figures),
    [t('Sent'), new Date(requestedAt).toISOString()],
    [t('Request ID'), requestId],
    [t('The gateway’s request ID'), gatewayRequestId],
    [t('Received'), bytesReceived > 0 ? byteCount(bytesReceived) : undefined],
    [t('Transport'), transport && (transport === 'undici' ? t('direct') : t('VS Code’s network stack'))],
  ]);
}

function failureSection(figures: RequestFigures): readonly string[] {
  const { failure } = figures;
  if (!failure) return [];
  const { t } = vscode.l10n;
  return [
    `## ${t('Failure')}`,
    list([
      [t('Class'), [failure.kind, failure.reason].filter(Boolean).join(', ')],
      [t('Cause'), failureSentence(figures)],
      [t('Message from the gateway'), failure.gatewayMessage],
    ]),
  ];
}

function times({ sentMs, headersMs, firstByteMs, lastByteMs, totalMs }: RequestFigures): string {
  const { t } = vscode.l10n;
  const known = (ms: number | undefined) => (ms === undefined ? undefined : duration(ms));
  return list([
    [t('Connected'), known(sentMs)],
    [t('Headers'), known(headersMs)],
    [t('First byte'), known(firstByteMs)],
    [t('Last byte'), known(lastByteMs)],
    [t('End'), known(totalMs)],
  ]);
}

function contentSections(
  { method, url, status }: RequestFigures,
  content: RequestContent,
): readonly string[] {
  const { t } = vscode.l10n;
  const { requestHeaders, requestBody, replyHeaders, reply } = content;
  return [
    `## ${t('Request')}`,
    fenced([`${method} ${url}`, ...headerLines(requestHeaders)].join('\n'), 'http'),
    ...(requestBody ? [fenced(readable(requestBody.text), 'json')] : []),
    ...(requestBody && requestBody.omitted > 0 ? [omittedCharacters(requestBody.omitted)] : []),
    `## ${t('Reply')}`,
    ...(status === undefined
      ? [t('None arrived.')]
      : [fenced([`HTTP ${status}`, ...headerLines(replyHeaders)].join('\n'), 'http')]),
    ...texts(reply.beginning, reply.isStream),
    ...(reply.omittedBytes > 0 ? [t('… {0} omitted …', byteCount(reply.omittedBytes))] : []),
    ...texts(reply.end, reply.isStream),
  ];
}

function texts(all: readonly TimedText[], isStream: boolean): readonly string[] {
  if (all.length === 0) return [];
  if (!isStream) return all.map(({ text }) => fenced(readable(text), 'json'));
  // One block: an event is a line or a few, and each begins with its time.
  const width = String(Math.round(all.at(-1)?.atMs ?? 0)).length;
  const lines = all.map(
    ({ atMs, text }) =>
      `${`+${Math.round(atMs)}`.padStart(width + 1)} ms  ${text.replaceAll(/\r\n?|\n/g, `\n${' '.repeat(width + 6)}`)}`,
  );
  return [fenced(lines.join('\n'), 'yaml')];
}

function omittedCharacters(count: number): string {
  return vscode.l10n.t('… {0} more characters are not stored.', count.toLocaleString(vscode.env.language));
}

function headerLines(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${oneLine(value)}`);
}

function readable(text: string): string {
  const value = parseJson(text);
  return typeof value === 'object' && value !== null ? JSON.stringify(value, undefined, 2) : text;
}

/** A block whose fence is longer than any in the text. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${visible(text)}\n${fence}`;
}

function list(entries: readonly (readonly [name: string, value: string | undefined])[]): string {
  return entries
    .filter(([, value]) => value)
    .map(([name, value]) => `- ${name}: ${oneLine(value ?? '')}`)
    .join('\n');
}

function oneLine(text: string): string {
  return visible(text).replaceAll(/\s+/g, ' ');
}

/** Hidden characters are written out, so that what is read is what was there. */
function visible(text: string): string {
  return withoutHidden(text, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
