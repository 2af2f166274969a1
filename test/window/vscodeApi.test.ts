import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import * as vscode from 'vscode';
import { closeEditors } from '../support/closeEditors.ts';
import { selectAndWait } from '../support/editorSelection.ts';
import { createFolderInWorkspace, waitForEvent } from '../support/extensionServices.ts';

/** Runs in VS Code and with the stand-in for the module `vscode`, which the tests in test/host use. */
describe('the vscode module', () => {
  let folder: string;
  const at = (name: string) => vscode.Uri.joinPath(vscode.Uri.file(folder), name);
  const settings = () => vscode.workspace.getConfiguration('modelGateway');
  const groups = () => vscode.window.tabGroups;

  beforeEach(() => {
    folder = createFolderInWorkspace('api-');
  });

  afterEach(async () => {
    await closeEditors();
    await rm(folder, { recursive: true });
  });

  async function write(name: string, text: string): Promise<vscode.Uri> {
    await vscode.workspace.fs.writeFile(at(name), Buffer.from(text));
    return at(name);
  }

  function readErrorCode(failing: PromiseLike<unknown>): Promise<string> {
    return Promise.resolve(failing).then(
      () => 'no error',
      (error) => (error instanceof vscode.FileSystemError ? error.code : String(error)),
    );
  }

  describe('has events that', () => {
    it('call listeners in order with their object, also after one of them has thrown', () => {
      const emitter = new vscode.EventEmitter<number>();
      const seen: unknown[] = [];
      const disposables: vscode.Disposable[] = [];
      emitter.event(
        function (this: unknown, value) {
          seen.push(this, value);
        },
        'object',
        disposables,
      );
      emitter.event((value) => seen.push(value + 1));
      emitter.fire(1);
      disposables[0]?.dispose();
      emitter.fire(5);
      assert.deepEqual(seen, ['object', 1, 2, 6]);
    });

    it('report a cancellation once, also to a listener that is added later', async () => {
      const source = new vscode.CancellationTokenSource();
      let count = 0;
      source.token.onCancellationRequested(() => {
        count += 1;
      });
      source.cancel();
      source.cancel();
      assert.equal(count, 1);
      assert.ok(source.token.isCancellationRequested);
      await new Promise((resolve) => source.token.onCancellationRequested(resolve));
    });
  });

  describe('has', () => {
    it('ranges whose ends are in order, and which can contain and intersect others', () => {
      const range = new vscode.Range(3, 1, 1, 2);
      assert.deepEqual([range.start.line, range.end.line, range.isSingleLine], [1, 3, false]);
      assert.ok(range.contains(new vscode.Position(3, 1)));
      assert.ok(!range.contains(new vscode.Range(0, 0, 2, 0)));
      assert.ok(range.intersection(new vscode.Range(2, 0, 9, 0))?.isEqual(new vscode.Range(2, 0, 3, 1)));
      assert.equal(range.intersection(new vscode.Range(7, 0, 9, 0)), undefined);
      const selection = new vscode.Selection(3, 1, 1, 2);
      assert.ok(selection.isReversed);
      assert.equal(selection.active.line, 1);
      assert.throws(() => new vscode.Position(-1, 0));
    });

    it('addresses that can be parsed, joined and printed', () => {
      const uri = vscode.Uri.parse('https://example.com/a%20b?x=1#part');
      assert.deepEqual([uri.path, uri.query, uri.fragment], ['/a b', 'x=1', 'part']);
      assert.equal(vscode.Uri.joinPath(uri, '..', 'c').path, '/c');
      assert.equal(vscode.Uri.file('/a b/c').toString(), 'file:///a%20b/c');
      assert.equal(uri.with({ path: '' }).toString(), 'https://example.com/?x%3D1#part');
      assert.equal(vscode.Uri.parse(uri.toString()).query, uri.query);
    });

    it('translated texts whose placeholders are filled', () => {
      assert.equal(vscode.l10n.t('{0} of {1}, {2}', 1, 'two'), '1 of two, {2}');
      assert.equal(vscode.l10n.t('{count} models', { count: 3 }), '3 models');
      assert.equal(vscode.l10n.t({ message: '{0}!', args: ['Go'], comment: '' }), 'Go!');
    });
  });

  it('refuses a command that is not registered, and one that is registered twice', async () => {
    const registered = vscode.commands.registerCommand('modelGateway.test.once', (value) => [value]);
    assert.deepEqual(await vscode.commands.executeCommand('modelGateway.test.once', 7), [7]);
    assert.throws(
      () => vscode.commands.registerCommand('modelGateway.test.once', () => {}),
      /already exists/,
    );
    registered.dispose();
    await assert.rejects(async () => vscode.commands.executeCommand('modelGateway.test.once'), /not found/);
  });

  it('stores settings by target, reports the change, and returns copies', async () => {
    const changes: boolean[][] = [];
    const subscription = vscode.workspace.onDidChangeConfiguration(({ affectsConfiguration: affects }) =>
      changes.push(
        ['modelGateway.models', 'modelGateway', 'modelGateway.model'].map((name) => affects(name)),
      ),
    );
    const value = [{ model: 'a', note: { x: 1 } }];
    await settings().update('models', value, vscode.ConfigurationTarget.Global);
    await waitForEvent(vscode.workspace.onDidChangeConfiguration, () => changes.some(([isOurs]) => isOurs));
    subscription.dispose();
    assert.deepEqual(changes.at(-1), [true, true, false]);
    assert.deepEqual(settings().get('models'), value);
    assert.notEqual(settings().get('models'), value);
    const { globalValue, workspaceValue, defaultValue } = settings().inspect('models') ?? {};
    assert.deepEqual([globalValue, workspaceValue], [value, undefined]);
    await settings().update('models', undefined, vscode.ConfigurationTarget.Global);
    assert.deepEqual(settings().get('models'), defaultValue);
    assert.equal(settings().get('unknown', 'fallback'), 'fallback');
    await assert.rejects(
      async () => settings().update('unknown', 1, vscode.ConfigurationTarget.Global),
      /not a registered configuration/,
    );
  });

  it('reads and writes files, and reports the codes of their errors', async () => {
    const file = await write('below/a.txt', 'one');
    const { fs } = vscode.workspace;
    assert.equal((await fs.stat(file)).size, 3);
    assert.deepEqual(await fs.readDirectory(at('below')), [['a.txt', vscode.FileType.File]]);
    assert.equal(await readErrorCode(fs.readFile(at('gone'))), 'FileNotFound');
    assert.equal(await readErrorCode(fs.stat(at('gone'))), 'FileNotFound');
    assert.equal(await readErrorCode(fs.rename(file, await write('b.txt', ''))), 'FileExists');
    await fs.rename(file, at('c.txt'));
    assert.equal(await readErrorCode(fs.stat(file)), 'FileNotFound');
    await fs.delete(at('c.txt'));
    assert.equal(await readErrorCode(fs.delete(at('c.txt'))), 'FileNotFound');
    assert.equal(await readErrorCode(fs.readFile(vscode.Uri.parse('no-such-scheme:/a'))), 'Unavailable');
  });

  it('finds files by pattern', async () => {
    await write('src/a.ts', '');
    await write('src/b.md', '');
    const pattern = new vscode.RelativePattern(vscode.Uri.file(folder), '**/*.ts');
    const found = await vscode.workspace.findFiles(pattern);
    assert.deepEqual(
      found.map(({ path }) => path),
      [at('src/a.ts').path],
    );
    await write('src/c.ts', '');
    assert.equal((await vscode.workspace.findFiles(pattern, null, 1)).length, 1);
    assert.equal((await vscode.workspace.findFiles(pattern, '**/c.ts')).length, 1);
  });

  describe('opens documents that', () => {
    it('return their lines, offsets and words', async () => {
      const document = await vscode.workspace.openTextDocument(await write('a.ts', 'one\r\n  two three\n'));
      assert.deepEqual([document.lineCount, document.languageId, document.isDirty], [3, 'typescript', false]);
      const line = document.lineAt(1);
      assert.deepEqual([line.text, line.firstNonWhitespaceCharacterIndex], ['  two three', 2]);
      const word = document.getWordRangeAtPosition(new vscode.Position(1, 4));
      assert.equal(word && document.getText(word), 'two');
      assert.equal(document.offsetAt(new vscode.Position(0, 99)), 3);
      assert.throws(() => document.lineAt(3));
      assert.equal(await vscode.workspace.openTextDocument(document.uri), document);
    });

    it('can be edited, undone and saved', async () => {
      const editor = await vscode.window.showTextDocument(await write('a.txt', 'one\n'));
      const { document } = editor;
      const { version } = document;
      const edited = await editor.edit((edit) => {
        edit.replace(new vscode.Range(0, 0, 0, 3), 'ONE');
        edit.insert(new vscode.Position(1, 0), 'two');
      });
      assert.ok(edited && document.isDirty && document.version > version);
      assert.equal(document.getText(), 'ONE\ntwo');
      await vscode.commands.executeCommand('undo');
      assert.equal(document.getText(), 'one\n');
      const edit = new vscode.WorkspaceEdit();
      edit.insert(document.uri, new vscode.Position(0, 0), 'zero ');
      assert.ok(await vscode.workspace.applyEdit(edit));
      assert.ok(await document.save());
      assert.ok(!document.isDirty);
      assert.equal(String(await vscode.workspace.fs.readFile(document.uri)), 'zero one\n');
    });

    it('have the given text and language without a file', async () => {
      const document = await vscode.workspace.openTextDocument({ content: '{}', language: 'json' });
      assert.deepEqual([document.isUntitled, document.uri.scheme], [true, 'untitled']);
      assert.deepEqual([document.getText(), document.languageId], ['{}', 'json']);
    });

    it('follow the provider of their scheme', async () => {
      let text = 'first';
      const changed = new vscode.EventEmitter<vscode.Uri>();
      const provided = { onDidChange: changed.event, provideTextDocumentContent: () => text };
      const registered = vscode.workspace.registerTextDocumentContentProvider('api-test', provided);
      const uri = vscode.Uri.parse('api-test:/a.txt');
      const document = await vscode.workspace.openTextDocument(uri);
      assert.equal(document.getText(), 'first');
      text = 'second';
      changed.fire(uri);
      await waitForEvent(vscode.workspace.onDidChangeTextDocument, () => document.getText() === 'second');
      registered.dispose();
    });
  });

  describe('opens tabs that', () => {
    it('can be previews, and can be kept, selected and closed', async () => {
      const [a, b] = [await write('a.txt', 'one\ntwo'), await write('b.txt', '')];
      await vscode.window.showTextDocument(a);
      const first = groups().activeTabGroup.activeTab;
      assert.ok(first?.isPreview && first.input instanceof vscode.TabInputText);
      await vscode.window.showTextDocument(b);
      const editor = await vscode.window.showTextDocument(b, { preview: false });
      const labels = () => groups().activeTabGroup.tabs.map(({ label }) => label);
      await waitForEvent(groups().onDidChangeTabs, () => labels().at(-1) === 'b.txt');
      assert.deepEqual(labels(), ['b.txt']);
      assert.equal(vscode.window.activeTextEditor, editor);
      const again = await vscode.window.showTextDocument(a, {
        preview: false,
        selection: new vscode.Range(1, 0, 1, 3),
      });
      await waitForEvent(groups().onDidChangeTabs, () => labels().join() === 'b.txt,a.txt');
      assert.equal(again.document.getText(again.selection), 'two');
      await selectAndWait(again, new vscode.Selection(0, 0, 0, 3));
      assert.equal(again.document.getText(again.selection), 'one');
      const tab = groups().activeTabGroup.activeTab ?? assert.fail();
      assert.ok(await groups().close(tab));
      assert.deepEqual(labels(), ['b.txt']);
    });

    it('show pages, whose state follows their tab', async () => {
      const panel = vscode.window.createWebviewPanel('api.test', 'A page', vscode.ViewColumn.One);
      const states: boolean[] = [];
      panel.onDidChangeViewState(({ webviewPanel }) => states.push(webviewPanel.visible));
      let isDisposed = false;
      panel.onDidDispose(() => {
        isDisposed = true;
      });
      assert.deepEqual([panel.title, panel.visible], ['A page', true]);
      await vscode.window.showTextDocument(await write('a.txt', ''), { preview: false });
      await waitForEvent(panel.onDidChangeViewState, () => !panel.visible);
      panel.reveal();
      await waitForEvent(panel.onDidChangeViewState, () => panel.visible);
      assert.deepEqual(states, [false, true]);
      panel.dispose();
      assert.ok(isDisposed);
      assert.throws(() => panel.title, /disposed/);
    });
  });
});
