import assert from 'node:assert/strict';
import type { ChatEvent } from '../../../src/wire/chatEvent.ts';
import { ThinkTagSplitter, type ThinkTags } from '../../../src/wire/stream/thinkTags.ts';
import { decode } from './streamFixtures.ts';

const text = (words: string, choice = 0): ChatEvent => ({ type: 'text', choice, text: words });
const finish: ChatEvent = { type: 'finish', choice: 0, reason: 'stop', raw: 'stop' };

/** The events of a reply after the separation of its reasoning; they arrive one by one. */
function split(events: readonly ChatEvent[], form: ThinkTags = 'paired'): readonly ChatEvent[] {
  const splitter = new ThinkTagSplitter(form);
  return [...events.flatMap((event) => splitter.split([event])), ...splitter.end()];
}

/** The reasoning and the text of a choice, each joined. */
function joinTexts(events: readonly ChatEvent[], choice = 0): readonly [reasoning: string, text: string] {
  const of = (type: 'reasoning' | 'text') =>
    events.map((event) => (event.type === type && event.choice === choice ? event.text : '')).join('');
  return [of('reasoning'), of('text')];
}

/** All ways to cut a text once, and its single characters. */
function listCuts(text: string): readonly (readonly string[])[] {
  const once = Array.from(text, (_, at) => [text.slice(0, at), text.slice(at)]);
  return [...once, [...text]];
}

const fence = '```';

const replies: readonly (readonly [form: ThinkTags, sent: string, reasoning: string, text: string])[] = [
  ['paired', '<think>\nHm, 2 < 3.\n</think>\n\nHi', 'Hm, 2 < 3.\n', 'Hi'],
  ['paired', ' \n<think>Hm</think>Hi <think>you</think>', 'Hm', 'Hi <think>you</think>'],
  ['paired', '<think>\n\n</think>\n\nHi', '', 'Hi'],
  ['paired', '<think>\n\n</think>\n\n<think>Hm</think>\n\nHi', 'Hm', 'Hi'],
  ['paired', '<think>A\n</think>\n<think>B `</think>`</think><think>C', 'A\nB `</think>`C', ''],
  ['paired', '<think>A</think> <thi', 'A', '<thi'],
  ['paired', '<think>A</think> <b>B</b>', 'A', '<b>B</b>'],
  ['closing', 'A</think><think>B</think>Hi', 'AB', 'Hi'],
  // A reply that was cut.
  ['paired', '<think>Hm, 2 <', 'Hm, 2 <', ''],
  ['paired', '<think>Hm</thin', 'Hm</thin', ''],
  ['paired', '<thi', '', '<thi'],
  ['paired', ' \n', '', ' \n'],
  // Tags that do not begin the reply.
  ['paired', 'Write <think>Hm</think> first.', '', 'Write <think>Hm</think> first.'],
  ['paired', '`<think>` and `</think>`', '', '`<think>` and `</think>`'],
  ['paired', `${fence}\n<think>\n</think>\n${fence}`, '', `${fence}\n<think>\n</think>\n${fence}`],
  ['paired', '<thinking>Hm</thinking>', '', '<thinking>Hm</thinking>'],
  ['paired', '<b>Hi</b>', '', '<b>Hi</b>'],
  ['paired', 'Hm</think>Hi', '', 'Hm</think>Hi'],
  ['paired', `${' '.repeat(1025)}<think>Hm</think>Hi`, '', `${' '.repeat(1025)}<think>Hm</think>Hi`],
  // Tags in the code of the reasoning, and code that looks similar.
  ['paired', '<think>Is `</think>` its end?</think>Yes', 'Is `</think>` its end?', 'Yes'],
  ['paired', '<think>`<think>a</think>` is one.</think>Yes', '`<think>a</think>` is one.', 'Yes'],
  ['paired', '<think>`<think>` begins it.</think>Yes', '`<think>` begins it.', 'Yes'],
  ['paired', '<think>`a` or `b`</think>Yes', '`a` or `b`', 'Yes'],
  ['paired', '<think>A ` alone</think>Yes', 'A ` alone', 'Yes'],
  ['paired', '<think>`<` or `</`\n</think>Yes', '`<` or `</`\n', 'Yes'],
  [
    'paired',
    `<think>So:\n ${fence}xml\n<think>\na\n</think>\nb\n ${fence}\nDone.</think>Yes`,
    `So:\n ${fence}xml\n<think>\na\n</think>\nb\n ${fence}\nDone.`,
    'Yes',
  ],
  ['paired', `<think>\n~~~\n<think>\n~~~\nSo</think>Yes`, '~~~\n<think>\n~~~\nSo', 'Yes'],
  ['paired', `<think>Open:\n${fence}\nx = 1\n</think>Yes`, `Open:\n${fence}\nx = 1\n`, 'Yes'],
  [
    'paired',
    `<think>Open:\n${fence}\nx\n${fence}</think>Yes </think>`,
    `Open:\n${fence}\nx\n${fence}`,
    'Yes </think>',
  ],
  ['paired', '<think>A `<think> tag</think>Yes, `so`', 'A `<think> tag', 'Yes, `so`'],
  ['paired', '<think>A `</think>Yes, `so`', 'A `', 'Yes, `so`'],
  ['paired', '<think>A `</think>', 'A `</think>', ''],
  // A closing tag in a block of code is code only if another one follows the block.
  ...[
    `Code:\n${fence}js\nconst end = '</think>';\n${fence}\nSo.`,
    `Code:\r\n${fence}js\r\n'</think>' + '</think>'\r\n${fence} \r\nSo `,
    `${fence}xml\n<think>\na</think>\n<think>b</think>\n${fence}\nSo`,
    `\`\`\`\`md\n${fence}js\n'</think>'\n${fence}\n</think>\n\`\`\`\`\nSo`,
    `~~~\n${fence}\n</think>\n~~~\nSo`,
    `Quoted:\n> ${fence}\n> </think>\n> ${fence}\nSo`,
    `A list:\n  ${fence}\n  </think>\n  ${fence}\n${fence}\n</think>\n${fence}\n`,
  ].map((words) => ['paired', `<think>${words}</think>Yes, </think>`, words, 'Yes, </think>'] as const),
  ['paired', `<think>Open:\n${fence}xml\n<think>\nend</think>Yes`, `Open:\n${fence}xml\n<think>\nend`, 'Yes'],
  [
    'paired',
    `<think>Open:\n${fence}\nx\n</think>\n\nYes:\n${fence}js\ny\n${fence}\nso <`,
    `Open:\n${fence}\nx\n`,
    `Yes:\n${fence}js\ny\n${fence}\nso <`,
  ],
  ['paired', `<think>Open:\n${fence}\n'</think>'\n</think>Yes`, `Open:\n${fence}\n'</think>'\n`, 'Yes'],
  ['paired', `<think>Open:\n${fence}\n</think>\n`, `Open:\n${fence}\n`, ''],
  ['closing', `${fence}\n</think>\n${fence}\nSo</think>Yes`, `${fence}\n</think>\n${fence}\nSo`, 'Yes'],
  ['closing', 'Hm\n</think>\n\nHi </think>', 'Hm\n', 'Hi </think>'],
  ['closing', '\n<think>Hm</think>Hi', 'Hm', 'Hi'],
  ['closing', 'Hm, it was cut', 'Hm, it was cut', ''],
  ['closing', '</think>Hi', '', 'Hi'],
  ['none', '<think>Hm</think>Hi', '', '<think>Hm</think>Hi'],
];

describe('reasoning in the text of a reply', () => {
  for (const [form, sent, reasoning, words] of replies) {
    it(`is separated for any split, if the tags are ${form}: ${JSON.stringify(sent.trim().slice(0, 60))}`, () => {
      for (const pieces of listCuts(sent))
        assert.deepEqual(
          joinTexts(
            split(
              pieces.map((piece) => text(piece)),
              form,
            ),
          ),
          [reasoning, words],
        );
    });
  }

  it('is separated for each choice', () => {
    const events = split([
      text('<think>A', 0),
      text('Hello', 1),
      text('<think>B</think>', 2),
      text('</think>Hi', 0),
      text(' <think>', 1),
      text('Bye', 2),
    ]);
    assert.deepEqual(
      [0, 1, 2].map((choice) => joinTexts(events, choice)),
      [
        ['A', 'Hi'],
        ['', 'Hello <think>'],
        ['B', 'Bye'],
      ],
    );
  });

  const others: readonly ChatEvent[] = [
    { type: 'reasoning', choice: 0, text: 'Hm' },
    { type: 'toolCall', choice: 0, index: 0, name: 'f', arguments: '{}' },
    { type: 'refusal', choice: 0, text: 'No' },
    { type: 'media', choice: 0, mimeType: 'image/png', data: 'AA' },
  ];
  for (const other of others) {
    it(`is text after ${other.type}, in the order of the events`, () => {
      const events = [text('\n'), other, text('<think>Hm</think>'), finish];
      assert.deepEqual(split(events), events);
      assert.deepEqual(split([other, text('<thi'), text('nk>Hm')]), [other, text('<thi'), text('nk>Hm')]);
    });
  }

  it('continues after a tool call, and the beginning of a tag is sent before it', () => {
    const call: ChatEvent = { type: 'toolCall', choice: 0, index: 0, name: 'f', arguments: '{}' };
    assert.deepEqual(split([text('<think>Hm <'), call, text('so</think>Hi'), finish]), [
      { type: 'reasoning', choice: 0, text: 'Hm ' },
      { type: 'reasoning', choice: 0, text: '<' },
      call,
      { type: 'reasoning', choice: 0, text: 'so' },
      text('Hi'),
      finish,
    ]);
  });

  it('is sent at once until a closing tag in a block of code, and ended by it before a tool call', () => {
    const call: ChatEvent = { type: 'toolCall', choice: 0, index: 0, name: 'f', arguments: '{}' };
    const reasoning = (words: string): ChatEvent => ({ type: 'reasoning', choice: 0, text: words });
    const open = `<think>Hm\n${fence}\na`;
    assert.deepEqual(split([text(open), text('b</think>'), text('Hi'), call, text(' you')]), [
      reasoning(`Hm\n${fence}\na`),
      reasoning('b'),
      text('Hi'),
      call,
      text(' you'),
    ]);
    assert.deepEqual(split([text(open), text(`</think>\n${fence}\n`), text('c</think>Hi'), text(' you')]), [
      reasoning(`Hm\n${fence}\na`),
      reasoning(`</think>\n${fence}\nc`),
      text('Hi'),
      text(' you'),
    ]);
  });

  it('is complete when the reply ends or is cut in a tag', () => {
    const chunk = (content: string) =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;
    for (const end of ['data: [DONE]\n\n', '', 'event: error\ndata: {}\n\n']) {
      assert.deepEqual(joinTexts(decode(Buffer.from(chunk('<thi') + end)).events), ['', '<thi']);
      assert.deepEqual(joinTexts(decode(Buffer.from(chunk('<think>Hm</') + end)).events), ['Hm</', '']);
    }
  });

  it('is not searched for after a first text without a tag, and events are returned unchanged', () => {
    const splitter = new ThinkTagSplitter('paired');
    const events = [{ type: 'start', id: 'r' } as const, text('Hi')];
    assert.deepEqual(splitter.split(events), events);
    const more = [text('<think>'), text(' you'), finish];
    assert.equal(splitter.split(more), more);
    assert.equal(splitter.hasChanges, false);
  });
});
