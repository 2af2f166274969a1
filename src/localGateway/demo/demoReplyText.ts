import type { JsonObject } from '../../base/json.ts';
import type { DemoConversation, ToolResult } from './demoConversation.ts';
import { type DemoToolCall, requestsToolCall } from './demoToolCalls.ts';
import { preparedReply } from './preparedReplies.ts';
import { type PromptOptions, readPromptOptions, videoPhrases } from './promptOptions.ts';
import { prose } from './prose.ts';
import { exampleOf } from './schemaExample.ts';
import { pickAtRandom, type SeededRandom } from './seededRandom.ts';
import { faultPhrases } from './simulatedFaults.ts';
import { codeBlock, type Language, languages } from './snippets.ts';
import { truncateCharacters } from './tokens.ts';

/** The first line of every reply. */
export const demoLabel = '*Demo reply from the local gateway. No model was used.*';

/** The longest quotation of a question, in characters. */
const quoteLength = 280;

/** The parts after the text of a reply. */
interface ReplyExtras {
  readonly calls: readonly DemoToolCall[];
  /** `impossible`: the format cannot carry the requested picture. */
  readonly picture: 'none' | 'drawn' | 'impossible';
}

/**
 * Writes the Markdown of a demo model about the request. The same conversation and `random` give the same text.
 */
export function writeTextReply(
  conversation: DemoConversation,
  random: SeededRandom,
  extras: ReplyExtras,
): string {
  const { question, results } = conversation;
  if (extras.calls.length > 0) return join([demoLabel, announce(extras.calls)]);
  if (results.length > 0) return join([demoLabel, ...report(results)]);
  if (question === '')
    return join([demoLabel, 'This request contains no question. Type one and send it again.']);
  const words = ownWords(question);
  const options = readPromptOptions(words);
  if (options.help) return join([demoLabel, ...help()]);
  const preparedText = extras.picture === 'none' && !options.length ? preparedReply(words) : undefined;
  if (preparedText !== undefined) return join([demoLabel, preparedText]);
  return join([
    demoLabel,
    `## ${pickAtRandom(random, ['Your question', 'What you asked', 'Here is your message', 'A demo reply'])}`,
    quote(question),
    ...memory(conversation),
    ...body(conversation, options, extras, random),
    pickAtRandom(random, [
      'Ask for code in Python, a table, a list or 800 words; or type **help**.',
      'Type **help** to see what else this demo can show.',
      'Try another question: a longer one, or one in another language. **help** lists the rest.',
    ]),
  ]);
}

/** The words after the code in a question, if there are any. */
function ownWords(question: string): string {
  const after =
    question
      .split(/^(?:`{3,}|~{3,})$/m)
      .at(-1)
      ?.trim() ?? '';
  return after === '' ? question : after;
}

/**
 * Writes the reply to a request for JSON: an example of the schema, unless the question contains "ignore the
 * schema".
 */
export function writeJsonReply(
  { question, earlier }: DemoConversation,
  schema: JsonObject | undefined,
): string {
  const isFollowed = !/\bignore the schema\b|忽略模式/iu.test(question);
  if (schema && isFollowed) return JSON.stringify(exampleOf(schema, 'demo'), null, 2);
  return JSON.stringify(
    { demo: true, note: 'No model was used.', question, earlierQuestions: earlier.length },
    null,
    2,
  );
}

/** Writes the reasoning before a reply. */
export function writeReasoning(
  { question, earlier, instructions }: DemoConversation,
  random: SeededRandom,
): string {
  const words = ownWords(question);
  const options = readPromptOptions(words);
  const requestedForms = [
    options.code && `code in ${options.code}`,
    options.table && 'a table',
    options.list && 'a list',
    options.length && `about ${options.length.count} ${options.length.unit}`,
  ].filter((option) => typeof option === 'string');
  return join([
    `${pickAtRandom(random, ['The user asks', 'The question is', 'I am asked'])}: “${truncateCharacters(question, 120)}”`,
    earlier.length > 0
      ? `There ${earlier.length === 1 ? 'was' : 'were'} ${count(earlier.length, 'question')} before this one, so I should take the conversation into account.`
      : 'This is the first question, so there are no earlier turns to consider.',
    ...(instructions === '' ? [] : ['There is a system prompt. A real model would follow it.']),
    requestedForms.length > 0
      ? `The question asks for ${requestedForms.join(' and ')}. I can show that.`
      : 'The question does not ask for a particular form, so I show an overview of it.',
    preparedReply(words) === undefined
      ? 'I am a demo and know nothing about the subject, so my reply describes the question and says so.'
      : 'There is a prepared reply to this question, so I can send it and say that no model was used.',
  ]);
}

function announce(calls: readonly DemoToolCall[]): string {
  const names = [...new Set(calls.map(({ name }) => inlineCode(name)))].join(', ');
  return `I call ${names}${calls.length > 1 ? `, ${count(calls.length, 'call')} in all` : ''}, with made-up arguments that match the schema. Send the result back, and I continue.`;
}

function report(results: readonly ToolResult[]): readonly string[] {
  return [
    `### What ${results.length === 1 ? 'the tool' : `the ${results.length} calls`} returned`,
    ...results.flatMap(({ name, text }) => [
      ...(name === '' ? [] : [`${inlineCode(truncateCharacters(name, 64))} returned:`]),
      quote(text),
    ]),
    'A real model would use this for its reply; a demo model only shows it.',
  ];
}

const pictureWords: Readonly<Record<ReplyExtras['picture'], readonly string[]>> = {
  none: [],
  drawn: ['Here is a picture. It was drawn by a few lines of code, and is the same for the same question.'],
  impossible: [
    'Replies in this API format cannot contain pictures. Use another format: chat completions, content generation, responses or interactions.',
  ],
};

function body(
  conversation: DemoConversation,
  options: PromptOptions,
  { picture }: ReplyExtras,
  random: SeededRandom,
): readonly string[] {
  const { question } = conversation;
  const requestedBlocks = [
    ...pictureWords[picture],
    ...(requestsToolCall(question.slice(-quoteLength))
      ? ['This request does not allow tool calls. Add a tool to it, as a function with its schema.']
      : []),
    ...(options.code ? code(options.code, question) : []),
    ...(options.table ? wordTable(question) : []),
    ...(options.list ? journey() : []),
    ...(options.length ? [prose(options.length, random)] : []),
  ];
  return requestedBlocks.length > 0 ? requestedBlocks : overview(conversation);
}

function memory({ earlier, instructions, attachments }: DemoConversation): readonly string[] {
  const previous = earlier.at(-1);
  return [
    ...(previous === undefined
      ? []
      : [
          `This is question ${earlier.length + 1} of our conversation. The previous question was:`,
          quote(previous),
        ]),
    ...(instructions === ''
      ? []
      : [
          `The request has a system prompt of ${count(wordsOf(instructions).length, 'word')}; a real model would follow it.`,
        ]),
    ...(attachments.length === 0
      ? []
      : [
          `Attachments, which a demo does not read: ${attachments.map((kind) => inlineCode(truncateCharacters(kind, 40))).join(', ')}.`,
        ]),
  ];
}

function overview({ question, earlier, promptTokens }: DemoConversation): readonly string[] {
  const words = wordsOf(question);
  const longest = words.reduce((best, word) => (word.length > best.length ? word : best), '');
  return [
    '### About your question',
    [
      `- It has **${count(words.length, 'word')}**${longest === '' ? '' : `, the longest is *${truncateCharacters(longest, 40)}*`}.`,
      `- It is ${/[?？]\s*$/u.test(question) ? 'a question' : 'not written as a question'}.`,
      `- It is ${earlier.length === 0 ? 'the first' : 'not the first'} of this conversation.`,
    ].join('\n'),
    table(
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

function code(language: Language, question: string): readonly string[] {
  return [
    `### Code in ${language}`,
    codeBlock(language, question),
    '1. It is a fixed example; only its topic comes from your words.\n2. Copy it with the button on the block.',
  ];
}

function wordTable(question: string): readonly string[] {
  const rows = wordsOf(question)
    .slice(0, 8)
    .map((word, i) => [String(i + 1), truncateCharacters(word, 40), String([...word].length)]);
  return ['### The words of your question', table(['#', 'Word', 'Characters'], rows)];
}

function journey(): readonly string[] {
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

function help(): readonly string[] {
  return [
    '## What this demo can show',
    [
      '- **Anything you type** is quoted back, with a few figures about it.',
      `- **Code**: name a language, such as ${languages.map(inlineCode).join(', ')}.`,
      '- **A table**, **a list** or both: use these words.',
      '- **A long reply**: say *long*, or *800 words*, or *5 paragraphs*.',
      '- **A picture**: say *draw*.',
      '- **Tools**: add some to the request and say *call the tool*, *call all tools*, *call the tool twice* or the name of one. Send the results back, and I continue.',
      '- **Memory**: ask another question, and the reply repeats the previous one.',
    ].join('\n'),
    ...showcase,
    '### How failures look',
    'Send one of these phrases in a short message:',
    phraseTable('What happens', faultPhrases),
    '### Videos',
    'The model `demo/video` makes small clips. Its prompts may contain these phrases:',
    phraseTable('The video', videoPhrases),
  ];
}

/** Examples of reply content beyond plain Markdown, as Markdown blocks. */
const showcase: readonly string[] = [
  '### What replies may contain',
  'Maths, in a line such as $e^{i\\pi} + 1 = 0$ or on lines of its own:',
  '$$\n\\sum_{k=1}^{n} k = \\frac{n(n+1)}{2}\n$$',
  '- [x] tasks that are done\n- [ ] and tasks to do',
  '> [!TIP]\n> Words that stand out[^note], and keys such as <kbd>Enter</kbd>.',
  '<details>\n<summary>A collapsed section</summary>\n\nIt is shown when you open it.\n\n</details>',
  '[^note]: A footnote, with a link back to its reference.',
];

function phraseTable(
  effects: string,
  phrases: readonly (readonly [phrase: string, effect: string])[],
): string {
  return table(
    ['Phrase', effects],
    phrases.map(([phrase, effect]) => [inlineCode(phrase), effect]),
  );
}

function quote(text: string): string {
  return truncateCharacters(text, quoteLength)
    .split(/\r\n|\n|\r/)
    .map((line) => `> ${line}`)
    .join('\n');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function inlineCode(text: string): string {
  return `\`${text}\``;
}

const segmenter = new Intl.Segmenter('en', { granularity: 'word' });

/** The words of a text in any language, from its first few thousand characters. */
function wordsOf(text: string): readonly string[] {
  return [...segmenter.segment(text.slice(0, 4_000))].flatMap(({ segment, isWordLike }) =>
    isWordLike ? segment : [],
  );
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function join(blocks: readonly string[]): string {
  return blocks.join('\n\n');
}
