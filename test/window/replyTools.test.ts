import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { ReplyActions } from '../../src/host/chat/replies/replyActions.ts';
import { LastEditor } from '../../src/host/kit/display/lastEditor.ts';
import { closeEditors } from '../support/closeEditors.ts';
import { answerDialogs } from '../support/dialogs.ts';
import { selectAndWait } from '../support/editorSelection.ts';
import { createFolderInWorkspace, getServices } from '../support/extensionServices.ts';

const memory = { get: () => undefined, update: async () => {}, keys: () => [] } as unknown as vscode.Memento;

describe('the actions of a reply with code and files', () => {
  const outside = mkdtempSync(join(tmpdir(), 'outside-'));
  let folder: string;
  let tools: ReplyActions;
  let editor: LastEditor;

  before(async () => {
    await getServices();
    folder = createFolderInWorkspace('reply-');
    mkdirSync(join(folder, 'src'));
    mkdirSync(join(folder, '.vscode'));
    writeFileSync(join(folder, 'src', 'a.ts'), 'one\ntwo\nthree\n');
    writeFileSync(join(folder, '.vscode', 'settings.json'), '{}');
    writeFileSync(join(outside, 'secret.ts'), 'secret\n');
    symlinkSync(outside, join(folder, 'away'));
    symlinkSync(join(folder, '.vscode', 'settings.json'), join(folder, 'innocent.json'));
    editor = new LastEditor();
    tools = new ReplyActions(memory, editor);
  });

  after(async () => {
    tools.dispose();
    editor.dispose();
    await vscode.workspace.fs.delete(vscode.Uri.file(folder), { recursive: true });
    await vscode.workspace.fs.delete(vscode.Uri.file(outside), { recursive: true });
  });

  afterEach(closeEditors);

  function pathInFolder(path: string): string {
    return `${folder.split(/[\\/]/).at(-1)}/${path}`;
  }

  async function show(path: string): Promise<vscode.TextEditor> {
    return vscode.window.showTextDocument(vscode.Uri.file(join(folder, path)));
  }

  it('opens a file as a preview with its lines selected', async () => {
    await tools.handle({ type: 'open-file', reference: `./${pathInFolder('src/a.ts')}#L2-L3` });
    const editor = vscode.window.activeTextEditor;
    assert.equal(editor?.document.uri.fsPath, join(folder, 'src', 'a.ts'));
    assert.deepEqual([editor.selection.start.line, editor.selection.end.line], [1, 2]);
    assert.ok(vscode.window.tabGroups.activeTabGroup.activeTab?.isPreview);
  });

  it('T19 does not open a file outside the workspace, and shows a message', async () => {
    const absolute = join(outside, 'secret.ts');
    for (const reference of [
      absolute,
      `${folder}/../${absolute}`,
      pathInFolder('away/secret.ts'),
      pathInFolder('src/../../../etc/passwd'),
      '/etc/passwd',
      'file:///etc/passwd',
      pathInFolder('src'),
      pathInFolder('gone.ts'),
    ]) {
      const seen = await answerDialogs(undefined, () => tools.handle({ type: 'open-file', reference }));
      assert.match(seen[0]?.message ?? '', /^There is no file “/, reference);
      assert.equal(vscode.window.activeTextEditor, undefined, reference);
    }
  });

  it('T9 shows the complete address of a link before opening it, and ignores other schemes', async () => {
    const openLink = (url: string) =>
      answerDialogs(undefined, () => tools.handle({ type: 'open-link', url }));
    const [dialog] = await openLink('https://ex\u0430mple.com@evil.example/a?b');
    assert.equal(dialog?.message, 'Open this address from a model’s reply?');
    assert.equal(dialog?.detail, 'https://ex%D0%B0mple.com@evil.example/a?b');
    for (const url of [
      'javascript:alert(1)',
      'file:///etc/passwd',
      'vscode://a.b/c',
      'command:quit',
      'no address',
    ])
      assert.deepEqual(await openLink(url), [], url);
  });

  it('reports which files exist', async () => {
    const references = [
      pathInFolder('src/a.ts:3'),
      pathInFolder('src/b.ts'),
      pathInFolder('away/secret.ts'),
      '/etc/passwd',
    ];
    assert.deepEqual(await tools.findExistingReferences(references), references.slice(0, 1));
  });

  it('inserts code at the last cursor position, in one undo step', async () => {
    const editor = await show('src/a.ts');
    await selectAndWait(editor, new vscode.Selection(1, 0, 1, 3));
    await vscode.commands.executeCommand('modelGateway.newChat');
    await tools.handle({ type: 'insert-code', text: 'const a = $1;\u200b\n' });
    const { document } = vscode.window.activeTextEditor ?? assert.fail('no editor is active');
    assert.equal(document.getText(), 'one\nconst a = $1;\nthree\n');
    await vscode.commands.executeCommand('undo');
    assert.equal(document.getText(), 'one\ntwo\nthree\n');
  });

  it('T19 does not insert into files that configure tools or outside the workspace, and shows a message', async () => {
    for (const path of [
      join(folder, '.vscode', 'settings.json'),
      join(folder, 'innocent.json'),
      join(folder, 'away', 'secret.ts'),
      join(outside, 'secret.ts'),
    ]) {
      const { document } = await vscode.window.showTextDocument(vscode.Uri.file(path));
      const before = document.getText();
      const seen = await answerDialogs(undefined, () => tools.handle({ type: 'insert-code', text: 'evil' }));
      assert.match(seen[0]?.message ?? '', /cannot be inserted into/, path);
      assert.equal(document.getText(), before, path);
    }
  });

  it('shows a message if there is no editor to insert into', async () => {
    const nothingOpen = new LastEditor();
    const fresh = new ReplyActions(memory, nothingOpen);
    const seen = await answerDialogs(undefined, () => fresh.handle({ type: 'insert-code', text: 'a' }));
    fresh.dispose();
    nothingOpen.dispose();
    assert.match(seen[0]?.message ?? '', /There is no editor/);
  });

  it('opens code as a new file in its language', async () => {
    await tools.handle({ type: 'new-file', text: 'let a;\n', language: 'ts' });
    const document = vscode.window.activeTextEditor?.document;
    assert.deepEqual(
      [document?.isUntitled, document?.languageId, document?.getText()],
      [true, 'typescript', 'let a;\n'],
    );
    await tools.handle({ type: 'new-file', text: 'x', language: 'no-such-language' });
    assert.equal(vscode.window.activeTextEditor?.document.languageId, 'plaintext');
  });

  it('T19 puts one line into a new terminal without running it', async () => {
    const sent: (readonly [string, boolean | undefined])[] = [];
    const window = vscode.window as { -readonly [name in keyof typeof vscode.window]: unknown };
    const { createTerminal } = vscode.window;
    window.createTerminal = () => ({
      shellIntegration: { cwd: vscode.Uri.file(folder) },
      show: () => {},
      sendText: (text: string, execute?: boolean) => sent.push([text, execute]),
    });
    try {
      const put = (text: string) => tools.handle({ type: 'put-into-terminal', text, language: 'bash' });
      await put('npm test\n');
      await answerDialogs('npm ci', () => put('npm ci\r\nnpm test\u001b[201~\n'));
      await answerDialogs('All 2 commands, one after another', () => put('npm ci\nnpm test\n'));
      await answerDialogs(undefined, () => put('npm ci\nnpm test\n'));
      await answerDialogs(undefined, () => put('# nothing\n'));
    } finally {
      window.createTerminal = createTerminal;
    }
    assert.deepEqual(sent, [
      ['npm test', false],
      ['npm ci', false],
      ['npm ci && npm test', false],
    ]);
  });

  it('T19 puts a multi-line command into a terminal as one line, if its shell supports this', async () => {
    const sent: (readonly [string, boolean | undefined])[] = [];
    const window = vscode.window as { -readonly [name in keyof typeof vscode.window]: unknown };
    const { createTerminal } = vscode.window;
    const text = 'for n in 1 2; do\n  echo $n\ndone\n';
    const put = (shell: string | undefined) => {
      window.createTerminal = () => ({
        shellIntegration: { cwd: vscode.Uri.file(folder) },
        state: { shell },
        show: () => {},
        sendText: (line: string, execute?: boolean) => sent.push([line, execute]),
      });
      return answerDialogs('All lines together', () =>
        tools.handle({ type: 'put-into-terminal', text, language: 'bash' }),
      );
    };
    try {
      await put('bash');
      for (const shell of ['csh', 'cmd', undefined]) {
        const dialogs = await put(shell);
        assert.match(dialogs.at(-1)?.message ?? '', /were not inserted into the terminal/, shell);
      }
    } finally {
      window.createTerminal = createTerminal;
    }
    assert.deepEqual(sent, [["eval $'for n in 1 2; do\\n  echo $n\\ndone'", false]]);
  });

  it('types only after the shell of a new terminal prompts, and shows the terminal once', async () => {
    const window = vscode.window as { -readonly [name in keyof typeof vscode.window]: unknown };
    const { createTerminal, onDidChangeTerminalShellIntegration } = vscode.window;
    const changes = new vscode.EventEmitter<{ terminal: unknown; shellIntegration: { cwd?: vscode.Uri } }>();
    const seen: string[] = [];
    const terminal = { show: () => seen.push('shown'), sendText: (text: string) => seen.push(text) };
    const setIntegration = (shellIntegration: { cwd?: vscode.Uri }) => {
      seen.push('changed');
      changes.fire({ terminal, shellIntegration });
    };
    window.createTerminal = () => terminal;
    window.onDidChangeTerminalShellIntegration = changes.event;
    try {
      const put = tools.handle({ type: 'put-into-terminal', text: 'npm test', language: 'bash' });
      await new Promise((resolve) => setImmediate(resolve));
      setIntegration({});
      setIntegration({ cwd: vscode.Uri.file(folder) });
      await put;
    } finally {
      Object.assign(window, { createTerminal, onDidChangeTerminalShellIntegration });
      changes.dispose();
    }
    assert.deepEqual(seen, ['shown', 'changed', 'changed', 'npm test']);
  });
});
