import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { Services } from '../../src/host/app/services.ts';
import { CodeApplier } from '../../src/host/chat/apply/codeApplier.ts';
import { insertCode } from '../../src/host/chat/replies/replyActions.ts';
import { closeEditors } from '../support/closeEditors.ts';
import { answerDialogs, answerDialogsInTurn } from '../support/dialogs.ts';
import { selectAndWait } from '../support/editorSelection.ts';
import { createFolderInWorkspace, getServices } from '../support/extensionServices.ts';

const original = 'one\ntwo\nthree\nfour\n';

describe('code of a reply, applied to a file', () => {
  const outside = mkdtempSync(join(tmpdir(), 'outside-'));
  let services: Services;
  let folder: string;
  let editor: vscode.TextEditor | undefined;
  let applier: CodeApplier;

  before(async () => {
    services = await getServices();
    writeFileSync(join(outside, 'secret.ts'), 'secret\n');
    applier = new CodeApplier(services.proposals, () => editor);
  });

  // A folder for each test: VS Code may still cache the previous test's content of a file with the same name.
  beforeEach(() => {
    editor = undefined;
    folder = createFolderInWorkspace('apply-');
    mkdirSync(join(folder, '.vscode'));
    symlinkSync(outside, join(folder, 'away'));
    symlinkSync(join(folder, '.vscode'), join(folder, 'innocent'));
    write(original);
  });

  afterEach(async () => {
    await closeEditors();
    rmSync(folder, { recursive: true });
  });

  after(() => rmSync(outside, { recursive: true }));

  /** Writes the file, before VS Code has read it. */
  function write(text: string): void {
    writeFileSync(join(folder, 'a.ts'), text);
  }

  /** Types at the beginning of the file without saving it. */
  async function typeAtStart(text: string): Promise<void> {
    const edit = new vscode.WorkspaceEdit();
    edit.insert(file('a.ts'), new vscode.Position(0, 0), text);
    await vscode.workspace.applyEdit(edit);
  }

  const pathInFolder = (path: string) => `${basename(folder)}/${path}`;
  const file = (path: string) => vscode.Uri.file(join(folder, path));
  const code = (lines = '', text = original) => ({
    name: pathInFolder('a.ts') + lines,
    language: 'ts',
    text,
  });
  const propose = (info: string, text: string, files = [code()]) => applier.propose({ info, text, files });
  const tab = () => vscode.window.tabGroups.activeTabGroup.activeTab;
  // VS Code opens a tab for a changed file that is not open, so there may be other tabs.
  const listComparisons = () =>
    vscode.window.tabGroups.activeTabGroup.tabs
      .filter(({ input }) => input instanceof vscode.TabInputTextDiff)
      .map(({ label }) => label);
  const readText = async (path: string) => (await vscode.workspace.openTextDocument(file(path))).getText();
  const accept = () => vscode.commands.executeCommand('modelGateway.apply.accept');

  it('is compared first, then changes the open file in one undo step, without saving', async () => {
    await propose('ts', 'one\nTWO\nthree\nfour\n');
    assert.equal(tab()?.label, `${pathInFolder('a.ts')} (proposed)`);
    assert.ok(tab()?.input instanceof vscode.TabInputTextDiff);
    assert.equal(await readText('a.ts'), original);
    await accept();
    assert.equal(await readText('a.ts'), 'one\nTWO\nthree\nfour\n');
    assert.equal(readFileSync(join(folder, 'a.ts'), 'utf8'), original);
    assert.equal(vscode.window.activeTextEditor?.document.uri.fsPath, file('a.ts').fsPath);
    await vscode.commands.executeCommand('undo');
    assert.equal(await readText('a.ts'), original);
  });

  it('is dropped with Discard', async () => {
    await propose('ts', 'one\nTWO\nthree\nfour\n');
    await vscode.commands.executeCommand('modelGateway.apply.discard');
    assert.deepEqual(listComparisons(), []);
    assert.equal(await readText('a.ts'), original);
  });

  describe('is closed with the buttons of its own editor while another proposal is active', () => {
    const label = (path: string) => `${pathInFolder(path)} (proposed)`;
    const press = (button: string, { input }: vscode.Tab) =>
      vscode.commands.executeCommand(
        `modelGateway.apply.${button}`,
        (input as vscode.TabInputTextDiff).modified,
      );
    let inactive: vscode.Tab;

    beforeEach(async () => {
      await propose('ts', 'one\nTWO\nthree\nfour\n');
      inactive = tab() as vscode.Tab;
      await propose(`ts ${pathInFolder('new.ts')}`, 'new\n', []);
    });

    it('and applied', async () => {
      await press('accept', inactive);
      assert.deepEqual(listComparisons(), [label('new.ts')]);
      assert.equal(await readText('a.ts'), 'one\nTWO\nthree\nfour\n');
      assert.ok(!existsSync(join(folder, 'new.ts')));
    });

    it('and dropped', async () => {
      await press('discard', inactive);
      assert.deepEqual([listComparisons(), await readText('a.ts')], [[label('new.ts')], original]);
    });

    it('and compared again', async () => {
      await typeAtStart('zero\n');
      await answerDialogs('Compare Again', () => press('accept', inactive));
      assert.deepEqual(listComparisons(), [label('new.ts'), label('a.ts')]);
    });
  });

  it('replaces the lines that were sent, even if they have moved', async () => {
    write(`zero\n${original}`);
    await propose('ts', 'TWO', [code('#L2-3', 'two\nthree\n')]);
    await accept();
    assert.equal(await readText('a.ts'), 'zero\none\nTWO\nfour\n');
  });

  it('replaces the text that the user chooses if it is a part, and does not change the file without a choice', async () => {
    const seen = await answerDialogs(undefined, () => propose('ts', 'TWO\n'));
    assert.deepEqual([seen, listComparisons()], [[], []]);
    editor = await vscode.window.showTextDocument(file('a.ts'));
    await selectAndWait(editor, new vscode.Selection(1, 0, 2, 0));
    await answerDialogsInTurn(['Replace the Selection, in Line 2'], () => propose('ts', 'TWO'));
    await accept();
    assert.equal(await readText('a.ts'), 'one\nTWO\nthree\nfour\n');
  });

  it('is refused if the file changed after the comparison, and can be compared again', async () => {
    await propose('ts', 'one\nTWO\nthree\nfour\n');
    const document = await vscode.workspace.openTextDocument(file('a.ts'));
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(4, 0), 'five\n');
    await vscode.workspace.applyEdit(edit);
    const seen = await answerDialogs('Compare Again', accept);
    assert.match(seen[0]?.message ?? '', /“.*a\.ts” changed after it was compared\. Nothing was applied\./);
    assert.equal(await readText('a.ts'), `${original}five\n`);
    assert.ok(tab()?.input instanceof vscode.TabInputTextDiff);
    await accept();
    assert.equal(await readText('a.ts'), 'one\nTWO\nthree\nfour\n');
  });

  it('is refused if another program changed the file, even before VS Code notices', async () => {
    await propose('ts', 'one\nTWO\nthree\nfour\n');
    writeFileSync(join(folder, 'a.ts'), `${original}theirs\n`);
    const seen = await answerDialogs(undefined, accept);
    assert.match(seen[0]?.message ?? '', /“.*a\.ts” changed after it was compared\. Nothing was applied\./);
    assert.equal(readFileSync(join(folder, 'a.ts'), 'utf8'), `${original}theirs\n`);
  });

  it('is refused if the file was deleted after the comparison, with an offer to create it again', async () => {
    await propose('ts', 'one\nTWO\nthree\nfour\n');
    rmSync(join(folder, 'a.ts'));
    const seen = await answerDialogs('Compare Again', accept);
    assert.deepEqual(
      seen.map(({ message }) => message),
      [`“${pathInFolder('a.ts')}” was deleted after it was compared. Nothing was applied.`],
    );
    assert.ok(!existsSync(join(folder, 'a.ts')));
    assert.ok(tab()?.input instanceof vscode.TabInputTextDiff);
    await accept();
    assert.equal(await readText('a.ts'), 'one\nTWO\nthree\nfour\n');
  });

  it('is compared with unsaved text, and does not change the disk', async () => {
    await typeAtStart('zero\n');
    await propose('ts', 'zero\none\nTWO\nthree\nfour\n');
    await accept();
    assert.equal(await readText('a.ts'), 'zero\none\nTWO\nthree\nfour\n');
    assert.equal(readFileSync(join(folder, 'a.ts'), 'utf8'), original);
    await vscode.commands.executeCommand('undo');
    assert.equal(await readText('a.ts'), `zero\n${original}`);
  });

  it('preserves the unsaved text of a file that was deleted from the disk', async () => {
    await typeAtStart('zero\n');
    rmSync(join(folder, 'a.ts'));
    await propose(`ts ${pathInFolder('a.ts')}`, 'zero\none\nTWO\nthree\nfour\n', []);
    await accept();
    assert.equal(await readText('a.ts'), 'zero\none\nTWO\nthree\nfour\n');
    await vscode.commands.executeCommand('undo');
    assert.equal(await readText('a.ts'), `zero\n${original}`);
  });

  it('changes only the editor of a file that is not writable', async () => {
    chmodSync(join(folder, 'a.ts'), 0o444);
    await propose('ts', 'one\nTWO\nthree\nfour\n');
    await accept();
    assert.equal(await readText('a.ts'), 'one\nTWO\nthree\nfour\n');
    assert.equal(readFileSync(join(folder, 'a.ts'), 'utf8'), original);
    chmodSync(join(folder, 'a.ts'), 0o644);
  });

  describe('is refused with a message, without changes, if the settings make the file read-only', () => {
    const settings = () => vscode.workspace.getConfiguration('files');
    const set = (name: string, value: unknown) =>
      settings().update(name, value, vscode.ConfigurationTarget.Global);

    afterEach(async () => {
      for (const name of ['readonlyInclude', 'readonlyExclude', 'readonlyFromPermissions'])
        await set(name, undefined);
      chmodSync(join(folder, 'a.ts'), 0o644);
    });

    const assertRefused = async (act: () => Thenable<unknown>) => {
      const seen = await answerDialogs(undefined, act);
      assert.match(seen[0]?.message ?? '', /a\.ts” is read-only in your settings/);
      assert.equal(await readText('a.ts'), original);
    };
    const proposeChange = () => propose('ts', 'one\nTWO\nthree\nfour\n');

    it('by a pattern of paths, before and after the comparison', async () => {
      await set('readonlyInclude', { [pathInFolder('*.ts')]: true, '**/*.md': true });
      await assertRefused(proposeChange);
      assert.deepEqual(listComparisons(), []);
      await set('readonlyExclude', { '**/a.ts': true });
      await proposeChange();
      await set('readonlyExclude', undefined);
      await assertRefused(accept);
      await set('readonlyInclude', { [pathInFolder('*.ts')]: false });
      await accept();
      assert.equal(await readText('a.ts'), 'one\nTWO\nthree\nfour\n');
    });

    it('by its file permissions, if the settings apply them', async () => {
      chmodSync(join(folder, 'a.ts'), 0o444);
      await set('readonlyFromPermissions', true);
      await assertRefused(proposeChange);
    });

    it('also for code that is inserted at the cursor', async () => {
      await set('readonlyInclude', { '**/a.ts': true });
      const open = await vscode.window.showTextDocument(file('a.ts'));
      await assertRefused(() => insertCode('TWO', open));
    });
  });

  it('is applied once after several clicks', async () => {
    await propose('ts', 'one\nTWO\ntwo\nthree\nfour\n');
    const seen = await answerDialogs(undefined, () => Promise.all([accept(), accept(), accept()]));
    assert.deepEqual(seen, []);
    assert.equal(await readText('a.ts'), 'one\nTWO\ntwo\nthree\nfour\n');
  });

  it('goes into the file that it names, without the line with the name', async () => {
    writeFileSync(join(folder, 'b.ts'), 'b\n');
    await propose('ts', `// ${pathInFolder('b.ts')}\n\nb\nc\n`);
    await accept();
    assert.equal(await readText('b.ts'), 'b\nc\n');
  });

  it('creates a new file with its parent folders', async () => {
    await propose(`ts ${pathInFolder('new/c.ts')}`, 'const c = 1;');
    assert.ok(!existsSync(join(folder, 'new')));
    await accept();
    assert.equal(await readText('new/c.ts'), 'const c = 1;\n');
  });

  it('preserves the line endings of the file', async () => {
    write(original.replaceAll('\n', '\r\n'));
    await propose('ts', 'one\nTWO\nthree\nfour\n');
    await accept();
    assert.equal(await readText('a.ts'), 'one\r\nTWO\r\nthree\r\nfour\r\n');
  });

  it('applies to a file with mixed line endings, which VS Code unifies', async () => {
    write('one\rtwo\r\nthree\nfour\n');
    await propose('ts', 'one\nTWO\nthree\nfour\n');
    const seen = await answerDialogs(undefined, accept);
    assert.deepEqual([seen, await readText('a.ts')], [[], 'one\nTWO\nthree\nfour\n']);
  });

  const hostile: Readonly<Record<string, string>> = {
    'a path outside the workspace': '../outside.ts',
    'a file outside the workspace behind a link': 'away/secret.ts',
    'a new file outside the workspace behind a link': 'away/new.ts',
  };
  for (const [name, path] of Object.entries(hostile)) {
    it(`T19 is not applied to ${name}`, async () => {
      // The list of files opens, and is closed.
      let isClosed = false;
      const proposing = propose(`ts title="${pathInFolder(path)}"`, 'x\n', []).finally(() => {
        isClosed = true;
      });
      while (!isClosed) {
        await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
        await setTimeout(20);
      }
      await proposing;
      assert.deepEqual(listComparisons(), []);
    });
  }

  it('T19 is not applied to files that configure tools, even through a link with a harmless name', async () => {
    writeFileSync(join(folder, '.vscode', 'tasks.json'), '{}');
    for (const path of [
      '.vscode/tasks.json',
      '.vscode/new.json',
      'innocent/tasks.json',
      'innocent/new.json',
    ]) {
      const seen = await answerDialogs(undefined, () =>
        propose(`json ${pathInFolder(path)}`, '{"a": 1}\n', []),
      );
      assert.match(seen[0]?.message ?? '', /cannot be applied to/, path);
      assert.deepEqual(listComparisons(), []);
    }
  });
});
