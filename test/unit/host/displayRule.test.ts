import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from '../../../scripts/root.mjs';

const home = fileURLToPath(root);
const biome = join(home, 'node_modules/@biomejs/biome/bin/biome');

describe('the lint rules', () => {
  let copy: string;

  before(() => {
    copy = mkdtempSync(join(tmpdir(), 'lint-'));
    for (const file of [
      'biome.json',
      '.gitignore',
      'scripts/display.grit',
      'scripts/editors.grit',
      'scripts/spreads.grit',
    ]) {
      cpSync(join(home, file), join(copy, file));
    }
  });

  after(() => rmSync(copy, { recursive: true }));

  /** The lines of a file at this path that the project's lint refuses with these words. */
  function refused(path: string, code: readonly string[], words = 'text from outside'): readonly number[] {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    writeFileSync(join(copy, path), code.join('\n'));
    const { stdout } = spawnSync(process.execPath, [biome, 'lint', '--reporter=github', path], {
      cwd: copy,
      encoding: 'utf8',
    });
    const lines = stdout.split('\n').filter((line) => line.includes(words));
    return [...new Set(lines.map((line) => Number(/\bline=(\d+)/.exec(line)?.[1])))].sort((a, b) => a - b);
  }

  it('report code that shows text without src/host/kit/display', () => {
    const code = [
      "void vscode.window.showErrorMessage('x');",
      'const { showInformationMessage } = vscode.window;',
      'const show = vscode.window.showWarningMessage;',
      "vscode.window.setStatusBarMessage('x');",
      'void vscode.window.withProgress({ location: 15 }, work);',
      'void vscode.window.showQuickPick([]);',
      "void vscode.window['showInputBox']();",
      "item.tooltip = new vscode.MarkdownString('x');",
      "export const row = new vscode.TreeItem('x');",
      "panel.title = 'x';",
    ];
    assert.deepEqual(
      refused('src/host/tasks/x.ts', code),
      code.map((_, index) => index + 1),
    );
    assert.deepEqual(refused('src/host/kit/display/x.ts', code), []);
  });

  it('report editors opened without src/host/kit/display, which could take the focus of a text box', () => {
    const code = [
      'await vscode.window.showTextDocument(document);',
      "await vscode.commands.executeCommand('vscode.open', uri);",
      "await vscode.commands.executeCommand('vscode.diff', left, right);",
    ];
    const words = 'must not receive the keys';
    assert.deepEqual(refused('src/host/tasks/x.ts', code, words), [1, 2, 3]);
    assert.deepEqual(refused('src/host/kit/display/x.ts', code, words), []);
  });
});
