import * as vscode from 'vscode';
import { parseJson } from '../../base/json.ts';
import type { RequestContent, TimedText } from '../../requests/requestContent.ts';
import type { RequestHistory } from '../../requests/requestHistory.ts';
import type { OpenedRequest, RequestFigures } from '../../requests/requestRecord.ts';
import { showDocument } from '../kit/display/editors.ts';
import { replaceHidden } from '../kit/display/plainText.ts';
import { withStatusBarProgress } from '../kit/display/progress.ts';
import { formatDuration } from '../kit/display/timeWords.ts';
import { formatBytes } from '../tasks/task/taskWords.ts';
import { failureSentence, noteWords, outcomeWord, requestName } from './requestWords.ts';

const scheme = 'model-gateway-request';
const maxNameLength = 60;

/** Shows requests as read-only documents. */
export class RequestDocuments implements vscode.TextDocumentContentProvider {
  readonly #history: RequestHistory;
  readonly #registration = vscode.workspace.registerTextDocumentContentProvider(scheme, this);

  constructor(history: RequestHistory) {
    this.#history = history;
  }

  async provideTextDocumentContent({ query }: vscode.Uri): Promise<string> {
    const opened = await this.#history.open(query);
    return opened ? requestDocument(opened) : vscode.l10n.t('This request is no longer stored.');
  }

  /** Shows a request in a preview tab, like a file that is clicked once. */
  async show(figures: RequestFigures): Promise<void> {
    // A request of several megabytes takes seconds.
    const document = await withStatusBarProgress(vscode.l10n.t('Opening the request'), async () =>
      vscode.workspace.openTextDocument(documentUri(figures)),
    );
    await showDocument(document, { preview: true });
  }

  dispose(): void {
    this.#registration.dispose();
  }
}

/** The id of the request that an editor shows. */
export function readRequestId(uri: vscode.Uri): string | undefined {
  return uri.scheme === scheme ? uri.query : undefined;
}

function documentUri(figures: RequestFigures): vscode.Uri {
  // The name is the title of the tab, with only characters that are valid in file names and addresses.
  const name = requestName(figures).replaceAll(/[^\p{L}\p{N}._-]+/gu, ' ');
  return vscode.Uri.from({
    scheme,
    path: `/${name.trim().slice(0, maxNameLength)}.md`,
    query: figures.id,
  });
}

/** A request and its reply as Markdown. */
function requestDocument({ figures, content }: OpenedRequest): string {
  const sections = [
    `# ${asOneLine(requestName(figures))}`,
    factList(figures),
    ...failureSection(figures),
    `## ${vscode.l10n.t('Times')}`,
    timeList(figures),
    ...(content ? contentSections(figures, content) : [missingContentNote(figures)]),
  ];
  return `${sections.join('\n\n')}\n`;
}

function missingContentNote({ caller }: RequestFigures): string {
  return caller === undefined
    ? vscode.l10n.t('Headers and bodies are no longer stored.')
    : vscode.l10n.t('The local gateway does not store the headers and bodies of other programs’ requests.');
}

function factList(figures: RequestFigures): string {
  const { t } = vscode.l10n;
  const { requestedAt, gateway, requestId, gatewayRequestId, bytesReceived, transport } = figures;
  return bulletList([
    [t('Outcome'), outcomeWord(figures)],
    [t('Gateway'), gateway],
    ...noteWords(figures),
    [t('Sent'), new Date(requestedAt).toISOString()],
    [t('Request ID'), requestId],
    [t('The gateway’s request ID'), gatewayRequestId],
    [t('Received'), bytesReceived > 0 ? formatBytes(bytesReceived) : undefined],
    [t('Transport'), transport && (transport === 'undici' ? t('direct') : t('VS Code’s network stack'))],
  ]);
}

function failureSection(figures: RequestFigures): readonly string[] {
  const { failure } = figures;
  if (!failure) return [];
  const { t } = vscode.l10n;
  return [
    `## ${t('Failure')}`,
    bulletList([
      [t('Class'), [failure.kind, failure.reason].filter(Boolean).join(', ')],
      [t('Cause'), failureSentence(figures)],
      [t('Message from the gateway'), failure.gatewayMessage],
    ]),
  ];
}

function timeList({ sentMs, headersMs, firstByteMs, lastByteMs, totalMs }: RequestFigures): string {
  const { t } = vscode.l10n;
  const durationText = (ms: number | undefined) => (ms === undefined ? undefined : formatDuration(ms));
  return bulletList([
    [t('Connected'), durationText(sentMs)],
    [t('Headers'), durationText(headersMs)],
    [t('First byte'), durationText(firstByteMs)],
    [t('Last byte'), durationText(lastByteMs)],
    [t('End'), durationText(totalMs)],
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
    codeBlock([`${method} ${url}`, ...headerLines(requestHeaders)].join('\n'), 'http'),
    ...(requestBody ? [codeBlock(formattedJson(requestBody.text), 'json')] : []),
    ...(requestBody && requestBody.omitted > 0 ? [omissionNote(requestBody.omitted)] : []),
    `## ${t('Reply')}`,
    ...(status === undefined
      ? [t('No reply was received.')]
      : [codeBlock([`HTTP ${status}`, ...headerLines(replyHeaders)].join('\n'), 'http')]),
    ...replyBlocks(reply.beginning, reply.isStream),
    ...(reply.omittedBytes > 0 ? [t('… {0} omitted …', formatBytes(reply.omittedBytes))] : []),
    ...replyBlocks(reply.end, reply.isStream),
  ];
}

function replyBlocks(texts: readonly TimedText[], isStream: boolean): readonly string[] {
  if (texts.length === 0) return [];
  if (!isStream) return texts.map(({ text }) => codeBlock(formattedJson(text), 'json'));
  // A stream is one block. Each event starts with its time.
  const width = String(Math.round(texts.at(-1)?.atMs ?? 0)).length;
  const lines = texts.map(
    ({ atMs, text }) =>
      `${`+${Math.round(atMs)}`.padStart(width + 1)} ms  ${text.replaceAll(/\r\n?|\n/g, `\n${' '.repeat(width + 6)}`)}`,
  );
  return [codeBlock(lines.join('\n'), 'yaml')];
}

function omissionNote(count: number): string {
  return vscode.l10n.t('… {0} more characters are not stored.', count.toLocaleString(vscode.env.language));
}

function headerLines(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${asOneLine(value)}`);
}

function formattedJson(text: string): string {
  const value = parseJson(text);
  return typeof value === 'object' && value !== null ? JSON.stringify(value, undefined, 2) : text;
}

/** A code block whose fence is longer than any fence in the text. */
function codeBlock(text: string, language: string): string {
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${escapeHidden(text)}\n${fence}`;
}

function bulletList(entries: readonly (readonly [name: string, value: string | undefined])[]): string {
  return entries
    .filter(([, value]) => value)
    .map(([name, value]) => `- ${name}: ${asOneLine(value ?? '')}`)
    .join('\n');
}

function asOneLine(text: string): string {
  return escapeHidden(text).replaceAll(/\s+/g, ' ');
}

/** Replaces hidden characters with visible escapes. */
function escapeHidden(text: string): string {
  return replaceHidden(text, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
