import type { JsonObject } from '../../base/json.ts';
import type { Conversation, ToolResult } from './conversation.ts';
import { knownAnswer } from './knownAnswers.ts';
import { type PromptOptions, readPromptOptions } from './promptOptions.ts';
import { prose } from './prose.ts';
import { exampleOf } from './schemaExample.ts';
import { pick, type SeededRandom } from './seededRandom.ts';
import { faultPhrases } from './simulatedFaults.ts';
import { codeBlock, type Language, languages } from './snippets.ts';
import { truncateCharacters } from './tokens.ts';
import { asksForTool, type ToolCall } from './toolCalls.ts';
import { videoPhrases } from './videoPromptOptions.ts';

/** The first line of every reply. */
export const demoLabel = '*Demo reply from the local gateway. No model was asked.*';

/** The longest quotation of a question, in characters. */
const quoteLength = 280;

/** What follows the text of an answer. */
export interface AnswerExtras {
  readonly calls: readonly ToolCall[];
  /** `impossible`: the format cannot carry the picture that was asked for. */
  readonly picture: 'none' | 'drawn' | 'impossible';
}

/**
 * Writes the Markdown of a demo model about what was sent. The same conversation and `random` give the same
 * text.
 */
export function writeAnswer(conversation: Conversation, random: SeededRandom, extras: AnswerExtras): string {
  const { question, results } = conversation;
  if (extras.calls.length > 0) return join([demoLabel, announce(extras.calls)]);
  if (results.length > 0) return join([demoLabel, ...report(results)]);
  if (question === '')
    return join([demoLabel, 'No question came with this request. Type one and send it again.']);
  const said = ownWords(question);
  const options = readPromptOptions(said);
  if (options.help) return join([demoLabel, ...help()]);
  const known = extras.picture === 'none' && !options.length ? knownAnswer(said) : undefined;
  if (known !== undefined) return join([demoLabel, known]);
  return join([
    demoLabel,
    `## ${pick(random, ['Your question', 'What you asked', 'Here is what arrived', 'A demo answer'])}`,
    quote(question),
    ...memory(conversation),
    ...body(conversation, options, extras, random),
    pick(random, [
      'Ask for code in Python, a table, a list or 800 words; or type **help**.',
      'Type **help** to see what else this demo can show.',
      'Try another question: a longer one, or one in another language. **help** lists the rest.',
    ]),
  ]);
}

/** The words after the code that a question brings along, where there are any. */
function ownWords(question: string): string {
  const after =
    question
      .split(/^(?:`{3,}|~{3,})$/m)
      .at(-1)
      ?.trim() ?? '';
  return after === '' ? question : after;
}

/** Writes the answer to a request for JSON: an example of the schema, unless the question wants it to be ignored. */
export function writeJsonAnswer({ question, earlier }: Conversation, schema: JsonObject | undefined): string {
  const isFollowed = !/\bignore the schema\b|忽略模式/iu.test(question);
  if (schema && isFollowed) return JSON.stringify(exampleOf(schema, 'demo'), null, 2);
  return JSON.stringify(
    { demo: true, note: 'No model was asked.', question, earlierQuestions: earlier.length },
    null,
    2,
  );
}

/** Writes the reasoning before an answer. */
export function writeReasoning(
  { question, earlier, instructions }: Conversation,
  random: SeededRandom,
): string {
  const said = ownWords(question);
  const options = readPromptOptions(said);
  const wanted = [
    options.code && `code in ${options.code}`,
    options.table && 'a table',
    options.list && 'a list',
    options.length && `about ${options.length.count} ${options.length.unit}`,
  ].filter((option) => typeof option === 'string');
  return join([
    `${pick(random, ['The user asks', 'The question is', 'I am asked'])}: “${truncateCharacters(question, 120)}”`,
    earlier.length > 0
      ? `There ${earlier.length === 1 ? 'was' : 'were'} ${count(earlier.length, 'question')} before this one, so I should not start from nothing.`
      : 'This is the first question, so there is nothing to remember yet.',
    ...(instructions === ''
      ? []
      : ['There is a system prompt. A real model would weigh every word against it.']),
    wanted.length > 0
      ? `The words ask for ${wanted.join(' and ')}. I can show that.`
      : 'No particular form is asked for. An overview of what arrived will do.',
    knownAnswer(said) === undefined
      ? 'I am a demo and know nothing of the subject itself, so the honest answer is about the question, and says so.'
      : 'Somebody wrote an answer to this one down, so I can give it, and say that no model was asked.',
  ]);
}

function announce(calls: readonly ToolCall[]): string {
  const names = [...new Set(calls.map(({ name }) => inlineCode(name)))].join(', ');
  return `I call ${names}${calls.length > 1 ? `, ${count(calls.length, 'call')} in all` : ''}, with arguments made up to fit. Send back what comes of it, and I go on.`;
}

function report(results: readonly ToolResult[]): readonly string[] {
  return [
    `### What ${results.length === 1 ? 'the tool' : `the ${results.length} calls`} returned`,
    ...results.flatMap(({ name, text }) => [
      ...(name === '' ? [] : [`${inlineCode(truncateCharacters(name, 64))} returned:`]),
      quote(text),
    ]),
    'A real model would answer from that; a demo has only read it.',
  ];
}

const pictureWords: Readonly<Record<AnswerExtras['picture'], readonly string[]>> = {
  none: [],
  drawn: ['Here is a picture. It was drawn by a few lines of code, and is the same for the same question.'],
  impossible: [
    'Replies in this API format carry no pictures. Ask in another one: chat completions, content generation, responses or interactions.',
  ],
};

function body(
  conversation: Conversation,
  options: PromptOptions,
  { picture }: AnswerExtras,
  random: SeededRandom,
): readonly string[] {
  const { question } = conversation;
  const asked = [
    ...pictureWords[picture],
    ...(asksForTool(question.slice(-quoteLength))
      ? ['This request lets no tool be called. Offer one with it, as a function with its schema.']
      : []),
    ...(options.code ? code(options.code, question) : []),
    ...(options.table ? wordTable(question) : []),
    ...(options.list ? journey() : []),
    ...(options.length ? [prose(options.length, random)] : []),
  ];
  return asked.length > 0 ? asked : overview(conversation);
}

function memory({ earlier, instructions, attachments }: Conversation): readonly string[] {
  const previous = earlier.at(-1);
  return [
    ...(previous === undefined
      ? []
      : [`This is question ${earlier.length + 1} of our conversation. The one before was:`, quote(previous)]),
    ...(instructions === ''
      ? []
      : [
          `A system prompt of ${count(wordsOf(instructions).length, 'word')} came along; a real model would follow it.`,
        ]),
    ...(attachments.length === 0
      ? []
      : [
          `Attached, but not looked at by a demo: ${attachments.map((kind) => inlineCode(truncateCharacters(kind, 40))).join(', ')}.`,
        ]),
  ];
}

function overview({ question, earlier, promptTokens }: Conversation): readonly string[] {
  const words = wordsOf(question);
  const longest = words.reduce((best, word) => (word.length > best.length ? word : best), '');
  return [
    '### What I can tell',
    [
      `- It has **${count(words.length, 'word')}**${longest === '' ? '' : `, the longest of them *${truncateCharacters(longest, 40)}*`}.`,
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
      '1. The page handed your question to the extension.',
      '2. The extension sent it to the local gateway:',
      '   - with a credential made for this start of the gateway,',
      '   - with a request id to find it again.',
      '3. The gateway gave it to the demo model.',
      '4. The demo wrote this, and streamed it back token by token.',
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
      '- **A long answer**: say *long*, or *800 words*, or *5 paragraphs*.',
      '- **A picture**: say *draw*.',
      '- **Tools**: offer some with the request and say *call the tool*, *call all tools*, *call the tool twice* or the name of one. Send the results back, and I go on.',
      '- **Memory**: ask again, and the question before is recalled.',
    ].join('\n'),
    ...showcase,
    '### How failures look',
    'Send one of these phrases in a short message:',
    phraseTable('What happens', faultPhrases),
    '### Videos',
    'The model `demo/video` makes small clips. Its prompts may hold these phrases:',
    phraseTable('The video', videoPhrases),
  ];
}

/** What replies may hold beyond plain Markdown, as blocks of it. */
const showcase: readonly string[] = [
  '### What replies may hold',
  'Maths, in a line such as $e^{i\\pi} + 1 = 0$ or on lines of its own:',
  '$$\n\\sum_{k=1}^{n} k = \\frac{n(n+1)}{2}\n$$',
  '- [x] tasks that are done\n- [ ] and tasks to do',
  '> [!TIP]\n> Words that stand out[^note], and keys such as <kbd>Enter</kbd>.',
  '<details>\n<summary>What is folded away</summary>\n\nIt is shown when you open it.\n\n</details>',
  '[^note]: A footnote, with the way back to its mention.',
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
