import type { JsonObject } from '../../base/json.ts';
import type { DemoConversation, ToolResult } from './demoConversation.ts';
import { type DemoToolCall, requestsToolCall } from './demoToolCalls.ts';
import { findPreparedReply } from './preparedReplies.ts';
import { faultPhrases, type PromptOptions, readPromptOptions, videoPhrases } from './promptOptions.ts';
import { writeProse } from './prose.ts';
import { createExample } from './schemaExample.ts';
import { pickAtRandom, type SeededRandom } from './seededRandom.ts';
import { type Language, languages, writeCodeBlock } from './snippets.ts';
import { truncateCharacters } from './tokens.ts';

/** The first line of every reply. */
export const demoLabel = '*Demo reply from the local gateway. No model was used.*';

/** The longest quotation of a question, in characters. */
const quoteLength = 280;

/** The parts after the text of a reply. */
interface ReplyExtras {
  readonly calls: readonly DemoToolCall[];
  /** `impossible` if replies in the format cannot contain the requested picture. */
  readonly picture: 'none' | 'drawn' | 'impossible';
}

/**
 * Writes a reply in Markdown, which is about the request. The same conversation and `random` result in the same
 * text.
 */
export function writeTextReply(
  conversation: DemoConversation,
  random: SeededRandom,
  extras: ReplyExtras,
): string {
  const { question, toolResults } = conversation;
  if (extras.calls.length > 0) return joinBlocks([demoLabel, announceCalls(extras.calls)]);
  if (toolResults.length > 0) return joinBlocks([demoLabel, ...reportResults(toolResults)]);
  if (question === '')
    return joinBlocks([demoLabel, 'This request contains no question. Type one and send it again.']);
  const words = readOwnWords(question);
  const options = readPromptOptions(words);
  if (options.help) return joinBlocks([demoLabel, ...writeHelp()]);
  const preparedText = extras.picture === 'none' && !options.length ? findPreparedReply(words) : undefined;
  if (preparedText !== undefined) return joinBlocks([demoLabel, preparedText]);
  return joinBlocks([
    demoLabel,
    `## ${pickAtRandom(random, ['Your question', 'What you asked', 'Here is your message', 'A demo reply'])}`,
    quote(question),
    ...recallConversation(conversation),
    ...writeBody(conversation, options, extras, random),
    pickAtRandom(random, [
      'Ask for code in Python, a table, a list or 800 words; or type **help**.',
      'Type **help** to see what else this demo can show.',
      'Try another question: a longer one, or one in another language. **help** lists the rest.',
    ]),
  ]);
}

/** Reads the words after the last code block of a question; the whole question if there are none. */
function readOwnWords(question: string): string {
  const after =
    question
      .split(/^(?:`{3,}|~{3,})$/m)
      .at(-1)
      ?.trim() ?? '';
  return after === '' ? question : after;
}

/**
 * Writes the reply to a request for JSON: an example of the schema, unless the request has no schema or the
 * question contains "ignore the schema".
 */
export function writeJsonReply(
  { question, earlierQuestions }: DemoConversation,
  schema: JsonObject | undefined,
): string {
  const followsSchema = !/\bignore the schema\b|忽略模式/iu.test(question);
  if (schema && followsSchema) return JSON.stringify(createExample(schema, 'demo'), null, 2);
  return JSON.stringify(
    { demo: true, note: 'No model was used.', question, earlierQuestions: earlierQuestions.length },
    null,
    2,
  );
}

export function writeReasoning(
  { question, earlierQuestions, instructions }: DemoConversation,
  random: SeededRandom,
): string {
  const words = readOwnWords(question);
  const options = readPromptOptions(words);
  const requestedForms = [
    options.code && `code in ${options.code}`,
    options.table && 'a table',
    options.list && 'a list',
    options.length && `about ${options.length.count} ${options.length.unit}`,
  ].filter((option) => typeof option === 'string');
  return joinBlocks([
    `${pickAtRandom(random, ['The user asks', 'The question is', 'I am asked'])}: “${truncateCharacters(question, 120)}”`,
    earlierQuestions.length > 0
      ? `There ${earlierQuestions.length === 1 ? 'was' : 'were'} ${formatCount(earlierQuestions.length, 'question')} before this one, so I should take the conversation into account.`
      : 'This is the first question, so there are no earlier turns to consider.',
    ...(instructions === '' ? [] : ['There is a system prompt. A real model would follow it.']),
    requestedForms.length > 0
      ? `The question asks for ${requestedForms.join(' and ')}. I can show that.`
      : 'The question does not ask for a particular form, so I show an overview of it.',
    findPreparedReply(words) === undefined
      ? 'I am a demo and know nothing about the subject, so my reply describes the question and says so.'
      : 'There is a prepared reply to this question, so I can send it and say that no model was used.',
  ]);
}

function announceCalls(calls: readonly DemoToolCall[]): string {
  const names = [...new Set(calls.map(({ name }) => formatCode(name)))].join(', ');
  return `I call ${names}${calls.length > 1 ? `, ${formatCount(calls.length, 'call')} in all` : ''}, with made-up arguments that match the schema. Send the result back, and I continue.`;
}

function reportResults(results: readonly ToolResult[]): readonly string[] {
  return [
    `### What ${results.length === 1 ? 'the tool' : `the ${results.length} calls`} returned`,
    ...results.flatMap(({ name, text }) => [
      ...(name === '' ? [] : [`${formatCode(truncateCharacters(name, 64))} returned:`]),
      quote(text),
    ]),
    'A real model would use this for its reply; a demo model only shows it.',
  ];
}

const pictureTexts: Readonly<Record<ReplyExtras['picture'], readonly string[]>> = {
  none: [],
  drawn: ['Here is a picture. It was drawn by a few lines of code, and is the same for the same question.'],
  impossible: [
    'Replies in this API format cannot contain pictures. Use another format: chat completions, content generation, responses or interactions.',
  ],
};

function writeBody(
  conversation: DemoConversation,
  options: PromptOptions,
  { picture }: ReplyExtras,
  random: SeededRandom,
): readonly string[] {
  const { question } = conversation;
  const requestedBlocks = [
    ...pictureTexts[picture],
    ...(requestsToolCall(question.slice(-quoteLength))
      ? ['This request does not allow tool calls. Add a tool to it, as a function with its schema.']
      : []),
    ...(options.code ? writeCode(options.code, question) : []),
    ...(options.table ? writeWordTable(question) : []),
    ...(options.list ? writeJourney() : []),
    ...(options.length ? [writeProse(options.length, random)] : []),
  ];
  return requestedBlocks.length > 0 ? requestedBlocks : describeQuestion(conversation);
}

function recallConversation({
  earlierQuestions,
  instructions,
  attachmentTypes,
}: DemoConversation): readonly string[] {
  const previous = earlierQuestions.at(-1);
  return [
    ...(previous === undefined
      ? []
      : [
          `This is question ${earlierQuestions.length + 1} of our conversation. The previous question was:`,
          quote(previous),
        ]),
    ...(instructions === ''
      ? []
      : [
          `The request has a system prompt of ${formatCount(splitWords(instructions).length, 'word')}; a real model would follow it.`,
        ]),
    ...(attachmentTypes.length === 0
      ? []
      : [
          `Attachments, which a demo does not read: ${attachmentTypes.map((kind) => formatCode(truncateCharacters(kind, 40))).join(', ')}.`,
        ]),
  ];
}

function describeQuestion({ question, earlierQuestions, promptTokens }: DemoConversation): readonly string[] {
  const words = splitWords(question);
  const longest = words.reduce((best, word) => (word.length > best.length ? word : best), '');
  return [
    '### About your question',
    [
      `- It has **${formatCount(words.length, 'word')}**${longest === '' ? '' : `, the longest is *${truncateCharacters(longest, 40)}*`}.`,
      `- It is ${/[?？]\s*$/u.test(question) ? 'a question' : 'not written as a question'}.`,
      `- It is ${earlierQuestions.length === 0 ? 'the first' : 'not the first'} of this conversation.`,
    ].join('\n'),
    formatTable(
      ['Measure', 'Value'],
      [
        ['Bytes', String(Buffer.byteLength(question))],
        ['Words', String(words.length)],
        ['Lines', String(question.split('\n').length)],
        ['Tokens of the whole prompt', `about ${promptTokens}`],
      ],
    ),
    'The end of a request looks like this:',
    `\`\`\`json\n${JSON.stringify({ role: 'user', content: truncateCharacters(question, 60) }, null, 2)}\n\`\`\``,
  ];
}

function writeCode(language: Language, question: string): readonly string[] {
  return [
    `### Code in ${language}`,
    writeCodeBlock(language, question),
    '1. It is a fixed example; only its topic comes from your words.\n2. Copy it with the button on the block.',
  ];
}

function writeWordTable(question: string): readonly string[] {
  const rows = splitWords(question)
    .slice(0, 8)
    .map((word, i) => [String(i + 1), truncateCharacters(word, 40), String([...word].length)]);
  return ['### The words of your question', formatTable(['#', 'Word', 'Characters'], rows)];
}

function writeJourney(): readonly string[] {
  return [
    '### How this reply reached you',
    [
      '1. The page passed your question to the extension.',
      '2. The extension sent it to the local gateway:',
      '   - with the credential of the local gateway,',
      '   - with a request ID to find it again.',
      '3. The gateway passed it to the demo model.',
      '4. The demo model wrote this reply, and streamed it back token by token.',
    ].join('\n'),
  ];
}

function writeHelp(): readonly string[] {
  return [
    '## What this demo can show',
    [
      '- **Anything you type** is quoted back, with a few figures about it.',
      `- **Code**: name a language, such as ${languages.map(formatCode).join(', ')}.`,
      '- **A table**, **a list** or both: use these words.',
      '- **A long reply**: say *long*, or *800 words*, or *5 paragraphs*.',
      '- **A picture**: say *draw*.',
      '- **Tools**: add some to the request and say *call the tool*, *call all tools*, *call the tool twice* or the name of one. Send the results back, and I continue.',
      '- **Memory**: ask another question, and the reply repeats the previous one.',
    ].join('\n'),
    ...showcase,
    '### How failures look',
    'Send one of these phrases in a short message:',
    formatPhraseTable('What happens', faultPhrases),
    '### Videos',
    'The model `demo/video` makes small clips. Its prompts may contain these phrases:',
    formatPhraseTable('The video', videoPhrases),
  ];
}

/** Examples of content that plain Markdown does not have. */
const showcase: readonly string[] = [
  '### What replies may contain',
  'Maths, in a line such as $e^{i\\pi} + 1 = 0$ or on lines of its own:',
  '$$\n\\sum_{k=1}^{n} k = \\frac{n(n+1)}{2}\n$$',
  '- [x] tasks that are done\n- [ ] and tasks to do',
  '> [!TIP]\n> Words that stand out[^note], and keys such as <kbd>Enter</kbd>.',
  '<details>\n<summary>A collapsed section</summary>\n\nIt is shown when you open it.\n\n</details>',
  '[^note]: A footnote, with a link back to its reference.',
];

function formatPhraseTable(
  effects: string,
  phrases: readonly (readonly [phrase: string, effect: string])[],
): string {
  return formatTable(
    ['Phrase', effects],
    phrases.map(([phrase, effect]) => [formatCode(phrase), effect]),
  );
}

function quote(text: string): string {
  return truncateCharacters(text, quoteLength)
    .split(/\r\n|\n|\r/)
    .map((line) => `> ${line}`)
    .join('\n');
}

function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function formatCode(text: string): string {
  return `\`${text}\``;
}

const segmenter = new Intl.Segmenter('en', { granularity: 'word' });

/** Lists the words of the first few thousand characters of a text in any language. */
function splitWords(text: string): readonly string[] {
  return [...segmenter.segment(text.slice(0, 4_000))].flatMap(({ segment, isWordLike }) =>
    isWordLike ? segment : [],
  );
}

function formatCount(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function joinBlocks(blocks: readonly string[]): string {
  return blocks.join('\n\n');
}
