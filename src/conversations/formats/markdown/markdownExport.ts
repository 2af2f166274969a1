import MarkdownIt from 'markdown-it';
import { beginsAsJson, parseJson } from '../../../base/json.ts';
import { requiresJson } from '../../conversation/chatParameters.ts';
import { readReplySettings } from '../../conversation/chatRequestRecord.ts';
import { fenceCode } from '../../conversation/codeBlocks.ts';
import type {
  MessageRecord,
  PartRecord,
  PortableConversation,
} from '../../conversation/conversationRecord.ts';
import { createFrontMatter, createMarker, escapeMarkers } from './markdownMetadata.ts';

/** The fixed words of a conversation in Markdown. */
export interface MarkdownWords {
  readonly question: string;
  readonly reply: string;
  readonly systemPrompt: string;
  readonly toolResult: string;
  readonly reasoning: string;
  readonly image: string;
  readonly file: string;
  /** The note below a reply that was stopped, or whose connection broke. */
  readonly stopped: string;
  /** The note below a reply that the token limit truncated. */
  readonly truncated: string;
  /** The note below a reply that failed. */
  readonly failed: string;
  readonly untitled: string;
  /** A note that the file contains only the path that is shown, with the number of messages on other branches. */
  readonly onlyPath: (others: number) => string;
}

/** Files are in English, because anyone may read them. In an editor, the words are in the user's language. */
export const englishMarkdownWords: MarkdownWords = {
  question: 'Question',
  reply: 'Reply',
  systemPrompt: 'System prompt',
  toolResult: 'Result',
  reasoning: 'Reasoning',
  image: 'Image',
  file: 'File',
  stopped: 'Stopped',
  truncated: 'Cut off at the token limit',
  failed: 'Failed',
  untitled: 'Chat',
  onlyPath: (others) =>
    others === 0
      ? 'The whole conversation is in this file.'
      : `Only the path that was shown is in this file. Messages on other branches: ${others}.`,
};

interface MarkdownOptions {
  /** The id of the message at the end of the path; by default the conversation's head. */
  readonly head?: string;
  readonly words?: MarkdownWords;
}

/**
 * Writes a path of a conversation as a Markdown file, which can be imported again. A note contains the
 * number of messages on other branches. Of pictures and files, the file contains only the names.
 */
export function writeMarkdownFile(chat: PortableConversation, options: MarkdownOptions = {}): string {
  const { conversation, messages } = chat;
  const { words = englishMarkdownWords, head = conversation.head } = options;
  const path = listPath(messages, head);
  const note = words.onlyPath(messages.length - path.length);
  const sections = addSystemPrompt(path).flatMap((each) => [createMarker(each), writeSection(each, words)]);
  return [createFrontMatter(conversation, path, note), ...sections].join('\n\n').concat('\n');
}

/** Writes a path of a conversation as a Markdown document to read and edit. */
export function writeMarkdownDocument(chat: PortableConversation, options: MarkdownOptions = {}): string {
  const { conversation, messages } = chat;
  const { words = englishMarkdownWords, head = conversation.head } = options;
  const path = listPath(messages, head);
  const others = messages.length - path.length;
  const title = `# ${joinLines(conversation.title) || words.untitled}`;
  const note = others > 0 ? [`*${words.onlyPath(others)}*`] : [];
  const sections = addSystemPrompt(path).map((each) => writeSection(each, words));
  return [title, ...note, ...sections].join('\n\n').concat('\n');
}

/** Lists the messages from the root to the head; none if there is no such message. */
function listPath(messages: readonly MessageRecord[], head: string | undefined): readonly MessageRecord[] {
  const byId = new Map(messages.map((message) => [message.id, message]));
  const path: MessageRecord[] = [];
  const seen = new Set<string>();
  let message = head === undefined ? undefined : byId.get(head);
  while (message && !seen.has(message.id)) {
    seen.add(message.id);
    path.push(message);
    message = message.parent === undefined ? undefined : byId.get(message.parent);
  }
  return path.reverse();
}

/** Puts the system prompt of the last request before the first message. */
function addSystemPrompt(path: readonly MessageRecord[]): readonly MessageRecord[] {
  const [first] = path;
  const prompt = path.findLast(({ request }) => request)?.request?.systemPrompt ?? '';
  if (!first || first.role === 'system' || prompt.trim() === '') return path;
  const { createdAt } = first;
  const choices = [[{ type: 'text' as const, text: prompt }]];
  return [{ id: '', role: 'system', createdAt, state: 'done', choices }, ...path];
}

function writeSection(message: MessageRecord, words: MarkdownWords): string {
  const parts = (message.choices[0] ?? [])
    .map((part) => fenceRequestedJson(part, message) ?? writePart(part, words))
    .filter((text) => text !== '');
  return [
    `## ${createHeading(message, words)}`,
    ...parts.map(escapeMarkers),
    ...describeEnd(message, words),
  ].join('\n\n');
}

/** Writes a text as a code block if the request required JSON; undefined otherwise. */
function fenceRequestedJson(part: PartRecord, { request }: MessageRecord): string | undefined {
  if (part.type !== 'text' || !request || !beginsAsJson(part.text)) return undefined;
  return requiresJson(readReplySettings(request)) ? fenceCode(part.text, 'json') : undefined;
}

function createHeading({ role, request }: MessageRecord, words: MarkdownWords): string {
  if (role === 'user') return words.question;
  if (role === 'system') return words.systemPrompt;
  if (role === 'tool') return words.toolResult;
  const model = joinLines(request?.replyModel ?? request?.model ?? '');
  return model === '' ? words.reply : `${words.reply} · ${writeCodeSpan(model)}`;
}

/** Returns a note on how a reply ended, unless it is complete. */
function describeEnd({ state, request }: MessageRecord, words: MarkdownWords): readonly string[] {
  const { outcome, error } = request ?? {};
  if (outcome === 'failed') {
    const message = typeof error?.message === 'string' ? joinLines(error.message) : '';
    return [message === '' ? `*${words.failed}*` : `*${words.failed}:* ${escapeText(message)}`];
  }
  if (outcome === 'truncated') return [`*${words.truncated}*`];
  const isStopped = state === 'stopped' || outcome === 'interrupted' || outcome === 'cancelled';
  return isStopped ? [`*${words.stopped}*`] : [];
}

function writePart(part: PartRecord, words: MarkdownWords): string {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return closeMarkdown(part.text.trim());
    case 'reasoning':
      return part.text === '' ? '' : quoteText(`**${words.reasoning}**\n\n${part.text.trim()}`);
    case 'toolCall':
      return `${writeCodeSpan(joinLines(part.name))}\n\n${fenceCode(part.arguments, parseJson(part.arguments) === undefined ? '' : 'json')}`;
    case 'toolResult':
      return `${words.toolResult} ${writeCodeSpan(joinLines(part.name))}\n\n${fenceCode(part.text)}`;
    case 'image':
    case 'file': {
      const kind = part.type === 'image' ? words.image : words.file;
      return writeAttachment(kind, part.name ?? part.mimeType);
    }
    case 'citation':
      return writeCitation(part);
    case 'other': {
      const { missing, name } = part.value;
      return missing === 'attachment' && typeof name === 'string' ? writeAttachment(words.file, name) : '';
    }
  }
}

function writeAttachment(kind: string, name: string): string {
  return `*${kind}: ${writeCodeSpan(joinLines(name))}*`;
}

function writeCitation({ url = '', title = '' }: PartRecord & { readonly type: 'citation' }): string {
  const label = escapeText(joinLines(title === '' ? url : title));
  const target = url.replaceAll(/[<>\s\\]/g, encodeURIComponent);
  return url === '' ? `- ${label}` : `- [${label}](<${target}>)`;
}

function quoteText(text: string): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n');
}

/** Escapes Markdown and HTML in an untrusted text on its own line. */
function escapeText(line: string): string {
  return line.replaceAll(/[\\[\]<>`*_&]/g, '\\$&');
}

function joinLines(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** Formats an untrusted text as code within a line. */
function writeCodeSpan(text: string): string {
  if (text === '') return '';
  const longest = (text.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 0);
  const ticks = '`'.repeat(longest + 1);
  return longest > 0 ? `${ticks} ${text} ${ticks}` : `${ticks}${text}${ticks}`;
}

/** The HTML blocks that continue after blank lines until their end mark. */
const htmlBlocks: readonly (readonly [begin: RegExp, end: string])[] = [
  [/^ {0,3}<!--/, '-->'],
  [/^ {0,3}<\?/, '?>'],
  [/^ {0,3}<!\[CDATA\[/, ']]>'],
  [/^ {0,3}<![a-z]/i, '>'],
  [/^ {0,3}<script/i, '</script>'],
  [/^ {0,3}<pre/i, '</pre>'],
  [/^ {0,3}<style/i, '</style>'],
  [/^ {0,3}<textarea/i, '</textarea>'],
];

const probe = '\n\n# probe';
const mayStayOpen = /```|~~~|</;

const parser = new MarkdownIt('commonmark');
parser.core.ruler.enableOnly(['normalize', 'block']);

/**
 * The maximum number of lines of a parsed quote: the parser may read the rest of the text again at each of its
 * lines.
 */
const maxQuoteLines = 20;

const { ruler } = new MarkdownIt('commonmark').block;
ruler.enableOnly(['blockquote']);
for (const readQuote of ruler.getRules('')) {
  parser.block.ruler.at(
    'blockquote',
    (state, start, end, silent) => readQuote(state, start, Math.min(end, start + maxQuoteLines), silent),
    { alt: ['paragraph', 'reference', 'blockquote', 'list'] },
  );
}

/**
 * Closes a block that is still open at the end of a Markdown text, so that it does not include the following
 * text.
 */
export function closeMarkdown(text: string): string {
  if (!mayStayOpen.test(text)) return text;
  const lastToken = parser.parse(text + probe, {}).at(-1);
  if (lastToken?.type === 'fence') return appendLine(text, lastToken.markup);
  if (lastToken?.type !== 'html_block') return text;
  const [, end] = htmlBlocks.find(([begin]) => begin.test(lastToken.content)) ?? [];
  return end === undefined ? text : appendLine(text, end);
}

function appendLine(text: string, closing: string): string {
  return `${text}${text.endsWith('\n') ? '' : '\n'}${closing}`;
}
