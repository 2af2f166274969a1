import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';

describe('the configuration of the local gateway in an editor', function () {
  this.timeout(30_000);
  const folder = mkdtempSync(join(tmpdir(), 'gateway-editor-'));
  after(() => rmSync(folder, { recursive: true }));

  it('is validated and completed by its schema, with comments and trailing commas', async () => {
    const path = join(folder, 'model-gateway.json');
    const lines = ['{', '  // A comment.', '  "prot": 1,', '  "upstreams": [],', '}'];
    writeFileSync(path, lines.join('\n'));
    const uri = vscode.Uri.file(path);
    const diagnostics = new Promise<readonly vscode.Diagnostic[]>((resolve) => {
      const look = () => {
        const found = vscode.languages.getDiagnostics(uri);
        // The JSON extension loads the schema after its first validation.
        if (found.some(({ message }) => message.includes('prot'))) resolve(found);
      };
      const subscription = vscode.languages.onDidChangeDiagnostics(look);
      after(() => subscription.dispose());
      look();
    });
    const document = await vscode.workspace.openTextDocument(uri);
    assert.equal(document.languageId, 'jsonc');
    await vscode.window.showTextDocument(document);
    const problems = (await diagnostics).map(({ message, range }) => `${range.start.line + 1}: ${message}`);
    assert.deepEqual(problems, ['3: Property prot is not allowed.']);
    const inside = new vscode.Position(3, 2);
    const { items } = await vscode.commands.executeCommand<vscode.CompletionList>(
      'vscode.executeCompletionItemProvider',
      uri,
      inside,
    );
    const labels = items.map(({ label }) => (typeof label === 'string' ? label : label.label));
    for (const name of ['port', 'credentials']) assert.ok(labels.includes(name), labels.join(', '));
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
  });
});
