import assert from 'node:assert/strict';
import { strToU8, zipSync } from 'fflate';
import { importConversations } from '../../../../src/conversations/formats/importConversations.ts';
import { SourceError } from '../../../../src/conversations/formats/reading/byteSource.ts';
import { readZipFiles } from '../../../../src/conversations/formats/reading/zipFiles.ts';
import {
  createMemorySource,
  formatOutline,
  importAll,
  readFixture,
} from '../../../support/importedConversations.ts';

const png = Buffer.from('iVBORw0KGgoAAAANSUhEUg==', 'base64');

function chatGptZip(others: Record<string, Uint8Array> = {}): Uint8Array {
  return zipSync({
    'chat.html': strToU8('<html></html>'),
    'user.json': strToU8('{"id":"user-1","email":"someone@mail.example"}'),
    'message_feedback.json': strToU8('[]'),
    'shared_conversations.json': strToU8('[{"id":"s","conversation_id":"c","title":"Shared"}]'),
    'conversations.json': readFixture('chatgpt.json'),
    'file-Pic1-sum.png': png,
    'file-Doc2-notes.txt': strToU8('Notes'),
    '__MACOSX/._conversations.json': strToU8('\0\x05\x16\x07'),
    ...others,
  });
}

describe('importing a zip file', () => {
  it('imports its conversations with their attached files', async () => {
    const { conversations, problems, warnings, events } = await importAll(chatGptZip());
    assert.deepEqual(problems, []);
    assert.doesNotMatch(warnings.join(), /Attachments missing/);
    const [first] = conversations;
    assert.ok(first);
    assert.equal(
      formatOutline(first)[0],
      'user-1 user: file(notes.txt text/plain) | image(sum.png image/png) | What is 2 + 2?',
    );
    const contents = first.attachments.map(({ bytes }) => Buffer.from(bytes).toString('base64'));
    assert.deepEqual(contents, [Buffer.from('Notes').toString('base64'), png.toString('base64')]);
    assert.equal(events[0]?.location.file, 'conversations.json');
  });

  it('reads the numbered files of a newer ChatGPT export in numeric order', async () => {
    const [first, second] = JSON.parse(readFixture('chatgpt.json').toString()) as unknown[];
    const file = (value: unknown) => strToU8(JSON.stringify([value]));
    const { events, problems } = await importAll(
      zipSync({
        'export/export_manifest.json': strToU8('{"version":1,"files":["conversations-000.json"]}'),
        'export/conversations-10.json': file(second),
        'export/conversations-2.json': file(first),
        'export/conversations-000.json': file(second),
      }),
    );
    assert.deepEqual(problems, []);
    assert.deepEqual(
      events.map(({ location }) => location.file?.slice(7)),
      ['conversations-000.json', 'conversations-2.json', 'conversations-10.json'],
    );
  });

  it('imports files of all formats in one zip file', async () => {
    const names = [
      'claude.json',
      'open-webui.json',
      'librechat.json',
      'vscode.jsonl',
      'sharegpt.json',
      'other.md',
    ];
    const zip = zipSync(Object.fromEntries(names.map((name) => [name, readFixture(name)])));
    const { conversations } = await importAll(zip);
    assert.equal(
      new Set(conversations.map(({ conversation }) => conversation.origin?.source)).size,
      names.length,
    );
  });

  it('continues after a damaged file, and reports it', async () => {
    const { conversations, problems } = await importAll(
      chatGptZip({ 'a.json': readFixture('claude.json').subarray(0, 300) }),
    );
    assert.equal(conversations.length, 2);
    assert.deepEqual(problems, ['import-cut a.json #1 “A cat”']);
  });

  it('reports a zip file without conversations', async () => {
    assert.deepEqual((await importAll(zipSync({}))).problems, ['import-unknown-format']);
    const others = zipSync({ 'a.json': strToU8('[]'), 'b.bin': png, 'c.json': strToU8('') });
    assert.deepEqual((await importAll(others)).problems, ['import-unknown-format']);
  });

  it('reports a truncated zip file of any length', async () => {
    const zip = chatGptZip();
    for (let length = 4; length < zip.length; length += 97) {
      const { problems } = await importAll(zip.subarray(0, length));
      assert.deepEqual(problems, ['import-archive-damaged'], `${length} bytes`);
    }
  });

  it('reports which file in it is damaged or encrypted', async () => {
    const zip = Buffer.from(chatGptZip());
    const name = Buffer.from('conversations.json');
    // The first match is the end of the name of the file of shared conversations.
    const header = zip.indexOf(name, zip.indexOf(name) + 1) - 30;
    const damaged = Buffer.from(zip);
    damaged.fill(0xff, header + 60, header + 120);
    assert.deepEqual((await importAll(damaged)).problems, ['import-archive-damaged conversations.json']);
    // The last match in the directory belongs to the file that macOS adds.
    const entry = zip.lastIndexOf(name, zip.lastIndexOf(name) - 1) - 46;
    const encrypted = Buffer.from(zip);
    encrypted.writeUInt16LE(encrypted.readUInt16LE(entry + 8) | 1, entry + 8);
    assert.deepEqual((await importAll(encrypted)).problems, ['import-archive-encrypted conversations.json']);
  });

  it('imports the conversations even if an attachment is damaged', async () => {
    const zip = Buffer.from(chatGptZip());
    const header = zip.indexOf('file-Pic1-sum.png') - 30;
    zip.writeUInt32LE(0, header);
    const { conversations, problems, warnings } = await importAll(zip);
    assert.equal(conversations.length, 2);
    assert.deepEqual(problems, []);
    assert.match(warnings.join(), /Attachments missing from the file: 1\./);
  });

  it('imports the attachments of a conversation up to a limit for their total size', async () => {
    const picture = (size: number) => Buffer.concat([png, Buffer.alloc(size - png.length)]);
    const most = 200_000;
    const attached = async (sizes: readonly [number, number]) => {
      const [image, notes] = sizes;
      const zip = chatGptZip({
        'file-Pic1-sum.png': picture(image),
        'file-Doc2-notes.txt': Buffer.alloc(notes, 'n'),
      });
      const { conversations, warnings } = await importAll(zip, { maxConversationBytes: most });
      const [first] = conversations;
      const missing = /Attachments missing from the file: (\d)/.exec(warnings.join())?.[1];
      return [first?.attachments.length, missing];
    };
    assert.deepEqual(await attached([most / 2, most / 2]), [2, undefined]);
    assert.deepEqual(await attached([most / 2, most / 2 + 1]), [1, '1']);
    assert.deepEqual(await attached([most + 1, most + 1]), [0, '2']);
  });

  it('rejects a zip bomb: a small file that unpacks to too many bytes', async () => {
    const spaces = Buffer.alloc(100 * 1024 * 1024, ' ');
    spaces[0] = '['.charCodeAt(0);
    const bomb = zipSync({ 'conversations.json': spaces }, { level: 9 });
    assert.ok(bomb.length < 200_000);
    const { problems } = await importAll(bomb);
    assert.deepEqual(problems, ['import-archive-too-large']);
  }).timeout(20_000);

  it('T3 rejects a zip file with too many files', async () => {
    const source = createMemorySource(chatGptZip());
    const { length } = await readZipFiles(source);
    assert.equal((await readZipFiles(source, length)).length, length);
    await assert.rejects(readZipFiles(source, length - 1), (error) => {
      return error instanceof SourceError && error.explanation.id === 'import-archive-too-large';
    });
  });

  it('reads files whose paths contain `..` only from the zip file', async () => {
    const zip = zipSync({ '../../../../etc/conversations.json': readFixture('chatgpt.json') });
    assert.equal((await importAll(zip)).conversations.length, 2);
  });

  it('rejects a stream, because a zip file needs random access', async () => {
    async function* stream() {
      yield chatGptZip();
    }
    const received: string[] = [];
    for await (const event of importConversations(stream())) {
      if (event.type === 'problem') received.push(event.problem.id);
    }
    assert.deepEqual(received, ['import-archive-needs-file']);
  });
});
