import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { PortableConversation } from '../../../../src/conversations/conversation/conversationRecord.ts';
import { exportConversations } from '../../../../src/conversations/formats/own/ownExport.ts';
import { anyConversation } from '../../../support/anyConversation.ts';
import { importAll, readFixture } from '../../../support/importedConversations.ts';
import { countRepetitions } from '../../../support/longRuns.ts';

async function exportBytes(conversations: readonly PortableConversation[]): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of exportConversations(conversations)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const png = Buffer.from('iVBORw0KGgo=', 'base64');
const pngHash = '4c4b6a3be1314ab86138bef4314dde022e600960d8689a2c8f8631802d20dab6';

const small: PortableConversation = {
  conversation: {
    id: 'c',
    title: 'Small',
    createdAt: 1,
    changedAt: 2,
    head: 'b',
    parameters: { z: 1, a: 2 },
  },
  messages: [
    {
      id: 'a',
      role: 'user',
      createdAt: 1,
      state: 'done',
      choices: [
        [
          { type: 'image', mimeType: 'image/png', hash: pngHash },
          { type: 'text', text: 'What?' },
        ],
      ],
    },
    {
      parent: 'a',
      id: 'b',
      role: 'assistant',
      createdAt: 2,
      state: 'arriving',
      choices: [[{ text: 'A dot', type: 'text' }]],
      request: { requestedAt: 1, model: 'm', id: 'r' },
    },
  ],
  attachments: [{ hash: pngHash, bytes: png }],
};

describe('the export of all conversations', () => {
  it('has one line for each item, in a fixed order', async () => {
    const lines = (await exportBytes([small])).toString().split('\n');
    assert.deepEqual(lines, [
      '{"format":"model-gateway-conversations","version":1}',
      '{"type":"conversation","messages":2,"attachments":1,"id":"c","title":"Small","createdAt":1,"changedAt":2,' +
        '"head":"b","parameters":{"z":1,"a":2}}',
      '{"type":"message","id":"a","role":"user","createdAt":1,"state":"done",' +
        `"choices":[[{"type":"image","mimeType":"image/png","hash":"${pngHash}"},{"type":"text","text":"What?"}]]}`,
      '{"type":"message","id":"b","parent":"a","role":"assistant","createdAt":2,"state":"stopped",' +
        '"choices":[[{"type":"text","text":"A dot"}]],"request":{"id":"r","model":"m","requestedAt":1}}',
      `{"type":"attachment","hash":"${pngHash}","data":"iVBORw0KGgo="}`,
      '{"type":"end","conversations":1}',
      '',
    ]);
  });

  it('excludes deleted conversations', async () => {
    const deleted = { ...small, conversation: { ...small.conversation, deletedAt: 3 } };
    assert.match((await exportBytes([deleted])).toString(), /^[^\n]*\n\{"type":"end","conversations":0\}\n$/);
    assert.deepEqual((await importAll(await exportBytes([]))).events, []);
  });

  it('is the same, byte for byte, after an import, for any content', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyConversation, { maxLength: 3 }), async (conversations) => {
        const bytes = await exportBytes(conversations);
        const { conversations: back, problems, warnings } = await importAll(bytes);
        assert.deepEqual([problems, warnings], [[], []]);
        assert.deepEqual(
          JSON.parse(JSON.stringify(back.map(bare))),
          JSON.parse(JSON.stringify(conversations.map(bare))),
        );
        assert.ok((await exportBytes(back)).equals(bytes), 'other bytes');
      }),
      { numRuns: countRepetitions(300) },
    );
  });

  it('is the same, byte for byte, after an import for conversations of other programs', async () => {
    for (const name of ['chatgpt.json', 'claude.json', 'open-webui.json', 'vscode.json', 'librechat.json']) {
      const { conversations } = await importAll(readFixture(name));
      const bytes = await exportBytes(conversations);
      const again = await importAll(bytes);
      assert.deepEqual(again.problems, []);
      assert.ok((await exportBytes(again.conversations)).equals(bytes), name);
    }
  });

  it('is imported up to a cut with all complete conversations, and the cut is reported', async () => {
    const second = { ...small, conversation: { ...small.conversation, id: 'd', title: 'Second' } };
    const complete = await exportBytes([small, second]);
    const ends = [complete.indexOf('{"type":"conversation"', 100), complete.indexOf('{"type":"end"')];
    for (let length = 1; length < complete.length - 1; length += 1) {
      const { conversations, problems } = await importAll(complete.subarray(0, length));
      // The end of a line, or of the JSON in it, is as good as the next line.
      const expected = ends.filter((end) => end <= length + 1).length;
      assert.equal(conversations.length, expected, `${length} bytes`);
      assert.equal(problems.length, 1, `${length} bytes`);
      assert.match(problems[0] ?? '', length > 53 ? /^import-cut/ : /^import-/);
    }
  });

  it('is read even if lines are missing, invalid or of a later version', async () => {
    const text = (
      await exportBytes([small, { ...small, conversation: { ...small.conversation, id: 'd' } }])
    ).toString();
    const changed = async (from: string | RegExp, to: string) => {
      const { conversations, problems, warnings } = await importAll(text.replace(from, to));
      return { ids: conversations.map(({ conversation: { id } }) => id), problems, warnings, conversations };
    };
    const cases: readonly (readonly [string | RegExp, string, string[], string[], string[]])[] = [
      ['"version":1', '"version":9', [], ['import-newer-version line 1'], []],
      ['"role":"user"', '"role":"king"', ['d'], ['import-damaged #1 “Small” line 2'], []],
      [/\{"type":"message","id":"b".*\n/, '', ['d'], ['import-damaged #1 “Small” line 2'], []],
      [/\{"type":"message","id":"b"/, '{"type":"mess', ['d'], ['import-not-json #1 “Small” line 2'], []],
      ['"id":"c",', '', ['d'], ['import-damaged #1 “Small” line 2'], []],
      [
        '"data":"iVBO',
        '"data":"AAAA',
        ['c', 'd'],
        [],
        ['Damaged attachments that were skipped: 1.', 'Attachments missing from the file: 1.'],
      ],
      [
        '"createdAt":1,"state"',
        '"createdAt":1,"editOf":7,"state"',
        ['c', 'd'],
        [],
        ['Invalid values that were skipped: 1.'],
      ],
      [
        '"parent":"a"',
        '"parent":"z"',
        ['c', 'd'],
        [],
        ['Messages whose previous message is not in the file, and which now start a branch of their own: 1.'],
      ],
      ['"head":"b"', '"head":"z"', ['c', 'd'], [], []],
      [/\{"type":"end".*\n/, '', ['c', 'd'], ['import-cut'], []],
      [
        /\{"type":"conversation"[^\n]*"id":"d"[\s\S]*(?=\{"type":"end")/,
        '',
        ['c'],
        ['import-conversations-missing line 6'],
        [],
      ],
    ];
    for (const [from, to, ids, problems, warnings] of cases) {
      const result = await changed(from, to);
      assert.deepEqual(
        [result.ids, result.problems, result.warnings],
        [ids, problems, warnings],
        String(from),
      );
    }
    const later = await changed('"title":"Small"', '"title":"Small","mood":"good"');
    assert.deepEqual(later.conversations[0]?.conversation.extra, { mood: 'good' });
    const newKind = await changed('{"type":"text","text":"What?"}', '{"type":"smell","of":"tea"}');
    assert.deepEqual(newKind.conversations[0]?.messages[0]?.choices[0]?.[1], {
      type: 'other',
      value: { type: 'smell', of: 'tea' },
    });
  });

  it('stops when it is cancelled', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    const reading = async () => {
      for await (const _ of exportConversations([small], { signal }));
    };
    await assert.rejects(reading, /enough/);
  });
});

/** A comparable form: attachments in a fixed order, bytes as lists. */
function bare({ conversation, messages, attachments }: PortableConversation): object {
  const sorted = attachments.toSorted((one, other) => (one.hash < other.hash ? -1 : 1));
  return { conversation, messages, attachments: sorted.map(({ hash, bytes }) => [hash, [...bytes]]) };
}
