import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { replyText } from '../../src/conversations/conversation/reply.ts';
import { openConversationStore } from '../../src/conversations/store/conversationStore.ts';
import type { Services } from '../../src/host/app/services.ts';
import type { ChatSession } from '../../src/host/chat/session/chatSession.ts';
import { createChatTarget } from '../../src/host/chat/tab/chatState.ts';
import { ChatsOnDisk, listMessageTexts, readStoredMessages } from '../support/chatsOnDisk.ts';
import { DatabaseFolder } from '../support/databaseFolder.ts';
import { answerDialogs } from '../support/dialogs.ts';
import { getServices, useGateway, waitForEvent } from '../support/extensionServices.ts';
import { damages, overwrite, pageSize, readPage } from '../support/pageDamage.ts';
import { createTextChunk, type ScriptedGateway, startScriptedGateway } from '../support/scriptedGateway.ts';
import { itOnSmallDisk, SmallDisk } from '../support/smallDisk.ts';

const compared = ['provider/model', 'provider/other', 'provider/third'];

describe('chats whose file has a fault', () => {
  let services: Services;
  let gateway: ScriptedGateway;
  let answer: (response: ServerResponse) => void;
  let folder: DatabaseFolder;
  const opened: ChatsOnDisk[] = [];
  const disks: SmallDisk[] = [];

  before(async () => {
    services = await getServices();
    gateway = await startScriptedGateway(compared, (response) => {
      response.setHeader('content-type', 'text/event-stream');
      answer(response);
    });
    await useGateway(services, 'faulty', gateway.baseUrl, 'test-credential');
    await services.connection.refresh();
  });
  beforeEach(() => {
    folder = new DatabaseFolder();
    answer = (response) => response.end(createTextChunk('Because.', 'stop'));
  });
  afterEach(async () => {
    await closeAll();
    for (const disk of disks.splice(0)) disk.remove();
    folder.remove();
  });
  after(async () => {
    await services.gateways.remove('faulty');
    await gateway.close();
  });

  it('F93 continue without a storage folder, and are saved as soon as it can be created', async () => {
    const storage = join(folder.path, 'storage');
    writeFileSync(storage, 'In the way.');
    const chat = await newChat(storage);
    await chat.send('Why?');
    assert.deepEqual(listMessageTexts(chat), ['Why?', 'Because.']);
    assertNotice(
      chat,
      /^The chat file cannot be written; check the permissions of .*conversations\.sqlite\. /,
    );
    rmSync(storage);
    await waitUntilStored(chat);
    assert.deepEqual(readStoredMessages(findFile(storage), chat), ['Why?', 'Because.']);
  });

  itOnSmallDisk('F93 continue with a read-only file, and are saved as soon as it is writable', async () => {
    const disk = mountSmallDisk();
    assert.ok(disk);
    const before = await newChat(disk.path);
    await before.send('Before?');
    await closeAll();
    disk.makeReadOnly();
    const notices = await answerDialogs(undefined, async () => {
      const chat = await newChat(disk.path);
      await chat.send('Why?');
      assertNotice(chat, /^The disk with the chat file is read-only \(.*conversations\.sqlite\)\. /);
      assert.deepEqual(listMessageTexts(chat), ['Why?', 'Because.']);
      disk.makeWritable();
      await waitUntilStored(chat);
      assert.deepEqual(readStoredMessages(findFile(disk.path), chat), ['Why?', 'Because.']);
    });
    assert.equal(notices.length, 1);
    assert.match(notices[0]?.message ?? '', /read-only .*Chats are shown, but changes are not saved\./);
    assert.deepEqual(readStoredMessages(findFile(disk.path), before), ['Before?', 'Because.']);
  });

  itOnSmallDisk(
    'F92 save a whole reply that arrived while the disk was full once there is space',
    async () => {
      const disk = mountSmallDisk();
      assert.ok(disk);
      const responding = waitForResponse();
      const chat = await newChat(disk.path);
      const sending = chat.send('Why?');
      const response = await responding;
      disk.fill();
      const long = `So it is. ${'And more. '.repeat(40_000)}`;
      response.write(createTextChunk(long));
      await waitForEvent(chat.onDidChange, () => chat.storageFailure !== undefined);
      assertNotice(
        chat,
        /^The disk with the chat file is full; saving resumes when there is space \(.*sqlite\)\. /,
      );
      response.end(createTextChunk('The end.', 'stop'));
      await sending;
      assert.deepEqual(listMessageTexts(chat), ['Why?', `${long}The end.`]);
      disk.free();
      await waitUntilStored(chat);
      assert.deepEqual(readStoredMessages(findFile(disk.path), chat), ['Why?', `${long}The end.`]);
    },
  );

  it('F96 continue next to a file of a later version, leave it unchanged, and show that they are not saved', async () => {
    const first = await newChat(folder.path);
    await first.send('Before?');
    await closeAll();
    const database = new DatabaseSync(findFile(folder.path));
    database.exec('PRAGMA user_version = 9999');
    database.close();
    const notices = await answerDialogs(undefined, async () => {
      const chat = await newChat(folder.path);
      await chat.send('Why?');
      assert.deepEqual(listMessageTexts(chat), ['Why?', 'Because.']);
      assertNotice(
        chat,
        /written by a newer version of Model Gateway; update the extension\. .*Copy anything that you want/,
      );
    });
    assert.match(notices[0]?.message ?? '', /written by a newer version/);
    const remaining = new DatabaseSync(findFile(folder.path), { readOnly: true });
    assert.equal(remaining.prepare('SELECT count(*) AS n FROM conversations').get()?.n, 1);
    remaining.close();
  });

  it('F95 preserve all of an open chat if the file breaks while a reply arrives', async () => {
    const others = await newChat(folder.path);
    for (let nth = 0; nth < 40; nth++) await others.send(`${nth}. ${'Why, and why again? '.repeat(20)}`);
    const responding = waitForResponse();
    const all = listMessageTexts(others);
    const sending = others.send('Why?');
    const response = await responding;
    response.write(createTextChunk('It began, '));
    const notices = await answerDialogs(undefined, async () => {
      breakFile(folder.path);
      response.end(createTextChunk('and ended.', 'stop'));
      await sending;
    });
    assert.deepEqual(listMessageTexts(others), [...all, 'Why?', 'It began, and ended.']);
    assert.deepEqual(readStoredMessages(findFile(folder.path), others), [
      ...all,
      'Why?',
      'It began, and ended.',
    ]);
    const setAside = readdirSync(folder.path).filter((name) =>
      /^corrupt-.*conversations\.sqlite$/.test(name),
    );
    assert.equal(setAside.length, 1);
    assert.match(
      notices[0]?.message ?? '',
      /^The chat file was damaged\. It was moved aside.*: chats recovered: /,
    );
  });

  it('F95 keep all replies of a comparison side by side if the file breaks while they arrive', async () => {
    const chat = await newChat(folder.path);
    for (let nth = 0; nth < 40; nth++) await chat.send(`${nth}. ${'Why, and why again? '.repeat(20)}`);
    const responses: ServerResponse[] = [];
    const responding = new Promise<void>((all) => {
      answer = (response) => {
        response.write(createTextChunk('It began, '));
        if (responses.push(response) === compared.length) all();
      };
    });
    chat.target.compare(compared);
    const sending = chat.send('Why?');
    await responding;
    const notices = await answerDialogs(undefined, async () => {
      breakFile(folder.path);
      for (const response of responses) response.end(createTextChunk('and ended.', 'stop'));
      await sending;
    });
    assert.equal(notices.length, 1);
    assert.match(notices[0]?.message ?? '', /^The chat file was damaged\. It was moved aside/);
    const expected = compared.map((model) => [model, 'Why?', 'It began, and ended.']);
    assert.deepEqual(readColumns(chat), expected);
    await closeAll();
    const again = await (await open(folder.path)).reopen(chat.id);
    assert.deepEqual(again && readColumns(again), expected);
  });

  async function newChat(storage: string): Promise<ChatSession> {
    return (await open(storage)).add('provider/model');
  }

  async function open(storage: string): Promise<ChatsOnDisk> {
    const chats = await ChatsOnDisk.open(services, storage);
    opened.push(chats);
    return chats;
  }

  /** The response of the next request, for the test to write. */
  function waitForResponse(): Promise<ServerResponse> {
    return new Promise((resolve) => {
      answer = resolve;
    });
  }

  /** Closes chats before their files. */
  async function closeAll(): Promise<void> {
    for (const each of opened.splice(0)) await each.close();
  }

  /** A separate small disk; undefined if it cannot be mounted. */
  function mountSmallDisk(): SmallDisk | undefined {
    const disk = SmallDisk.mount(8);
    if (disk) disks.push(disk);
    return disk;
  }
});

/** The model, question and reply of each column. */
function readColumns({ conversation }: ChatSession): readonly (readonly string[])[] {
  return conversation.comparison.columns.map((turns) =>
    turns.flatMap(({ question, replies: [reply] }) => [
      question.model,
      question.text,
      reply ? replyText(reply) : '',
    ]),
  );
}

function findFile(storage: string): string {
  return join(storage, 'conversations.sqlite');
}

/** Overwrites the pages of the last messages: the end of a reply is written to one of them. */
function breakFile(storage: string): void {
  const file = findFile(storage);
  const other = openConversationStore({ file, window: 'other' });
  // Without a write of another window, the pages would not be read again before the next write.
  other.database.run('UPDATE revision SET n = n');
  other.database.all('PRAGMA wal_checkpoint(TRUNCATE)');
  other.close();
  const bytes = readFileSync(file);
  const rows = Array.from({ length: bytes.length / pageSize }, (_, number) => number).filter(
    (number) => readPage(bytes, number)[0] === 13,
  );
  const last = rows.findLastIndex((number) => readPage(bytes, number).includes('Why, and why again?'));
  assert.notEqual(last, -1, 'the messages are in the file');
  const damage = damages['random bytes'] ?? assert.fail();
  overwrite(file, rows.slice(last).reduce(damage, bytes));
}

function assertNotice(chat: ChatSession, detail: RegExp): void {
  const { notice } = createChatTarget(chat, 0);
  assert.equal(notice?.title, 'This chat cannot be saved at the moment');
  assert.match(notice?.detail ?? '', detail);
}

function waitUntilStored(chat: ChatSession): Promise<void> {
  return waitForEvent(chat.onDidChange, () => chat.storageFailure === undefined);
}
