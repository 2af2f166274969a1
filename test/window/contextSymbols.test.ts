import assert from 'node:assert/strict';
import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Services } from '../../src/host/app/services.ts';
import { ContextCompletion } from '../../src/host/chat/completion/contextCompletion.ts';
import { createContextViews } from '../../src/host/chat/context/contextView.ts';
import { createFolderInWorkspace, getServices, unloadClosedChats } from '../support/extensionServices.ts';

const source = `/** Waits longer each time. */
export class PatientClient {
  fetchPatiently(address: string): string {
    return address;
  }
}

export function unrelated(): void {}
`;

/** The class with its method, as a language extension reports it. */
function createClientSymbol(): vscode.DocumentSymbol {
  const symbol = (name: string, kind: vscode.SymbolKind, first: number, last: number) => {
    const range = new vscode.Range(first, 0, last, 3);
    return new vscode.DocumentSymbol(name, '', kind, range, range);
  };
  const all = symbol('PatientClient', vscode.SymbolKind.Class, 1, 5);
  all.children.push(symbol('fetchPatiently(address)', vscode.SymbolKind.Method, 2, 4));
  return all;
}

describe('# in the message box', () => {
  let services: Services;
  let folder: string;

  const completion = new ContextCompletion(() => undefined);
  const { signal } = new AbortController();
  const file = (name: string) => vscode.Uri.file(join(folder, name));

  before(async () => {
    services = await getServices();
    folder = createFolderInWorkspace('symbols-');
    writeFileSync(join(folder, 'patient.ts'), source);
  });

  after(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    unloadClosedChats(services);
    rmSync(folder, { recursive: true });
  });

  function findSymbols(typed: string): vscode.SymbolInformation[] {
    const lines = source.split('\n');
    return ['PatientClient', 'fetchPatiently', 'unrelated']
      .filter((name) => name.includes(typed))
      .map((name) => {
        const line = lines.findIndex((each) => each.includes(name));
        const place = new vscode.Location(
          file('patient.ts'),
          new vscode.Position(line, lines[line]?.indexOf(name) ?? 0),
        );
        return new vscode.SymbolInformation(name, vscode.SymbolKind.Function, '', place);
      });
  }

  it('offers the symbols of language extensions, each with its exact lines', async () => {
    const { session } = await services.chats.open({});
    const providers = [
      vscode.languages.registerWorkspaceSymbolProvider({
        provideWorkspaceSymbols: (typed) => findSymbols(typed),
      }),
      vscode.languages.registerDocumentSymbolProvider('typescript', {
        provideDocumentSymbols: () => [createClientSymbol()],
      }),
    ];
    for (const [typed, place] of [
      ['PatientClient', '#L2-6 (PatientClient)'],
      ['fetchPatiently', '#L3-5 (fetchPatiently)'],
      // For this symbol only the position of its name is reported.
      ['unrelated', '#L8 (unrelated)'],
    ]) {
      const found = (await completion.complete(`sym:${typed}`, session, signal)).find(
        ({ label }) => label === typed,
      );
      assert.match(found?.description ?? '', /patient\.ts/);
      await completion.accept(found?.id ?? '', session);
      const name = createContextViews(session.unsent.context.entries).at(-1)?.name ?? '';
      assert.ok(name.endsWith(`patient.ts${place}`), `${name} ends with ${place}`);
    }
    vscode.Disposable.from(...providers).dispose();
  });

  const end = source.split('\n').length - 1;
  for (const [where, line, character] of [
    ['in the empty line below it', end, 0],
    ['after the empty line below it', end, 7],
    ['far below it', 100_000, 0],
  ] as const) {
    it(`adds a symbol at the end of a file, whose range ends ${where}`, async () => {
      const { session } = await services.chats.open({});
      const range = new vscode.Range(end - 1, 0, line, character);
      const last = new vscode.DocumentSymbol('unrelated', '', vscode.SymbolKind.Function, range, range);
      const providers = [
        vscode.languages.registerWorkspaceSymbolProvider({
          provideWorkspaceSymbols: (typed) => findSymbols(typed),
        }),
        vscode.languages.registerDocumentSymbolProvider('typescript', {
          provideDocumentSymbols: () => [last],
        }),
      ];
      const [found] = await completion.complete('sym:unrelated', session, signal);
      await completion.accept(found?.id ?? '', session);
      const name = createContextViews(session.unsent.context.entries).at(-1)?.name ?? '';
      assert.ok(name.endsWith('patient.ts#L8 (unrelated)'), name);
      vscode.Disposable.from(...providers).dispose();
    });
  }

  it('reports that there is no such symbol, and offers the files', async () => {
    const { session } = await services.chats.open({});
    const [none, files] = await completion.complete('sym:patient', session, signal);
    assert.equal(none?.label, 'There is no such symbol, or no extension for its language.');
    assert.deepEqual([files?.label, files?.continuesAs], ['File…', '#patient']);
    const [advice] = await completion.complete('sym:', session, signal);
    assert.equal(advice?.label, 'Type part of the name');
  });

  it('offers the headings that VS Code finds in Markdown, each with its section', async () => {
    const { session } = await services.chats.open({});
    writeFileSync(
      join(folder, 'notes.md'),
      '# Notes\n\n## Retrying politely\n\nWait.\n\n## Other\n\nMore.\n',
    );
    await vscode.window.showTextDocument(file('notes.md'), { viewColumn: vscode.ViewColumn.Beside });
    const found = async () =>
      (await completion.complete('sym:Retrying politely', session, signal)).filter(
        ({ icon }) => icon === 'symbol-method',
      );
    // Its language server starts with the first file.
    let [first] = await found();
    while (!first) [first] = await found();
    await completion.accept(first.id, session);
    const name = createContextViews(session.unsent.context.entries).at(-1)?.name ?? '';
    assert.match(name, /notes\.md#L3-[56] \(.*Retrying politely\)$/);
  });

  it('offers recently changed files if no file is open and no text is typed', async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    const { session } = await services.chats.open({});
    for (let nth = 0; nth < 20; nth += 1) {
      const file = join(folder, `file${nth}.txt`);
      writeFileSync(file, 'text\n');
      utimesSync(file, 1, 1);
    }
    writeFileSync(join(folder, 'newest.txt'), 'text\n');
    const items = await completion.complete('', session, signal);
    const files = items.filter(({ icon }) => icon === 'file').map(({ label }) => label);
    assert.equal(files.length, 15, files.join('\n'));
    assert.ok(files.includes('newest.txt'), files.join('\n'));
  });
});
