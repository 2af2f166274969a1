import type { Message as AnyMessage, ForeignPart } from '../../wire/message.ts';
import { estimateTokens } from './tokens.ts';

type Message = AnyMessage<ForeignPart>;

/** The data that a demo model reads from the messages of a request. */
export interface DemoConversation {
  /** The user's last question, without the context that programs add to it; empty if there is none. */
  readonly question: string;
  /** The user's earlier questions, oldest first. */
  readonly earlierQuestions: readonly string[];
  /** All system messages, joined; empty if there are none. */
  readonly instructions: string;
  /** Results of tools since the question; empty if a message follows them. */
  readonly toolResults: readonly ToolResult[];
  /** Media types of the pictures in the last question. */
  readonly attachmentTypes: readonly string[];
  readonly promptTokens: number;
  /** Equal for equal conversations, regardless of the format and the parameters of the request. */
  readonly fingerprint: string;
}

export interface ToolResult {
  /** Name of the tool; empty if the conversation does not contain it. */
  readonly name: string;
  readonly text: string;
}

/** The part of a prompt from which a conversation is read. */
interface PromptMessages {
  readonly model: string;
  readonly messages: readonly Message[];
}

/** The number of tokens that a chat template adds to each message. */
const tokensPerMessage = 4;

export function readDemoConversation({ model, messages }: PromptMessages): DemoConversation {
  const questionMessages = messages.filter(isQuestion);
  const userMessages = questionMessages.length > 0 ? questionMessages : messages.filter(isFromUser).slice(-1);
  const questions = userMessages.map((message) => readQuestion(message) || readText(message));
  const texts = messages.map(readText);
  return {
    question: questions.at(-1) ?? '',
    earlierQuestions: questions.slice(0, -1),
    toolResults: readToolResults(messages),
    instructions: messages
      .filter(({ role }) => role === 'system')
      .map(readText)
      .join('\n'),
    attachmentTypes: (userMessages.at(-1)?.parts ?? []).flatMap((part) =>
      part.type === 'image' ? part.mimeType : [],
    ),
    promptTokens: texts.reduce((sum, text) => sum + tokensPerMessage + estimateTokens(text), 0),
    fingerprint: JSON.stringify([model, ...texts]),
  };
}

/** Reads the results since the last question. Calls and results may alternate, or all calls may be first. */
function readToolResults(messages: readonly Message[]): readonly ToolResult[] {
  if (messages.at(-1)?.role !== 'user') return [];
  return messages
    .slice(messages.findLastIndex(isQuestion) + 1)
    .flatMap(({ parts }) => parts)
    .flatMap((part) => (part.type === 'toolResult' ? { name: part.name, text: part.text } : []));
}

function readText({ parts }: Message): string {
  return parts
    .flatMap((part) => (part.type === 'text' || part.type === 'toolResult' ? part.text : []))
    .join('\n')
    .trim();
}

function isFromUser({ role, parts }: Message): boolean {
  return role === 'user' && parts.some(({ type }) => type !== 'toolResult');
}

/** Whether the message has text or images of the user, in addition to tool results and context. */
function isQuestion(message: Message): boolean {
  if (!isFromUser(message)) return false;
  return readQuestion(message) !== '' || message.parts.some(({ type }) => type === 'image');
}

/** If the texts before the last text of a message are longer, in UTF-16 units, they are context. */
const maxLeadLength = 400;

/** Gemini CLI sends the files that the user mentions after a text that begins with this line. */
const filesMark = '--- Content from referenced files';

/** Reads the user's own words in a message. Programs send context in separate texts, or in tags. */
function readQuestion({ parts }: Message): string {
  const allTexts = parts
    .flatMap((part) => (part.type === 'text' ? removeContext(part.text) : []))
    .filter((text) => text !== '');
  const files = allTexts.findIndex((text) => text.startsWith(filesMark));
  const texts = files > 0 ? allTexts.slice(0, files) : allTexts;
  const joinedText = texts.join('\n');
  const last = texts.at(-1) ?? '';
  return joinedText.length - last.length > maxLeadLength ? last : joinedText;
}

/** Names of tags around the user's words, as in Cursor, VS Code and Cline. */
const questionTag = /^(?:user_?(?:query|request|message|prompt)|task|query|question|prompt)$/i;

/** Names of tags around context. Unlike most names of HTML tags, they have several words or are in capitals. */
const contextTag =
  /^(?:\w+[_-][\w-]+|[A-Z]{4,}|context|attachments?|(?:reminder)?instructions?|reminder|environment|workspaceInfo|editorContext|rules|memory)$/;

/** The most names of unclosed tags, so that the time of the search is linear in the length of the text. */
const maxTagNames = 100;

/** Removes blocks of context from a text. Returns only the part that is marked as the user's words, if there is one. */
function removeContext(text: string): string {
  const [, request = text] = text.split(/^#+ My request for Codex:?[ \t]*$/m, 2);
  const unclosedTags = new Set<string>();
  const textParts: string[] = [];
  let question: string | undefined;
  let from = 0;
  for (const { 0: tag, 1: name = '', index } of request.matchAll(
    /^[ \t]*<([A-Za-z][\w-]{0,40})(?: [^<>\n]{0,200})?>/gm,
  )) {
    const isContext = contextTag.test(name);
    const isKnownTag = questionTag.test(name) || isContext;
    if (index < from || !isKnownTag || unclosedTags.has(name) || unclosedTags.size >= maxTagNames) continue;
    const close = `</${name}>`;
    const end = request.indexOf(close, index);
    if (end < 0) {
      unclosedTags.add(name);
      continue;
    }
    if (questionTag.test(name)) question = request.slice(index + tag.length, end).trim();
    textParts.push(removeHeading(request.slice(from, index)));
    from = end + close.length;
  }
  return question ?? [...textParts, request.slice(from)].join('').trim();
}

/** Removes the heading of a block of context from the end of the text before the block. */
function removeHeading(text: string): string {
  const before = text.trimEnd();
  const line = before.lastIndexOf('\n') + 1;
  return before.startsWith('#', line) ? before.slice(0, line) : text;
}
