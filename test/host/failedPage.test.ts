import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Services } from '../../src/host/app/services.ts';
import { loadPart } from '../../src/host/kit/loadPart.ts';
import { Panels, showFailedPage } from '../../src/host/kit/pages/panels.ts';
import { StorageError } from '../../src/storage/sqlite/storageError.ts';
import { getServices } from '../support/extensionServices.ts';
import { TestPanel } from '../support/testPanel.ts';

describe('a tab of an earlier session', () => {
  let services: Services;
  const opened: string[] = [];

  before(async () => {
    services = await getServices();
  });

  it('F91 shows a plain message if its file is locked', async () => {
    const page = new TestPanel();
    showFailedPage({
      panel: page.asPanel,
      dist: vscode.Uri.file('/dist'),
      retry: () => undefined,
      error: new StorageError('busy', 'SQLITE_BUSY: database is locked'),
    });
    assert.match(page.webview.html, /The file is locked by another program/);
    assert.doesNotMatch(page.webview.html, /SQLITE/);
  });

  it('F93 shows its title and the error if its content cannot be read, and retries on click', async () => {
    const errors = [new StorageError('other', 'Written by a newer version <b>.'), undefined];
    const panels = new Panels<{ panel: vscode.WebviewPanel }, string>(
      { extension: vscode.Uri.file('/extension'), log: services.log },
      {
        name: 'chat',
        load: async () => ({
          title: (text) => text,
          reuse: () => undefined,
          restore: async (remembered) => {
            const error = errors.shift();
            if (error) throw error;
            return String(remembered);
          },
          create: ({ panel }, text) => {
            opened.push(text);
            return { panel };
          },
        }),
      },
    );
    const page = new TestPanel();
    const panel = Object.assign(page.asPanel, { title: 'Why is <i>?' });
    await panels.deserializeWebviewPanel(panel, 'the chat');
    const { html } = page.webview;
    assert.match(html, /Why is &#60;i&#62;\? could not be opened/);
    assert.match(html, /newer version &#60;b&#62;/);
    assert.match(html, /Try Again/);
    assert.deepEqual(opened, []);
    const changed = new Promise<void>((resolve) => panels.onDidChange(() => resolve()));
    page.receive({ type: 'retry' }, 'any');
    page.receive({ type: 'retry' }, 'any');
    await changed;
    assert.deepEqual(opened, ['the chat']);
    assert.equal(panels.all.length, 1);
  });

  it('loads its code again after a failure to load it', async () => {
    const failures = [new Error('no memory')];
    const panels = new Panels<{ panel: vscode.WebviewPanel }, string>(
      { extension: vscode.Uri.file('/extension'), log: services.log },
      {
        name: 'chat',
        load: async () => {
          const failure = failures.pop();
          if (failure) throw failure;
          return {
            title: (text) => text,
            reuse: () => undefined,
            restore: async () => undefined,
            create: ({ panel }) => ({ panel }),
          };
        },
      },
    );
    await assert.rejects(panels.reopen('the chat'), /no memory/);
    assert.equal(await panels.reopen('the chat'), undefined);
  });
});

describe('a part that is loaded on demand', () => {
  it('reports a remedy when it cannot be loaded', async () => {
    const failing = loadPart(() => Promise.reject(new Error('no memory')));
    await assert.rejects(failing, /could not be loaded: no memory\. Run “Developer: Reload Window”/);
    assert.equal(await loadPart(async () => 'part'), 'part');
  });
});
