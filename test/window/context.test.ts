import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { Services } from '../../src/host/app/services.ts';
import type { CodeApplier } from '../../src/host/chat/apply/codeApplier.ts';
import { ContextCompletion } from '../../src/host/chat/completion/contextCompletion.ts';
import { addFiles, addReferences } from '../../src/host/chat/context/addContext.ts';
import { createContextViews } from '../../src/host/chat/context/contextView.ts';
import { createDraft } from '../../src/host/chat/context/unsentInput.ts';
import { ContextMessages } from '../../src/host/chat/pageMessages/contextMessages.ts';
import type { ChatPanel } from '../../src/host/chat/tab/chatPanel.ts';
import { openChat } from '../../src/host/chat/tab/openChat.ts';
import type { ContextMessage } from '../../src/protocol/chatContext.ts';
import { closeEditors } from '../support/closeEditors.ts';
import { answerDialogs } from '../support/dialogs.ts';
import { selectAndWait } from '../support/editorSelection.ts';
import {
  createFolderInWorkspace,
  getServices,
  unloadClosedChats,
  useGateway,
  waitForEvent,
} from '../support/extensionServices.ts';
import { createTextChunk, type ScriptedGateway, startScriptedGateway } from '../support/scriptedGateway.ts';
import { createWaitingStore } from '../support/waitingStore.ts';

describe('the context of a question', () => {
  const outside = mkdtempSync(join(tmpdir(), 'outside-'));
  let services: Services;
  let gateway: ScriptedGateway;
  let folder: string;
  let chat: ChatPanel;

  before(async () => {
    services = await getServices();
    folder = createFolderInWorkspace('context-');
    mkdirSync(join(folder, 'src'));
    writeFileSync(join(outside, 'notes.txt'), 'outside\n');
    symlinkSync(join(outside, 'notes.txt'), join(folder, 'away.txt'));
    symlinkSync(join(folder, 'round.txt'), join(folder, 'round.txt'));
    writeFileSync(join(folder, 'binary.dat'), Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0, 0, 0]));
    writeFileSync(join(folder, 'big.txt'), 'x'.repeat(1024 * 1024 + 1));
    symlinkSync('/dev/zero', join(folder, 'endless.txt'));
    execFileSync('mkfifo', [join(folder, 'pipe.txt')]);
  });

  beforeEach(async () => {
    writeFileSync(join(folder, 'src', 'a.ts'), 'one\ntwo\nthree\nfour\n');
    gateway = await startScriptedGateway(['provider/model'], (response) => {
      response.setHeader('content-type', 'text/event-stream').end(createTextChunk('Done.', 'stop'));
    });
    await useGateway(services, 'context', gateway.baseUrl, 'test-credential');
    await services.connection.refresh();
    chat = await services.chats.open({ model: 'provider/model' });
  });

  afterEach(async () => {
    await closeEditors();
    unloadClosedChats(services);
    await services.gateways.remove('context');
    await gateway.close();
  });

  after(() => {
    rmSync(folder, { recursive: true });
    rmSync(outside, { recursive: true });
  });

  const at = (path: string) => vscode.Uri.file(join(folder, path));
  const pathInFolder = (path: string) => `${basename(folder)}/${path}`;
  const listShown = () => createContextViews(chat.session.unsent.context.entries);
  const listNames = () => listShown().map(({ name }) => name);
  const add = (path: string) => addFiles(chat.session.unsent, [at(path)]);
  const waitForContext = (isReached: () => boolean) =>
    waitForEvent(chat.session.unsent.context.onDidChange, isReached);
  const listBodies = () =>
    gateway.requests.filter(({ path }) => path === '/v1/chat/completions').map(({ body }) => String(body));

  it('can be a selection with exact lines, whose text is read when the question is sent', async () => {
    const editor = await vscode.window.showTextDocument(at('src/a.ts'), {
      viewColumn: vscode.ViewColumn.Beside,
    });
    await selectAndWait(editor, new vscode.Selection(1, 1, 3, 0), new vscode.Selection(3, 0, 3, 2));
    await vscode.commands.executeCommand('modelGateway.context.addSelection');
    assert.deepEqual(listNames(), [pathInFolder('src/a.ts#L2-3'), pathInFolder('src/a.ts#L4')]);
    await waitForContext(() => listShown()[0]?.size !== undefined);
    assert.deepEqual(listShown()[0]?.size, { bytes: 10, characters: 10, tokens: 3 });
    await editor.edit((edit) => edit.replace(new vscode.Range(1, 0, 1, 3), 'TWO'));
    await waitForContext(() => listShown()[0]?.isChanged === true);
    assert.equal(listShown()[1]?.isChanged, undefined);
    await chat.session.send('Why?');
    assert.ok(
      listBodies()[0]?.includes(
        JSON.stringify(`${pathInFolder('src/a.ts#L2-3')}\n\`\`\`typescript\nTWO\nthree\n`).slice(1, -1),
      ),
    );
    assert.deepEqual(listShown(), []);
    assert.deepEqual(
      chat.session.conversation.lastTurn?.question.files?.map(({ text }) => text),
      ['TWO\nthree\n', 'four\n'],
    );
  });

  it('is reported if its file does not exist, and then the question is not sent', async () => {
    await add('src/a.ts');
    rmSync(join(folder, 'src', 'a.ts'));
    const seen = await answerDialogs(undefined, () => chat.session.send('Why?'));
    assert.match(seen[0]?.message ?? '', /Nothing was sent\. “.*src\/a\.ts” does not exist/);
    assert.deepEqual(listBodies(), []);
    assert.equal(chat.session.unsent.text, 'Why?');
    assert.equal(listShown().length, 1);
    await waitForContext(() => listShown()[0]?.problem !== undefined);
  });

  it('is part of a draft until its question is sent', async () => {
    await add('src/a.ts');
    const { session } = chat;
    const unsent = () => {
      const { text, context } = session.unsent.combinedDraft;
      return [text, context?.length];
    };
    const sending = session.send('Why?');
    assert.deepEqual(unsent(), ['Why?', 1]);
    await sending;
    assert.ok(session.unsent.isEmpty);
    assert.equal(listBodies().length, 1);
    const turn = session.conversation.lastTurn?.id ?? '';
    const edited = session.editQuestion(turn, 'How?');
    assert.deepEqual(unsent(), ['How?', 1]);
    await edited;
    assert.ok(session.unsent.isEmpty);
    assert.equal(listBodies().length, 2);
  });

  it('can be dropped with the address that the window uses, and an unreadable address is reported', async () => {
    const tools = new ContextMessages({} as CodeApplier, services.documents);
    const drop = (...uris: string[]) => tools.handle({ type: 'drop-files', uris }, chat.session);
    await drop(at('src/a.ts').with({ scheme: 'vscode-remote', authority: 'ssh-remote+box' }).toString());
    assert.deepEqual(listNames(), [pathInFolder('src/a.ts')]);
    const [seen] = await answerDialogs(undefined, () => drop('untitled-kind:[x](command:y)', '::'));
    assert.equal(seen?.message, 'This window cannot read untitled-kind:[x] (command:y)');
  });

  it('can be a long pasted text, which is sent once, saved in a draft, and can be moved into the message box', async () => {
    const pasted = 'שלום '.repeat(30_000);
    const { id } = chat.session;
    const tools = new ContextMessages({} as CodeApplier, services.documents);
    const handle = (message: ContextMessage) => tools.handle(message, chat.session);
    await handle({ type: 'drop-text', name: 'Pasted text', bytes: Buffer.byteLength(pasted), text: pasted });
    chat.session.setMessageText('Why?');
    await waitForContext(() => listShown()[0]?.size !== undefined);
    assert.deepEqual(
      [listShown()[0]?.name, listShown()[0]?.size?.characters],
      ['Pasted text', pasted.length],
    );
    const store = createWaitingStore(await services.conversations.store());
    while (store.drafts.read(id)?.text !== 'Why?') await setTimeout(50);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    unloadClosedChats(services);
    chat = (await openChat(services, id)) ?? assert.fail('the draft is gone');
    assert.equal(listShown()[0]?.isText, true);
    await handle({ type: 'insert-context', id: listShown()[0]?.id ?? '' });
    assert.deepEqual([listShown(), chat.session.unsent.text], [[], `${pasted}\nWhy?`]);
    await handle({ type: 'drop-text', name: 'Pasted text', bytes: Buffer.byteLength(pasted), text: pasted });
    chat.session.setMessageText('Why?');
    await chat.session.send('Why?');
    const counts = listBodies().map((body) => body.split(pasted).length - 1);
    assert.deepEqual(counts, [1]);
    assert.deepEqual(
      chat.session.conversation.lastTurn?.question.files?.map(({ name, text }) => [name, text === pasted]),
      [['Pasted text', true]],
    );
  });

  it('is refused with a message if it was dropped from elsewhere and cannot be read, such as a folder', async () => {
    const tools = new ContextMessages({} as CodeApplier, services.documents);
    const dropped = { type: 'drop-text', name: 'folder', bytes: 4096, text: '' } as const;
    const seen = await answerDialogs(undefined, () => tools.handle(dropped, chat.session));
    assert.match(seen[0]?.message ?? '', /“folder” does not exist or cannot be read/);
    assert.deepEqual(listShown(), []);
  });

  it('is reported with its line numbers if the lines do not exist', async () => {
    await addReferences(chat.session.unsent, [
      { kind: 'file', uri: at('src/a.ts').toString(), lines: [3, 4] },
    ]);
    writeFileSync(join(folder, 'src', 'a.ts'), 'one\n');
    const seen = await answerDialogs(undefined, () => chat.session.send('Why?'));
    assert.match(seen[0]?.message ?? '', /Lines 3 to 4 no longer exist in “.*a\.ts”/);
  });

  const refused: Readonly<Record<string, RegExp>> = {
    'binary.dat': /“.*binary\.dat” is not a text file/,
    'big.txt': /“.*big\.txt” is too large: 1\.0 MB, but a context item can have at most 1 MB/,
    src: /“.*src” is a folder/,
    'round.txt': /“.*round\.txt” does not exist or cannot be read/,
    'none.ts': /“.*none\.ts” does not exist/,
    'endless.txt': /“.*endless\.txt” is not a text file/,
    'pipe.txt': /“.*pipe\.txt” is not a text file/,
  };
  for (const [path, words] of Object.entries(refused)) {
    it(`is refused with a message: ${path}`, async () => {
      const seen = await answerDialogs(undefined, () => add(path));
      assert.match(seen[0]?.message ?? '', words);
      assert.deepEqual(listShown(), []);
    });
  }

  it('is added from outside the workspace, directly or by a link, only after confirmation', async () => {
    const seen = await answerDialogs(undefined, () => add('away.txt'));
    assert.match(seen[0]?.detail ?? '', /outside this workspace/);
    assert.deepEqual(listShown(), []);
    const file = vscode.Uri.file(join(outside, 'notes.txt'));
    await answerDialogs('Add', () => addFiles(chat.session.unsent, [file]));
    assert.deepEqual(listNames(), ['notes.txt']);
  });

  it('is added up to the limit from many files, with one confirmation and one message about the others', async () => {
    mkdirSync(join(folder, 'many'));
    const paths = Array.from({ length: 40 }, (_, nth) => `many/${nth}.txt`);
    for (const path of paths) writeFileSync(join(folder, path), 'many\n');
    const files = ['away.txt', 'binary.dat', 'none.ts', 'src', 'round.txt', ...paths].map(at);
    const seen = await answerDialogs('Add', () => addFiles(chat.session.unsent, files));
    assert.deepEqual(
      seen.map(({ message }) => message.replaceAll(`${basename(folder)}/`, '')),
      [
        'Add “away.txt” to the chat?',
        '“binary.dat” is not a text file. “none.ts” does not exist or cannot be read. “src” is a folder. Add the files in it one by one. 2 more cannot be added.',
      ],
    );
    assert.equal(listShown().length, 32);
    const again = await answerDialogs(undefined, () => addFiles(chat.session.unsent, [at('many/0.txt')]));
    assert.deepEqual(again, []);
    const full = await answerDialogs(undefined, () => addFiles(chat.session.unsent, [at('src/a.ts')]));
    assert.match(full[0]?.message ?? '', /at most 32 context items/);
  });

  it('needs one confirmation for several files', async () => {
    writeFileSync(join(outside, 'more.txt'), 'outside\n');
    const files = [
      at('src/a.ts'),
      ...['notes.txt', 'more.txt'].map((name) => vscode.Uri.file(join(outside, name))),
    ];
    const seen = await answerDialogs(undefined, () => addFiles(chat.session.unsent, files));
    assert.equal(seen[0]?.message, 'Add 2 items to the chat?');
    assert.match(seen[0]?.detail ?? '', /^It is outside.*\n– notes\.txt\n– more\.txt\nTheir text is sent/);
    assert.deepEqual(listNames(), [pathInFolder('src/a.ts')]);
  });

  it('needs confirmation if files.exclude hides it', async () => {
    const settings = vscode.workspace.getConfiguration('files');
    const before = settings.get('exclude');
    await settings.update('exclude', { '**/*.hidden': true }, vscode.ConfigurationTarget.Global);
    writeFileSync(join(folder, 'a[1].hidden'), 'hidden\n');
    const seen = await answerDialogs(undefined, () => add('a[1].hidden'));
    await settings.update('exclude', before, vscode.ConfigurationTarget.Global);
    assert.match(seen[0]?.detail ?? '', /files\.exclude/);
    writeFileSync(join(folder, 'b[1].txt'), 'seen\n');
    assert.deepEqual(await answerDialogs(undefined, () => add('b[1].txt')), []);
  });

  it('is shown and sent without hidden characters in its name', async () => {
    writeFileSync(join(folder, 'a\u202etxt.ts'), 'const a = 1;\n');
    await add('a\u202etxt.ts');
    assert.equal(listShown()[0]?.name, pathInFolder('atxt.ts'));
    await chat.session.send('Why?');
    assert.ok(!listBodies()[0]?.includes('\u202e'));
  });

  it('can be problems, in the form that compilers print', async () => {
    const diagnostics = vscode.languages.createDiagnosticCollection('test');
    const range = new vscode.Range(1, 0, 1, 3);
    diagnostics.set(at('src/a.ts'), [
      new vscode.Diagnostic(range, 'No such\n word', vscode.DiagnosticSeverity.Error),
    ]);
    await addReferences(chat.session.unsent, [{ kind: 'problems', uri: at('src/a.ts').toString() }]);
    await chat.session.send('Why?');
    diagnostics.dispose();
    assert.ok(listBodies()[0]?.includes(`${pathInFolder('src/a.ts')}:2:1: error: No such word`));
    const seen = await answerDialogs(undefined, () =>
      addReferences(chat.session.unsent, [{ kind: 'problems', uri: at('src/a.ts').toString() }]),
    );
    assert.match(seen[0]?.message ?? '', /no problems/);
  });

  it('can be the changes of a repository, staged and unstaged, and ignored files need confirmation', async () => {
    const git = (...args: readonly string[]) =>
      execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args], {
        cwd: folder,
      });
    git('init', '--quiet');
    writeFileSync(join(folder, '.gitignore'), '*.secret\n');
    git('add', 'src', '.gitignore');
    git('commit', '--quiet', '-m', 'Begin');
    writeFileSync(join(folder, 'src', 'a.ts'), 'staged\ntwo\nthree\nfour\n');
    git('add', 'src');
    writeFileSync(join(folder, 'src', 'a.ts'), 'staged\ntwo\nthree\nloose\n');
    const extension = vscode.extensions.getExtension('vscode.git');
    assert(extension, 'VS Code has its git extension');
    await (await extension.activate()).getAPI(1).openRepository(vscode.Uri.file(folder));
    await vscode.commands.executeCommand('modelGateway.context.addChanges', {
      rootUri: vscode.Uri.file(folder),
    });
    await chat.session.send('Why?');
    const sent = listBodies()[0] ?? '';
    assert.ok(sent.indexOf('+staged') < sent.indexOf('+loose') && sent.includes('```diff'), sent);
    writeFileSync(join(folder, 'src', 'new.ts'), 'new\n');
    const clicked = ['src/a.ts', 'src/new.ts'].map((path) => ({ resourceUri: at(path) }));
    await vscode.commands.executeCommand('modelGateway.context.addChanges', ...clicked);
    assert.deepEqual(listNames(), [`Changes in ${pathInFolder('src/a.ts')}`, pathInFolder('src/new.ts')]);
    await chat.session.send('And this file?');
    const [patch, file] = chat.session.conversation.lastTurn?.question.files ?? [];
    assert.ok(patch?.text.includes('+staged') && patch.text.includes('+loose'), patch?.text);
    assert.equal(file?.text, 'new\n');
    rmSync(join(folder, 'src', 'new.ts'));
    writeFileSync(join(folder, 'a.secret'), 'secret\n');
    const seen = await answerDialogs(undefined, () => add('a.secret'));
    assert.match(seen[0]?.detail ?? '', /Git ignores it/);
    await (await extension.activate()).getAPI(1).getRepository(vscode.Uri.file(folder))?.status();
  });

  it('is saved in a draft by its location, without its text, and restored', async () => {
    await add('src/a.ts');
    chat.session.setMessageText('Why?');
    const { id } = chat.session;
    await chat.session.send('First');
    await add('src/a.ts');
    chat.session.setMessageText('Then?');
    const store = createWaitingStore(await services.conversations.store());
    while (store.drafts.read(id)?.text !== 'Then?') await setTimeout(50);
    const draft = store.drafts.read(id);
    assert.equal(draft?.text, 'Then?');
    assert.ok(!JSON.stringify(draft).includes('three'));
    const reopened = await services.conversations.reopen(id);
    assert.deepEqual(reopened?.draft.context, draft?.context);
    assert.deepEqual(
      reopened?.conversation.turns[0]?.question.files?.map(({ name }) => name),
      [pathInFolder('src/a.ts')],
    );
  });

  it('stays with a question that is edited or put back into the message box', async () => {
    await add('src/a.ts');
    await chat.session.send('Why?');
    const turn = chat.session.conversation.lastTurn?.id ?? '';
    await chat.session.editQuestion(turn, 'How?');
    assert.equal(chat.session.conversation.lastTurn?.question.files?.length, 1);
    const files = [{ name: 'x', language: 'ts', text: 'gone' }];
    chat.session.unsent.putBack(createDraft({ text: 'Again', images: [], files }));
    await chat.session.send('Again');
    assert.ok(listBodies()[2]?.includes('gone'));
  });

  it('delays later questions until it is read, and is put back with them if it cannot be read', async () => {
    await add('src/a.ts');
    const sending = [chat.session.send('One?'), chat.session.send('Two?'), chat.session.send('Three?')];
    await Promise.all(sending);
    assert.deepEqual(
      chat.session.conversation.turns.map(({ question }) => [question.text, question.files?.length]),
      [
        ['One?', 1],
        ['Two?\n\nThree?', 0],
      ],
    );
    await add('src/a.ts');
    rmSync(join(folder, 'src', 'a.ts'));
    const { session } = chat;
    await answerDialogs(undefined, () => Promise.all([session.send('Four?'), session.send('Five?')]));
    assert.equal(chat.session.unsent.text, 'Four?\nFive?');
    assert.equal(listShown().length, 1);
    assert.equal(listBodies().length, 2);
  });

  it('can be chosen with # from the selection and from files by a part of their path', async () => {
    const editor = await vscode.window.showTextDocument(at('src/a.ts'), {
      viewColumn: vscode.ViewColumn.Beside,
    });
    await selectAndWait(editor, new vscode.Selection(0, 0, 1, 1));
    const completion = new ContextCompletion(() => editor);
    const { signal } = new AbortController();
    const [selection] = await completion.complete('', chat.session, signal);
    assert.equal(selection?.description, pathInFolder('src/a.ts#L1-2'));
    await completion.accept(selection?.id ?? '', chat.session);
    const found = await completion.complete(`${basename(folder)}/SRC/a`, chat.session, signal);
    assert.equal(found[0]?.label, 'a.ts');
    await completion.accept(found[0]?.id ?? '', chat.session);
    assert.deepEqual(listNames(), [pathInFolder('src/a.ts#L1-2'), pathInFolder('src/a.ts')]);
    assert.deepEqual(await completion.complete('42', chat.session, signal), []);
    for (const id of ['', '{}', '[]', 'null', '{"kind":"file"}']) await completion.accept(id, chat.session);
    assert.equal(listShown().length, 2);
  });
});
