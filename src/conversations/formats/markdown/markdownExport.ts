import MarkdownIt from 'markdown-it';
import { parseJson } from '../../../base/json.ts';
import { beginsAsJson } from '../../../base/jsonBeginning.ts';
import { requiresJson } from '../../conversation/chatParameters.ts';
import { readReplySettings } from '../../conversation/chatRequestRecord.ts';
import { fenceCode } from '../../conversation/codeBlocks.ts';
import type {
  MessageRecord,
  PartRecord,
  PortableConversation,
} from '../../conversation/conversationRecord.ts';
import { frontMatter } from './frontMatter.ts';
import { englishMarkdownWords, type MarkdownWords } from './markdownWords.ts';
import { escapeMarkers, markerOf } from './messageMarker.ts';

interface MarkdownOptions {
  /** The end of the path; by default the conversation's head. */
  readonly head?: string;
  readonly words?: MarkdownWords;
}

/**
 * A path of a conversation as a Markdown file, which can be imported again. It notes that it contains only that
 * path. Pictures and files appear by name.
 */
export function markdownFile(chat: PortableConversation, options: MarkdownOptions = {}): string {
  const { conversation, messages } = chat;
  const { words = englishMarkdownWords, head = conversation.head } = options;
  const path = pathTo(messages, head);
  const note = words.onlyPath(messages.length - path.length);
  const sections = withSystemPrompt(path).flatMap((each) => [markerOf(each), section(each, words)]);
  return [frontMatter(conversation, path, note), ...sections].join('\n\n').concat('\n');
}

/** A path of a conversation as a Markdown document to read and edit. */
export function markdownDocument(chat: PortableConversation, options: MarkdownOptions = {}): string {
  const { conversation, messages } = chat;
  const { words = englishMarkdownWords, head = conversation.head } = options;
  const path = pathTo(messages, head);
  const others = messages.length - path.length;
  const title = `# ${oneLine(conversation.title) || words.untitled}`;
  const note = others > 0 ? [`*${words.onlyPath(others)}*`] : [];
  const sections = withSystemPrompt(path).map((each) => section(each, words));
  return [title, ...note, ...sections].join('\n\n').concat('\n');
}

/** The messages from the root to one of them. Empty if there is no such message. */
function pathTo(messages: readonly MessageRecord[], head: string | undefined): readonly MessageRecord[] {
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
function withSystemPrompt(path: readonly MessageRecord[]): readonly MessageRecord[] {
  const [first] = path;
  const prompt = path.findLast(({ request }) => request)?.request?.systemPrompt ?? '';
  if (!first || first.role === 'system' || prompt.trim() === '') return path;
  const { createdAt } = first;
  const choices = [[{ type: 'text' as const, text: prompt }]];
  return [{ id: '', role: 'system', createdAt, state: 'done', choices }, ...path];
}

function section(message: MessageRecord, words: MarkdownWords): string {
  const parts = (message.choices[0] ?? [])
    .map((part) => jsonText(part, message) ?? partText(part, words))
    .filter((text) => text !== '');
  return [`## ${headingOf(message, words)}`, ...parts.map(escapeMarkers), ...ending(message, words)].join(
    '\n\n',
  );
}

/** The text of a reply in requested JSON, as a code block. */
function jsonText(part: PartRecord, { request }: MessageRecord): string | undefined {
  if (part.type !== 'text' || !request || !beginsAsJson(part.text)) return undefined;
  return requiresJson(readReplySettings(request)) ? fenceCode(part.text, 'json') : undefined;
}

function headingOf({ role, request }: MessageRecord, words: MarkdownWords): string {
  if (role === 'user') return words.question;
  if (role === 'system') return words.systemPrompt;
  if (role === 'tool') return words.toolResult;
  const model = oneLine(request?.replyModel ?? request?.model ?? '');
  return model === '' ? words.reply : `${words.reply} · ${codeSpan(model)}`;
}

/** A note on how a reply ended, unless it is complete. */
function ending({ state, request }: MessageRecord, words: MarkdownWords): readonly string[] {
  const { outcome, error } = request ?? {};
  if (outcome === 'failed') {
    const message = typeof error?.message === 'string' ? oneLine(error.message) : '';
    return [message === '' ? `*${words.failed}*` : `*${words.failed}:* ${escaped(message)}`];
  }
  if (outcome === 'truncated') return [`*${words.truncated}*`];
  const isStopped = state === 'stopped' || outcome === 'interrupted' || outcome === 'cancelled';
  return isStopped ? [`*${words.stopped}*`] : [];
}

function partText(part: PartRecord, words: MarkdownWords): string {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return closedMarkdown(part.text.trim());
    case 'reasoning':
      return part.text === '' ? '' : quoted(`**${words.reasoning}**\n\n${part.text.trim()}`);
    case 'toolCall':
      return `${codeSpan(oneLine(part.name))}\n\n${fenceCode(part.arguments, parseJson(part.arguments) === undefined ? '' : 'json')}`;
    case 'toolResult':
      return `${words.toolResult} ${codeSpan(oneLine(part.name))}\n\n${fenceCode(part.text)}`;
    case 'image':
    case 'file': {
      const kind = part.type === 'image' ? words.image : words.file;
      return attached(kind, part.name ?? part.mimeType);
    }
    case 'citation':
      return citationText(part);
    case 'other': {
      const { missing, name } = part.value;
      return missing === 'attachment' && typeof name === 'string' ? attached(words.file, name) : '';
    }
  }
}

function attached(kind: string, name: string): string {
  return `*${kind}: ${codeSpan(oneLine(name))}*`;
}

function citationText({ url = '', title = '' }: PartRecord & { readonly type: 'citation' }): string {
  const words = escaped(oneLine(title === '' ? url : title));
  const target = url.replaceAll(/[<>\s\\]/g, encodeURIComponent);
  return url === '' ? `- ${words}` : `- [${words}](<${target}>)`;
}

function quoted(text: string): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n');
}

/** Escapes Markdown and HTML in an untrusted text on its own line. */
function escaped(line: string): string {
  return line.replaceAll(/[\\[\]<>`*_&]/g, '\\$&');
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** Formats an untrusted text as code within a line. */
function codeSpan(text: string): string {
  if (text === '') return '';
  const longest = (text.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 0);
  const ticks = '`'.repeat(longest + 1);
  return longest > 0 ? `${ticks} ${text} ${ticks}` : `${ticks}${text}${ticks}`;
}

/** HTML blocks that continue after blank lines until their end mark: their beginning, and the end mark. */
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
export function closedMarkdown(text: string): string {
  if (!mayStayOpen.test(text)) return text;
  const last = parser.parse(text + probe, {}).at(-1);
  if (last?.type === 'fence') return onOwnLine(text, last.markup);
  if (last?.type !== 'html_block') return text;
  const [, end] = htmlBlocks.find(([begin]) => begin.test(last.content)) ?? [];
  return end === undefined ? text : onOwnLine(text, end);
}

function onOwnLine(text: string, closing: string): string {
  return `${text}${text.endsWith('\n') ? '' : '\n'}${closing}`;
}
