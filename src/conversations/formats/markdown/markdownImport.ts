import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../base/json.ts';
import { explain } from '../../../wire/explanations/explanation.ts';
import { readFence } from '../../conversation/codeBlocks.ts';
import type { ConversationDraft, MessageDraft } from '../reading/conversationDraft.ts';
import { ConversationReading } from '../reading/conversationReading.ts';
import { PieceBytes } from '../reading/filePiece.ts';
import type { ImportEvent } from '../reading/importEvent.ts';
import { createDraftEvent, type FileImport } from '../reading/jsonImport.ts';
import { type ParsedFrontMatter, readFrontMatter, readMarker, restoreMarkers } from './markdownMetadata.ts';

const readNames = new Set(['title', 'created', 'changed', 'model', 'date']);

/** Headings of messages in files of other programs. */
const headings: readonly (readonly [RegExp, MessageDraft['role']])[] = [
  [/^(?:user|you|human|me|question|prompt)$/i, 'user'],
  [/^(?:assistant|ai|model|answer|response|reply|chatgpt|claude|gemini|copilot)$/i, 'assistant'],
  [/^system(?: prompt)?$/i, 'system'],
];
/** A heading of one or two words. Its parts do not overlap, so that any line takes linear time. */
const headingPattern = /^(?:#{1,6}\s+([a-z]+(?: [a-z]+)?):?\s*#*|\*\*([a-z]+(?: [a-z]+)?):?\*\*)$/i;

/** Whether a file with this beginning is Markdown with front matter. */
export function isMarkdown(head: string): boolean {
  return /^\s*---[ \t]*\r?\n/.test(head);
}

/** Imports a Markdown file, which is one conversation. */
export async function* importMarkdown(
  source: AsyncIterable<Buffer>,
  { maxConversationBytes: maxBytes, now }: FileImport,
): AsyncGenerator<ImportEvent, void, undefined> {
  const pieceBytes = new PieceBytes(maxBytes);
  for await (const chunk of source) {
    pieceBytes.add(chunk);
    if (!pieceBytes.isTooLarge) continue;
    yield {
      type: 'problem',
      location: { conversation: 1 },
      problem: explain('import-too-large', { maxBytes }),
    };
    return;
  }
  const bytes = pieceBytes.take();
  const reading = new ConversationReading();
  const draft = readMarkdown(bytes.toString(), reading);
  if (!draft) yield { type: 'problem', location: {}, problem: explain('import-unknown-format') };
  else {
    yield createDraftEvent(() => draft, {
      reading,
      now,
      source: 'markdown',
      isDamaged: !isUtf8(bytes),
      location: { conversation: 1 },
      fingerprint: () => createHash('sha256').update(bytes).digest('hex'),
    });
  }
}

/**
 * Reads a conversation in Markdown: an export of this extension, or a file whose messages begin with headings
 * such as *User* and *Assistant*. The result has one path and no pictures.
 *
 * @returns undefined if there is no complete front matter
 */
export function readMarkdown(markdown: string, reading: ConversationReading): ConversationDraft | undefined {
  const frontMatter = readFrontMatter(markdown);
  if (!frontMatter) return undefined;
  const { values, text } = frontMatter;
  const messages = text.includes('<!-- message ')
    ? readMarkedMessages(text, values, reading)
    : readHeadedMessages(text, values);
  return {
    id: undefined,
    title: values.get('title')?.toWellFormed(),
    createdAt: reading.readTime(values.get('created') ?? values.get('date')),
    changedAt: reading.readTime(values.get('changed')),
    head: undefined,
    model: values.get('model'),
    messages,
    ...reading.collectExtra(Object.fromEntries(values) as JsonObject, readNames),
  };
}

type Values = ParsedFrontMatter['values'];

function readMarkedMessages(
  text: string,
  values: Values,
  reading: ConversationReading,
): readonly MessageDraft[] {
  const messages: MessageDraft[] = [];
  let current: { readonly role: MessageDraft['role']; readonly time: string } | undefined;
  let lines: string[] = [];
  const endMessage = () => {
    if (current) {
      const content = restoreMarkers(
        lines
          .join('\n')
          .trim()
          .replace(/^## .*\n*/, ''),
      );
      messages.push(
        createDraft(messages.length, current.role, content, values, reading.readTime(current.time)),
      );
    }
    lines = [];
  };
  for (const line of text.split('\n')) {
    const next = readMarker(line);
    if (!next) {
      lines.push(line);
      continue;
    }
    endMessage();
    current = next;
  }
  endMessage();
  return messages;
}

function readHeadedMessages(text: string, values: Values): readonly MessageDraft[] {
  const messages: MessageDraft[] = [];
  let role: MessageDraft['role'] | undefined;
  let lines: string[] = [];
  /** The fence of the open code block. */
  let openFence = '';
  const endMessage = () => {
    const content = lines.join('\n').trim();
    if (role && content !== '') messages.push(createDraft(messages.length, role, content, values, undefined));
    lines = [];
  };
  for (const line of text.split('\n')) {
    const { mark, language } = readFence(line);
    if (openFence === '') openFence = mark;
    else if (language === '' && mark.startsWith(openFence)) openFence = '';
    const next = openFence === '' ? readRole(line) : undefined;
    if (!next) {
      lines.push(line);
      continue;
    }
    endMessage();
    role = next;
  }
  endMessage();
  return messages;
}

function readRole(line: string): MessageDraft['role'] | undefined {
  const [, title, bold] = headingPattern.exec(line.slice(0, 200).trimEnd()) ?? [];
  return headings.find(([pattern]) => pattern.test(title ?? bold ?? ''))?.[1];
}

function createDraft(
  nth: number,
  role: MessageDraft['role'],
  text: string,
  values: Values,
  createdAt: number | undefined,
): MessageDraft {
  const model = role === 'assistant' ? values.get('model') : undefined;
  return {
    id: `message-${nth + 1}`,
    parent: nth > 0 ? `message-${nth}` : undefined,
    role,
    createdAt,
    parts: [{ type: 'text', text: text.toWellFormed() }],
    ...(model && { request: { model } }),
  };
}
