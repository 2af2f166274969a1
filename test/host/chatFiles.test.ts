import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { ConversationStore } from '../../src/conversations/store/conversationStore.ts';
import type { Services } from '../../src/host/app/services.ts';
import { addExchange } from '../support/conversationStores.ts';
import { answerDialogs, answerDialogsInTurn, type ShownDialog } from '../support/dialogs.ts';
import { getServices, waitForEvent } from '../support/extensionServices.ts';
import { createWaitingStore } from '../support/waitingStore.ts';

const hostile = `<script>alert(1)</script> [x](command:evil) \u202e../../con: ${'long '.repeat(2000)}`;

describe('the export and import of chats', () => {
  let services: Services;
  let store: ConversationStore;
  let folder: string;

  before(async () => {
    services = await getServices();
    store = createWaitingStore(await services.conversations.store());
  });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'chat-files-'));
  });

  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    for (const id of store.listIds()) store.delete(id);
    rmSync(folder, { recursive: true, force: true });
  });

  it('exports a chat as JSON Lines, and imports it again after it was deleted', async () => {
    const chat = newChat('Why?', 'Because.');
    const { saved, dialogs } = await exportChat(chat, 'JSON Lines');
    assert.match(saved.defaultUri?.path ?? '', /\/Why\.jsonl$/);
    assert.deepEqual(dialogs, []);
    assert.deepEqual(readdirSync(folder), ['chosen.jsonl']);
    const [head = ''] = readFileSync(join(folder, 'chosen.jsonl'), 'utf8').split('\n');
    assert.match(head, /model-gateway-conversations/);
    store.delete(chat);
    assert.deepEqual(messages(await importFiles([join(folder, 'chosen.jsonl')])), ['Chats: 1 imported.']);
    assert.ok(store.get(chat) && store.get(chat)?.deletedAt === undefined);
    assert.deepEqual(messages(await importFiles([join(folder, 'chosen.jsonl')])), [
      'Chats: 0 imported, 1 already there.',
    ]);
  });

  it('exports a chat as Markdown under a safe file name', async () => {
    const chat = newChat(hostile, 'Because.');
    const { saved } = await exportChat(chat, 'Markdown', 'chosen.md');
    const name = saved.defaultUri?.path.split('/').at(-1) ?? '';
    assert.match(name, /^script alert\(1\) script/);
    assert.doesNotMatch(name, /[<>:"\\|?*\u202e]/);
    assert.ok(Buffer.byteLength(name) < 100);
    assert.match(readFileSync(join(folder, 'chosen.md'), 'utf8'), /Because\./);
  });

  it('exports all chats into one file', async () => {
    const chats = [newChat('One?', 'One.'), newChat('Two?', 'Two.')];
    store.archive(chats[0] ?? '', true);
    await withSaveDialog('all.jsonl', () =>
      answerDialogs('All Chats', () => vscode.commands.executeCommand('modelGateway.chats.export')),
    );
    const lines = readFileSync(join(folder, 'all.jsonl'), 'utf8').trim().split('\n');
    assert.deepEqual(JSON.parse(lines.at(-1) ?? ''), { type: 'end', conversations: 2 });
  });

  it('reports once that a file cannot be written, and offers another location', async () => {
    const chat = newChat('Why?', 'Because.');
    const { dialogs } = await exportChat(chat, 'JSON Lines', 'nowhere/chosen.jsonl');
    assert.equal(dialogs.length, 1);
    assert.match(dialogs[0]?.message ?? '', /^“chosen\.jsonl” was not written: /);
    assert.deepEqual(dialogs[0]?.buttons, ['Export Elsewhere…']);
  });

  it('opens a chat as an unsaved Markdown document', async () => {
    const chat = newChat('Why?', 'Because *so*.');
    await answerDialogs('Open as Markdown', () =>
      vscode.commands.executeCommand('modelGateway.chats.export', { kind: 'chat', id: chat }),
    );
    const document = vscode.window.activeTextEditor?.document;
    assert.equal(document?.languageId, 'markdown');
    assert.equal(document?.isUntitled, true);
    assert.match(document?.getText() ?? '', /## Question\n\nWhy\?[\s\S]*Because \*so\*\./);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  it('reports the result for each conversation of several files, with their text escaped', async () => {
    const bad = join(folder, 'bad.txt');
    writeFileSync(bad, 'just words');
    const good = join(folder, 'good.json');
    const conversations = [
      { from: 'human', value: hostile },
      { from: 'gpt', value: 'So.' },
    ];
    writeFileSync(
      good,
      JSON.stringify([
        { id: 'one', conversations },
        { id: 'two', conversations: [] },
      ]),
    );
    const dialogs = await importFiles([bad, good], 'Show Report');
    assert.deepEqual(messages(dialogs), ['Chats: 1 imported, 2 skipped.']);
    await waitForEvent(vscode.window.onDidChangeVisibleTextEditors, () => readReport() !== undefined);
    const text = readReport() ?? '';
    assert.match(
      text,
      /^# Chat Import\n\nChats: 1 imported, 2 skipped\.\n\n## Skipped\n\n- bad\.txt: The file has no/,
    );
    assert.match(text, /\n## Imported\n\n- \*\*\\<script\\>/);
    assert.doesNotMatch(text, /<script>|\]\(command|\u202e/);
    assert.ok(text.length < 2500);
  });

  it('reports in one sentence why a single file was not imported', async () => {
    const bad = join(folder, 'bad.json');
    writeFileSync(bad, '');
    assert.deepEqual(messages(await importFiles([bad])), [
      'Nothing was imported from “bad.json”: The file is empty.',
    ]);
  });

  it('imports the folder of an unpacked export', async () => {
    writeFileSync(join(folder, 'conversations-000.json'), JSON.stringify([createChatGptChat('one')]));
    writeFileSync(join(folder, 'conversations-001.json'), JSON.stringify([createChatGptChat('two')]));
    const dialogs = await importFiles([folder], undefined, '$(folder) Folder of an Unpacked Export…');
    assert.deepEqual(messages(dialogs), ['Chats: 2 imported.']);
    assert.equal(store.listIds().length, 2);
  });

  it('reports the error of any file with its position, and imports no partial chat', async () => {
    const good = createChatGptChat('good');
    const script = '<script>alert(1)</script>[x](command:evil)';
    const message = { uuid: 'same', text: 'Why?', sender: 'human' };
    const twice = [{ uuid: 'twice', name: 'Twice', chat_messages: [message, message] }];
    const files: Readonly<Record<string, readonly [text: string | Buffer, pattern: RegExp]>> = {
      'cut.json': [
        JSON.stringify([good, createChatGptChat('lost')]).slice(0, -40),
        /cut\.json, conversation 2.*is incomplete/,
      ],
      'cut.zip': [Buffer.from('PK\x03\x04 and no more'), /cut\.zip: The zip file is damaged/],
      'circle.json': [
        JSON.stringify([createChatGptChat('circle', { a: 'b', b: 'a' })]),
        /circle\.json, conversation 1.*formed a cycle/,
      ],
      'twice.json': [JSON.stringify(twice), /twice\.json, conversation 1.*duplicate ID/],
      'script.json': [
        JSON.stringify([{ ...createChatGptChat('script'), title: script }]),
        /\*\*\\<script\\>.*script\.json/,
      ],
      'picture.png': [
        Buffer.from('89504e470d0a1a0a0000', 'hex'),
        /picture\.png: The file has no conversations/,
      ],
      'page.json': ['<!doctype html><script>alert(1)</script>', /page\.json: The file has no conversations/],
      'deep.json': [`[${'['.repeat(100_000)}`, /deep\.json/],
    };
    const paths = Object.entries(files).map(([name, [text]]) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    });
    await importFiles(paths, 'Show Report');
    await waitForEvent(vscode.window.onDidChangeVisibleTextEditors, () => readReport() !== undefined);
    const lines = (readReport() ?? '').split('\n');
    for (const [name, [, pattern]] of Object.entries(files)) {
      assert.ok(
        lines.some((line) => pattern.test(line.replaceAll('\\_', '_'))),
        `${name}:\n${lines.join('\n')}`,
      );
    }
    assert.doesNotMatch(lines.join('\n'), /(?<!\\)<script|(?<!\\)\]\(/);
    for (const id of store.listIds()) assert.ok((store.getWithMessages(id)?.messages.length ?? 0) > 0, id);
  });

  function readReport(): string | undefined {
    const documents = vscode.window.visibleTextEditors.map(({ document }) => document);
    return documents.find(({ uri }) => uri.scheme === 'model-gateway-text')?.getText();
  }

  function newChat(question: string, reply: string): string {
    const chat = store.create();
    addExchange(store, chat, question, reply);
    return chat;
  }

  /** Exports into the folder with the command, as a user would who chooses this format and name. */
  async function exportChat(id: string, format: string, name = 'chosen.jsonl') {
    let dialogs: readonly ShownDialog[] = [];
    const saved = await withSaveDialog(name, async () => {
      dialogs = await answerDialogs(format, () =>
        vscode.commands.executeCommand('modelGateway.chats.export', { kind: 'chat', id }),
      );
    });
    return { saved, dialogs };
  }

  /** @returns the options of the dialog */
  async function withSaveDialog(
    name: string,
    act: () => PromiseLike<unknown>,
  ): Promise<vscode.SaveDialogOptions> {
    let saveOptions: vscode.SaveDialogOptions = {};
    const window = vscode.window as { -readonly [name in keyof typeof vscode.window]: unknown };
    const { showSaveDialog } = vscode.window;
    window.showSaveDialog = async (options: vscode.SaveDialogOptions) => {
      saveOptions = options;
      return vscode.Uri.file(join(folder, name));
    };
    try {
      await act();
    } finally {
      window.showSaveDialog = showSaveDialog;
    }
    return saveOptions;
  }

  async function importFiles(
    files: readonly string[],
    reply?: string,
    source = '$(file) Files…',
  ): Promise<readonly ShownDialog[]> {
    const window = vscode.window as { -readonly [name in keyof typeof vscode.window]: unknown };
    const { showOpenDialog } = vscode.window;
    window.showOpenDialog = async () => files.map((file) => vscode.Uri.file(file));
    try {
      return await answerDialogsInTurn([source, ...(reply === undefined ? [] : [reply])], () =>
        vscode.commands.executeCommand('modelGateway.chats.import'),
      );
    } finally {
      window.showOpenDialog = showOpenDialog;
    }
  }
});

/** A conversation as ChatGPT exports it: each message by its id, with its parent. */
function createChatGptChat(
  id: string,
  parents: Readonly<Record<string, string | null>> = { a: null },
): object {
  const mapping = Object.entries(parents).map(([name, parent]) => {
    const content = { content_type: 'text', parts: [`Why, ${name}?`] };
    return [name, { id: name, parent, message: { author: { role: 'user' }, create_time: 1, content } }];
  });
  return { id, title: id, create_time: 1, mapping: Object.fromEntries(mapping) };
}

function messages(dialogs: readonly ShownDialog[]): readonly string[] {
  return dialogs.map(({ message }) => message);
}
