import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import * as vscode from 'vscode';
import type { Services } from '../../src/host/app/services.ts';
import { PromptCompletion } from '../../src/host/chat/prompts/promptCompletion.ts';
import { findPrompts } from '../../src/host/chat/prompts/promptList.ts';
import type { ChatPanel } from '../../src/host/chat/tab/chatPanel.ts';
import { closeEditors } from '../support/closeEditors.ts';
import { answerDialogs, answerDialogsInTurn, type ShownDialog, typeIntoInputs } from '../support/dialogs.ts';
import { selectAndWait } from '../support/editorSelection.ts';
import { getServices, useGateway, waitForEvent } from '../support/extensionServices.ts';
import { type ScriptedGateway, startScriptedGateway } from '../support/scriptedGateway.ts';

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: variables of prompt files look like this

const builtIn = ['/commit', '/doc', '/explain', '/fix', '/review', '/tests'];

describe('prompt files in VS Code', () => {
  let services: Services;
  let gateway: ScriptedGateway;
  let workspacePrompts: vscode.Uri;

  before(async () => {
    services = await getServices();
    gateway = await startScriptedGateway(['provider/model', 'provider/other'], (response) =>
      response.writeHead(400).end('{}'),
    );
    await useGateway(services, 'prompts', gateway.baseUrl, 'test-credential');
    await services.connection.refresh();
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(folder);
    workspacePrompts = vscode.Uri.joinPath(folder.uri, '.github', 'prompts');
  });

  beforeEach(async () => {
    const chat = await services.chats.open({ model: 'provider/model' });
    chat.session.setMessageText('');
  });

  afterEach(async () => {
    await closeEditors();
    for (const folder of [workspacePrompts, services.prompts.ownFolder]) {
      await vscode.workspace.fs.delete(folder, { recursive: true }).then(undefined, () => undefined);
    }
  });

  after(async () => {
    await gateway.close();
  });

  async function write(name: string, text: string, folder = workspacePrompts): Promise<void> {
    await vscode.workspace.fs.createDirectory(folder);
    const file = vscode.Uri.joinPath(folder, `${name}.prompt.md`);
    await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(text));
  }

  function run(name: string): Promise<readonly ShownDialog[]> {
    return answerDialogs(`$(comment) ${name}`, () =>
      vscode.commands.executeCommand('modelGateway.prompts.run'),
    );
  }

  function getChat(): ChatPanel {
    return services.chats.lastActive ?? assert.fail();
  }

  async function selectAll(content: string, language = 'typescript'): Promise<void> {
    const document = await vscode.workspace.openTextDocument({ content, language });
    const editor = await vscode.window.showTextDocument(document);
    const all = new vscode.Range(document.positionAt(0), document.positionAt(content.length));
    await selectAndWait(editor, new vscode.Selection(all.start, all.end));
    await waitForEvent(
      vscode.window.onDidChangeActiveTextEditor,
      () => services.editor.current?.document === document,
    );
  }

  it('fill the message box with the selection, and do not send it', async () => {
    await write('explain', '---\ndescription: Explains code\n---\nExplain this ${language}:\n${selection}\n');
    await selectAll('let a = 1;');
    const before = gateway.requests.length;
    assert.deepEqual(await run('explain'), []);
    assert.equal(getChat().session.unsent.text, 'Explain this typescript:\nlet a = 1;');
    assert.equal(gateway.requests.length, before);
  });

  it('use the selection even while a chat has the focus', async () => {
    await write('explain', '${selection}');
    await selectAll('let b = 2;');
    const { panel } = await services.chats.open({});
    panel.reveal(vscode.ViewColumn.Beside);
    await run('explain');
    assert.equal(getChat().session.unsent.text, 'let b = 2;');
  });

  it('are read again each time, also from the user’s own folder', async () => {
    await write('mine', 'One.', services.prompts.ownFolder);
    await run('mine');
    await write('mine', 'Two.', services.prompts.ownFolder);
    await run('mine');
    assert.equal(getChat().session.unsent.text, 'Two.\nOne.');
  });

  it('with inputs open a form, which restores earlier values', async () => {
    await write('letter', 'Write to ${input:who}, ${input:tone:friendly}.');
    await run('letter');
    const { prompts, session } = getChat();
    assert.equal(session.unsent.text, '');
    const first = prompts.view ?? assert.fail();
    assert.deepEqual(first.fields, [
      { name: 'who', value: '' },
      { name: 'tone', fallback: 'friendly', value: '' },
    ]);
    await prompts.handle({ type: 'fill-prompt', id: first.id, values: { who: ' ' } });
    assert.equal(session.unsent.text, '', 'a prompt must be created first');
    await prompts.handle({ type: 'fill-prompt', id: first.id, values: { who: 'Ada' } });
    assert.equal(session.unsent.text, 'Write to Ada, friendly.');
    assert.equal(prompts.view, undefined);
    await prompts.handle({ type: 'fill-prompt', id: first.id, values: { who: 'Bo' } });
    assert.equal(session.unsent.text, 'Write to Ada, friendly.', 'a form is answered once');
    await run('letter');
    const again = getChat().prompts.view ?? assert.fail();
    assert.equal(again.fields[0]?.value, 'Ada');
    await prompts.handle({ type: 'close-prompt', id: again.id });
    assert.equal(getChat().prompts.view, undefined);
  });

  it('choose the model and the API format if the gateway lists the model, and otherwise report it', async () => {
    await write('other', '---\nmodel: [gone/model, PROVIDER/OTHER]\napi-format: messages\n---\nHi');
    assert.deepEqual(await run('other'), []);
    const { target } = getChat().session;
    assert.deepEqual([target.model, target.format], ['provider/other', 'messages']);
    await target.chooseFormat('chatCompletions');
    await write('gone', '---\nmodel: gone/model\n---\nHi');
    const [dialog] = await run('gone');
    assert.equal(
      dialog?.message,
      'The prompt gone is for gone/model, which prompts does not list. The chat stays with provider/other (Chat Completions (OpenAI)).',
    );
  });

  it('report errors with file and line, and do not insert text', async () => {
    await write('needs', 'Explain\n\n${selection}');
    await write('broken', '---\nname: broken\nname: twice\n---\nHi');
    await selectAll('');
    const [missing] = await run('needs');
    assert.equal(
      missing?.message,
      'needs.prompt.md, line 3: ${selection}: Nothing is selected. Select text in an editor, then run the prompt again.',
    );
    assert.deepEqual(missing?.buttons, ['Open Prompt File']);
    const [broken] = await answerDialogs('$(warning) broken.prompt.md', () =>
      vscode.commands.executeCommand('modelGateway.prompts.run'),
    );
    assert.match(broken?.message ?? '', /^broken\.prompt\.md, line 3: The front matter is not valid YAML: /);
    assert.equal(getChat().session.unsent.text, '');
  });

  it('are offered in a list that opens before they are read, so that it receives typed keys', async () => {
    const shelf = services.prompts;
    const read = Promise.withResolvers<Awaited<ReturnType<typeof shelf.find>>>();
    const opened = Promise.withResolvers<void>();
    const window = vscode.window as { showQuickPick: unknown };
    const { showQuickPick } = vscode.window;
    window.showQuickPick = async (items: PromiseLike<readonly vscode.QuickPickItem[]>) => {
      opened.resolve();
      await items;
    };
    shelf.find = () => read.promise;
    try {
      const done = vscode.commands.executeCommand('modelGateway.prompts.run');
      await opened.promise;
      read.resolve([]);
      await done;
    } finally {
      Reflect.deleteProperty(shelf, 'find');
      window.showQuickPick = showQuickPick;
    }
  });

  it('are rejected if they are pipes or devices, which may have no end', async () => {
    await write('fine', 'Fine.');
    execFileSync('mkfifo', [vscode.Uri.joinPath(workspacePrompts, 'pipe.prompt.md').fsPath]);
    symlinkSync('/dev/zero', vscode.Uri.joinPath(workspacePrompts, 'endless.prompt.md').fsPath);
    const found = await findPrompts(services.prompts.ownFolder);
    assert.deepEqual(
      found.map(({ prompt, problem }) => [prompt?.name, problem?.kind]),
      [
        [undefined, 'binary'],
        ['fine', undefined],
        [undefined, 'binary'],
      ],
    );
  });

  it('open at the line of an error', async () => {
    await write('needs', 'Explain\n\n${selection}');
    await selectAll('');
    await answerDialogsInTurn(['$(comment) needs', 'Open Prompt File'], () =>
      vscode.commands.executeCommand('modelGateway.prompts.run'),
    );
    const editor = vscode.window.activeTextEditor;
    assert.match(editor?.document.uri.path ?? '', /needs\.prompt\.md$/);
    assert.equal(editor?.selection.active.line, 2);
  });

  it('are read once per typed word, and again for a new word', async () => {
    const provider = new PromptCompletion(services.prompts, () => getChat());
    const offered = async (query: string) =>
      (await provider.complete(query)).map(({ label }) => label).filter((label) => !builtIn.includes(label));
    await write('letter', 'One.');
    assert.deepEqual(await offered(''), ['/letter']);
    await write('lemon', 'Two.');
    assert.deepEqual(await offered('le'), ['/letter']);
    assert.deepEqual(await offered(''), ['/lemon', '/letter']);
    await write('letter', '---\nname: renamed\n---\nThree.');
    assert.deepEqual(await offered(''), ['/lemon', '/renamed']);
  });

  it('report an unknown variable, which stays unchanged', async () => {
    await write('shell', 'Why is\n${PATH} empty, \\${selection}?');
    const [dialog] = await run('shell');
    assert.equal(dialog?.message, 'shell.prompt.md, line 2: unknown variables are not replaced: ${PATH}.');
    assert.equal(getChat().session.unsent.text, 'Why is\n${PATH} empty, ${selection}?');
  });

  it('of an untrusted workspace are not offered, with a notice, but those of the user are', async () => {
    await write('theirs', 'Theirs.');
    await write('mine', 'Mine.', services.prompts.ownFolder);
    const trusted = Object.getOwnPropertyDescriptor(vscode.workspace, 'isTrusted') ?? assert.fail();
    Object.defineProperty(vscode.workspace, 'isTrusted', { configurable: true, get: () => false });
    try {
      await run('theirs');
      assert.equal(getChat().session.unsent.text, '');
      await run('mine');
      assert.equal(getChat().session.unsent.text, 'Mine.');
      const provider = new PromptCompletion(services.prompts, () => getChat());
      const offered = await provider.complete('');
      assert.deepEqual(
        offered
          .map(({ label, description }) => [label, description])
          .filter(([label = '']) => !builtIn.includes(label)),
        [
          ['/mine', undefined],
          ['Manage Workspace Trust…', 'Trust this workspace to use its prompts.'],
        ],
      );
    } finally {
      Object.defineProperty(vscode.workspace, 'isTrusted', trusted);
    }
  });

  it('are offered after / in the message box, best match first, and run from there', async () => {
    await write('review', '---\ndescription: Finds faults\n---\nReview this.');
    await write('preview', 'Preview this.');
    await write('letter', '${input:who}');
    const provider = new PromptCompletion(services.prompts, () => getChat());
    const offered = await provider.complete('rev');
    assert.deepEqual(
      offered.map(({ label, description }) => [label, description]),
      [
        ['/review', 'Finds faults'],
        ['/preview', undefined],
      ],
    );
    const { session } = getChat();
    await provider.accept(offered[0]?.id ?? '', session);
    assert.equal(session.unsent.text, 'Review this.');
    await provider.accept('file:///etc/passwd', session);
    assert.equal(session.unsent.text, 'Review this.', 'only the offered prompts are read');
  });

  it('are not needed for the built-in prompts, which add the selection or else the file as context', async () => {
    const provider = new PromptCompletion(services.prompts, () => getChat());
    const offered = await provider.complete('');
    assert.deepEqual(
      offered.map(({ label }) => label),
      [...builtIn, 'New Prompt File…'],
    );
    const { session } = getChat();
    const accept = async (label: string) =>
      provider.accept(offered.find((each) => each.label === label)?.id ?? '', session);
    const context = () =>
      session.unsent.context.references.map((each) => [each.kind, 'lines' in each && each.lines]);
    await selectAll('let a = 1;\nlet b = 2;');
    await accept('/explain');
    assert.match(session.unsent.text, /^Explain what the attached code does/);
    assert.deepEqual(context(), [['file', [1, 2]]]);

    for (const { id } of session.unsent.context.entries) session.unsent.context.remove(id);
    const { document } = services.editor.current ?? assert.fail();
    const editor = await vscode.window.showTextDocument(document);
    await selectAndWait(editor, new vscode.Selection(0, 0, 0, 0));
    session.setMessageText('');
    await accept('/tests');
    assert.match(session.unsent.text, /^Write tests for the attached code/);
    assert.deepEqual(context(), [['file', false]]);

    session.setMessageText('');
    await accept('/fix');
    assert.deepEqual(context(), [['file', false]], 'the chosen context is unchanged');
  });

  it('leave the box empty for a built-in prompt without context, with the reason in a notification', async () => {
    const provider = new PromptCompletion(services.prompts, () => getChat());
    const { session } = getChat();
    for (const [label, words] of [
      ['/explain', 'No file is open. Open a file, then run the prompt again.'],
      ['/commit', 'There is no git repository open in this window, so there are no changes to add.'],
    ] as const) {
      const [offered] = await provider.complete(label.slice(1));
      const seen = await answerDialogs(undefined, () => provider.accept(offered?.id ?? '', session));
      assert.deepEqual(
        seen.map(({ message }) => message),
        [words],
      );
      assert.equal(session.unsent.text, '');
    }
  });

  it('replace the built-in prompt of the same name', async () => {
    await write('Explain', 'My own explanation.', services.prompts.ownFolder);
    const provider = new PromptCompletion(services.prompts, () => getChat());
    const [offered, ...others] = await provider.complete('explain');
    assert.deepEqual([offered?.label, others], ['/Explain', []]);
    await provider.accept(offered?.id ?? '', getChat().session);
    assert.equal(getChat().session.unsent.text, 'My own explanation.');
    assert.deepEqual(getChat().session.unsent.context.entries, []);
  });

  it('are created by a command under a valid name, and never overwrite an existing file', async () => {
    const createPrompt = () =>
      answerDialogsInTurn(['$(account) Yours, in every workspace'], () =>
        vscode.commands.executeCommand('modelGateway.prompts.new'),
      );
    const [refused] = await typeIntoInputs(['../evil'], createPrompt);
    assert.equal(refused?.problem, 'Use letters, digits, “-”, “_” and “.” only.');
    await typeIntoInputs(['mine'], createPrompt);
    const { document } = vscode.window.activeTextEditor ?? assert.fail();
    assert.equal(document.uri.path, vscode.Uri.joinPath(services.prompts.ownFolder, 'mine.prompt.md').path);
    await write('mine', 'My own words.', services.prompts.ownFolder);
    await typeIntoInputs(['mine'], createPrompt);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');

    await services.chats.open({ model: 'provider/model' });
    await run('mine');
    assert.equal(getChat().session.unsent.text, 'My own words.');
  });

  it('have an example that works without an editor', async () => {
    await typeIntoInputs(['sample'], () =>
      answerDialogsInTurn(['$(account) Yours, in every workspace'], () =>
        vscode.commands.executeCommand('modelGateway.prompts.new'),
      ),
    );
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await services.chats.open({ model: 'provider/model' });
    assert.deepEqual(await run('sample'), []);
    const { prompts, session } = getChat();
    const { id, fields } = prompts.view ?? assert.fail();
    assert.deepEqual(
      fields.map(({ name }) => name),
      ['topic', 'reader', 'length'],
    );
    await prompts.handle({ type: 'fill-prompt', id, values: { topic: 'gateways' } });
    assert.equal(session.unsent.text, 'Explain gateways to a new colleague, in three sentences.');
  });
});

// biome-ignore-end lint/suspicious/noTemplateCurlyInString: variables of prompt files look like this
