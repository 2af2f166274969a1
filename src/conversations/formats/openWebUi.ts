import { isObject, type JsonObject, objectsIn } from '../../base/json.ts';
import type { PartRecord } from '../conversation/conversationRecord.ts';
import type {
  ConversationDraft,
  DraftRequest,
  JsonFormat,
  MessageDraft,
} from './reading/conversationDraft.ts';
import type { ConversationReading } from './reading/conversationReading.ts';
import { toArray, toNonEmptyText, toWellFormedText } from './reading/fieldValues.ts';
import { readImportedUsage } from './reading/importedUsage.ts';

const wrapperFields = new Set('id title chat created_at updated_at pinned archived'.split(' '));
/** `messages` repeats the shown path of `history`, which contains all messages. */
const chatFields = new Set('id title history messages timestamp'.split(' '));
const messageFields = new Set(
  'id parentId childrenIds role content model done timestamp files usage info error output'.split(' '),
);

/**
 * The export of Open WebUI: an array of chats, each with its `history`, a map of messages with their parents.
 * An older form contains the chat without the wrapper.
 */
export const openWebUi: JsonFormat = {
  source: 'open-webui',

  recognizes: (object) => getHistory(getChat(object)) !== undefined,

  read(object, { reading }): ConversationDraft {
    const chat = getChat(object);
    const isWrapped = chat !== object;
    const history = getHistory(chat) ?? {};
    const entries = Object.entries(history.messages as JsonObject);
    const messages = entries.flatMap(([id, message]) =>
      isObject(message) ? [readMessage(id, message, reading)] : [],
    );
    reading.countFlaw('import-fields-dropped', entries.length - messages.length);
    const wrapperExtra = isWrapped ? reading.collectExtra(object, wrapperFields) : {};
    const chatExtra = reading.collectExtra(chat, chatFields);
    return {
      id: toNonEmptyText(object.id) ?? toNonEmptyText(chat.id),
      title: toWellFormedText(object.title) ?? toWellFormedText(chat.title),
      createdAt: reading.readTime(isWrapped ? object.created_at : chat.timestamp),
      changedAt: reading.readTime(object.updated_at),
      head: toNonEmptyText(history.currentId),
      model: toArray(chat.models).map(toNonEmptyText).find(Boolean),
      systemPrompt: isObject(chat.params) ? toNonEmptyText(chat.params.system) : undefined,
      isPinned: object.pinned === true,
      isArchived: object.archived === true,
      messages,
      ...((wrapperExtra.extra || chatExtra.extra) && {
        extra: { ...wrapperExtra.extra, ...(chatExtra.extra && { chat: chatExtra.extra }) },
      }),
    };
  },
};

function getChat(object: JsonObject): JsonObject {
  return isObject(object.chat) ? object.chat : object;
}

function getHistory(chat: JsonObject): JsonObject | undefined {
  const { history } = chat;
  return isObject(history) && isObject(history.messages) ? history : undefined;
}

function readMessage(id: string, message: JsonObject, reading: ConversationReading): MessageDraft {
  const role = message.role === 'assistant' || message.role === 'system' ? message.role : 'user';
  const request = role === 'assistant' ? readRequest(message) : undefined;
  const encryptedItems = objectsIn(message.output).filter(({ encrypted_content }) =>
    Boolean(encrypted_content),
  );
  return {
    id,
    parent: toNonEmptyText(message.parentId),
    children: toArray(message.childrenIds),
    role,
    createdAt: reading.readTime(message.timestamp),
    state: message.done === false ? 'stopped' : 'done',
    parts: [...readFiles(message, reading), ...readContent(message, role, reading), ...readSources(message)],
    ...(request && { request }),
    // Encrypted reasoning cannot be shown, and must be sent back to the provider unchanged.
    ...reading.collectExtra({ ...message, encryptedOutput: encryptedItems }, messageFields),
  };
}

function readContent(
  message: JsonObject,
  role: MessageDraft['role'],
  reading: ConversationReading,
): readonly PartRecord[] {
  const output = readOutput(objectsIn(message.output), reading);
  if (output.some(({ type }) => type === 'text')) return output;
  const { content } = message;
  if (typeof content !== 'string') return [...output, ...readListedContent(content, reading)];
  const text = toNonEmptyText(content);
  if (text === undefined) return output;
  return role === 'assistant' ? [...output, ...readReplyText(text)] : [{ type: 'text', text }];
}

/** Reads content in the form of the chat completions API, which messages from Open WebUI's own API have. */
function readListedContent(content: unknown, reading: ConversationReading): readonly PartRecord[] {
  if (!Array.isArray(content)) return reading.createUnreadParts('content', content);
  return content.flatMap((item: unknown): readonly PartRecord[] => {
    if (!isObject(item)) return reading.createUnreadParts('content', item);
    const text = item.type === 'text' ? toWellFormedText(item.text) : undefined;
    if (text !== undefined) return [{ type: 'text', text }];
    if (item.type !== 'image_url') return [reading.createUnknownPart(item)];
    const { image_url: image } = item;
    return [reading.attachUrl(isObject(image) ? image.url : image, item)];
  });
}

function readFiles(message: JsonObject, reading: ConversationReading): readonly PartRecord[] {
  return objectsIn(message.files).map((file) => {
    const inner = isObject(file.file) ? file.file : {};
    const text = isObject(inner.data) ? toNonEmptyText(inner.data.content) : undefined;
    const name = toNonEmptyText(file.name) ?? toNonEmptyText(inner.filename);
    if (text !== undefined) return reading.attach(Buffer.from(text), { mimeType: 'text/plain', name });
    return reading.attachUrl(file.url, file, name);
  });
}

/** Reads the pages and documents on which a reply is based; each may occur in several pieces. */
function readSources({ sources }: JsonObject): readonly PartRecord[] {
  const sourcePieces = objectsIn(sources).flatMap(({ source, metadata }) => {
    const about = isObject(source) ? source : {};
    const pieces = objectsIn(metadata);
    return (pieces.length > 0 ? pieces : [{}]).map((piece: JsonObject) => ({
      url: [about.url, piece.source, about.name]
        .map(toNonEmptyText)
        .find((text) => text && /^https?:/i.test(text)),
      title: toNonEmptyText(piece.title) ?? toNonEmptyText(piece.name) ?? toNonEmptyText(about.name),
    }));
  });
  const uniqueSources = new Map(sourcePieces.map((each) => [`${each.url}\n${each.title}`, each]));
  return [...uniqueSources.values()].flatMap(({ url, title }): readonly PartRecord[] =>
    url || title ? [{ type: 'citation', ...(url && { url }), ...(title && { title }) }] : [],
  );
}

function readRequest(message: JsonObject): DraftRequest | undefined {
  const model = toNonEmptyText(message.model);
  if (model === undefined) return undefined;
  const { error } = message;
  const isFailed = Boolean(error);
  const outcome = message.done === false ? 'interrupted' : 'complete';
  return {
    model,
    outcome: isFailed ? 'failed' : outcome,
    ...(isFailed && { error: { message: readErrorMessage(error) } }),
    ...readImportedUsage(message.usage, message.info),
  };
}

/** Older versions store the error as the reply's text, with `error` true. */
function readErrorMessage(error: unknown): string {
  const message = isObject(error) ? (error.content ?? error.detail ?? error.message) : error;
  return typeof message === 'string'
    ? message.toWellFormed()
    : isObject(message)
      ? JSON.stringify(message)
      : '';
}

/** Reads the parts of a reply whose `output` contains Responses API items. */
function readOutput(items: readonly JsonObject[], reading: ConversationReading): readonly PartRecord[] {
  const calls = items.filter(({ type }) => type === 'function_call');
  const names = new Map(calls.map((call) => [readCallId(call), toWellFormedText(call.name) ?? '']));
  return items.flatMap((item) => readItem(item, names, reading));
}

function readItem(
  item: JsonObject,
  names: ReadonlyMap<string, string>,
  reading: ConversationReading,
): readonly PartRecord[] {
  switch (item.type) {
    case 'message':
      return readMessageItem(item.content, reading);
    case 'reasoning': {
      const content = readTexts(item.content);
      const text = (content.length > 0 ? content : readTexts(item.summary)).join('\n\n');
      return text === '' ? [] : [{ type: 'reasoning', text }];
    }
    case 'function_call': {
      const name = toWellFormedText(item.name) ?? '';
      return [{ type: 'toolCall', id: readCallId(item), name, arguments: reading.writeJson(item.arguments) }];
    }
    case 'function_call_output':
      return readToolResult(item, names, reading);
    case 'open_webui:code_interpreter': {
      const call = {
        type: 'toolCall',
        ...interpreter,
        arguments: toWellFormedText(item.code) ?? '',
      } as const;
      return withResult(call, reading.writeJson(item.output ?? undefined));
    }
    case 'web_search_call':
    case 'file_search_call':
    case 'computer_call': {
      const { type: name, id, status: _, ...callFields } = item;
      return [
        { type: 'toolCall', id: toWellFormedText(id) ?? '', name, arguments: reading.writeJson(callFields) },
      ];
    }
    default:
      return [reading.createUnknownPart(item)];
  }
}

/** Reads a message. Its pieces are one text, and may have sources. */
function readMessageItem(content: unknown, reading: ConversationReading): readonly PartRecord[] {
  if (!Array.isArray(content)) return readTexts(content).map((text) => ({ type: 'text', text }));
  const pieces = objectsIn(content);
  const text = pieces.map((piece) => toWellFormedText(piece.text) ?? '').join('');
  const nonTextPieces = pieces.filter((piece) => toWellFormedText(piece.text) === undefined);
  return [
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...pieces.flatMap(readCitations),
    ...nonTextPieces.map((other): PartRecord => {
      if (other.type !== 'refusal') return reading.createUnknownPart(other);
      return { type: 'refusal', text: toWellFormedText(other.refusal) ?? '' };
    }),
  ];
}

function readCitations({ annotations }: JsonObject): readonly PartRecord[] {
  return objectsIn(annotations).flatMap((annotation): readonly PartRecord[] => {
    const about = isObject(annotation.url_citation) ? annotation.url_citation : annotation;
    const [url, title] = [toNonEmptyText(about.url), toNonEmptyText(about.title)];
    return url === undefined ? [] : [{ type: 'citation', url, ...(title && { title }) }];
  });
}

/** Reads the result of a tool: its text, then its pictures and files. */
function readToolResult(
  item: JsonObject,
  names: ReadonlyMap<string, string>,
  reading: ConversationReading,
): readonly PartRecord[] {
  const id = readCallId(item);
  const pictures = objectsIn(item.output).filter(({ type }) => type === 'input_image');
  return [
    { type: 'toolResult', id, name: names.get(id) ?? '', text: readTexts(item.output).join('\n\n') },
    ...pictures.map((picture) => reading.attachUrl(picture.image_url, picture)),
    ...objectsIn(item.files).map((file) => reading.attachUrl(file.url, file, file.name)),
  ];
}

function readCallId(item: JsonObject): string {
  return toWellFormedText(item.call_id) ?? toWellFormedText(item.id) ?? '';
}

function readTexts(content: unknown): readonly string[] {
  if (typeof content === 'string') return content === '' ? [] : [content.toWellFormed()];
  return objectsIn(content)
    .map(({ text }) => toWellFormedText(text) ?? '')
    .filter((text) => text !== '');
}

const openingTag = '<details type="';
const closingTag = '</details>';
const attributePattern = /\s([\w-]+)="([^"]*)"/g;

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#x27;': "'",
  '&#39;': "'",
  '&amp;': '&',
};

/**
 * Reads the parts of a reply that is one text: Open WebUI writes reasoning, executed code and tool calls as
 * `details` elements in it.
 */
function readReplyText(content: string): readonly PartRecord[] {
  const parts: PartRecord[] = [];
  let offset = 0;
  for (let open = content.indexOf(openingTag); open !== -1; open = content.indexOf(openingTag, offset)) {
    const end = content.indexOf(closingTag, open);
    if (end === -1) break;
    addText(parts, content.slice(offset, open));
    const element = content.slice(open, end);
    const parsedParts = readElement(element);
    if (parsedParts) for (const part of parsedParts) parts.push(part);
    else parts.push({ type: 'text', text: element + closingTag });
    offset = end + closingTag.length;
  }
  addText(parts, content.slice(offset));
  return parts;
}

function addText(parts: PartRecord[], text: string): void {
  const trimmedText = parts.length > 0 ? text.replace(/^\n+/, '') : text;
  if (trimmedText.trim() !== '') parts.push({ type: 'text', text: trimmedText });
}

function readElement(element: string): readonly PartRecord[] | undefined {
  const headEnd = element.indexOf('>');
  if (headEnd === -1) return undefined;
  const attributes = new Map(
    [...element.slice(0, headEnd).matchAll(attributePattern)].map(([, name = '', value = '']) => [
      name,
      decodeEntities(value),
    ]),
  );
  const readAttribute = (name: string) => attributes.get(name) ?? '';
  const body = readBody(element, headEnd + 1);
  switch (readAttribute('type')) {
    case 'reasoning':
      return [{ type: 'reasoning', text: removeQuoteMarks(body) }];
    case 'tool_calls': {
      const [id, name] = [readAttribute('id'), readAttribute('name')];
      const call = {
        type: 'toolCall',
        id,
        name,
        arguments: parseQuoted(readAttribute('arguments')),
      } as const;
      // Newer versions write the result into the element, older versions into an attribute.
      return withResult(call, parseQuoted(body) || parseQuoted(readAttribute('result')));
    }
    case 'code_interpreter': {
      const call = { type: 'toolCall', ...interpreter, arguments: removeFence(body) } as const;
      return withResult(call, readAttribute('output'));
    }
    default:
      return undefined;
  }
}

/** Reads the text after the summary, which contains the duration. */
function readBody(element: string, from: number): string {
  const summaryEnd = element.indexOf('</summary>', from);
  return decodeEntities(element.slice(summaryEnd === -1 ? from : summaryEnd + '</summary>'.length)).trim();
}

/** Removes the quote marks of reasoning. */
function removeQuoteMarks(text: string): string {
  const lines = text.split('\n');
  return lines.map((line) => line.replace(/^> ?/, '')).join('\n');
}

function removeFence(code: string): string {
  return /^```[^\n]*\n([\s\S]*?)\n?```$/.exec(code)?.[1] ?? code;
}

/** Parses a text that is a JSON string; returns any other text unchanged. */
function parseQuoted(text: string): string {
  if (!text.startsWith('"')) return text;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value.toWellFormed() : text;
  } catch {
    return text;
  }
}

function decodeEntities(html: string): string {
  return html.replaceAll(/&(?:lt|gt|quot|amp|#x27|#39);/g, (entity) => entities[entity] ?? entity);
}

type ToolCall = Extract<PartRecord, { type: 'toolCall' }>;

/** The code interpreter of Open WebUI has neither an id nor a name. */
const interpreter = { id: '', name: 'code_interpreter' } as const;

/** Returns the parts of a call, and of its result if that is not empty. */
function withResult(call: ToolCall, text: string): readonly PartRecord[] {
  return text === '' ? [call] : [call, { type: 'toolResult', id: call.id, name: call.name, text }];
}
