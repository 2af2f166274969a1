import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import * as z from 'zod';
import type { Log } from '../../src/host/kit/display/log.ts';
import { Page } from '../../src/host/kit/pages/page.ts';
import { TestPanel } from '../support/testPanel.ts';

const fromPage = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('ready') }),
  z.strictObject({ type: z.literal('say'), text: z.string() }),
]);

type ToPage = { readonly seq: number } & (
  | { readonly type: 'state'; readonly state: number }
  | { readonly type: 'news'; readonly text: string }
  | { readonly type: 'perform'; readonly action: string }
);

describe('a page', () => {
  let panel: TestPanel<ToPage>;
  let page: Page<z.infer<typeof fromPage>, ToPage>;
  let state: number;
  let texts: string[];
  let logged: string[];

  beforeEach(() => {
    panel = new TestPanel();
    state = 1;
    texts = [];
    logged = [];
    const log = { warn: (_tag: string, line: string) => logged.push(line) };
    page = new Page(
      {
        panel: panel.asPanel,
        element: 'mg-test',
        dist: vscode.Uri.file('/dist'),
        log: log as unknown as Log,
      },
      {
        messages: fromPage,
        state: () => ({ type: 'state', state }),
        handle: ({ text }) => texts.push(text),
      },
    );
  });

  it('receives the whole state when it reports that it is ready, not before', () => {
    page.post({ type: 'news', text: 'too early' });
    page.postState();
    panel.receive({ type: 'ready' });
    page.post({ type: 'news', text: 'in time' });
    assert.deepEqual(panel.posted, [
      { type: 'state', state: 1, seq: 1 },
      { type: 'news', text: 'in time', seq: 2 },
    ]);
  });

  it('receives the last action of each kind once it is ready', async () => {
    page.postOnceReady({ type: 'perform', action: 'first' });
    page.postOnceReady({ type: 'perform', action: 'second' });
    panel.receive({ type: 'ready' });
    assert.deepEqual(await panel.waitForPosts(2), [
      { type: 'state', state: 1, seq: 1 },
      { type: 'perform', action: 'second', seq: 2 },
    ]);
  });

  it('receives a burst of changes as one message with the latest state', async () => {
    panel.receive({ type: 'ready' });
    await panel.waitForPosts(1);
    for (state = 2; state < 100; state += 1) page.postStateSoon();
    page.postSoon('news', () => ({ type: 'news', text: `of ${state}` }));
    assert.deepEqual((await panel.waitForPosts(3)).slice(1), [
      { type: 'state', state: 100, seq: 2 },
      { type: 'news', text: 'of 100', seq: 3 },
    ]);
  });

  it('does not receive updates while it is hidden, and receives the whole state when it is shown again', async () => {
    panel.receive({ type: 'ready' });
    await panel.waitForPosts(1);
    panel.show(false);
    page.post({ type: 'news', text: 'unseen' });
    page.postState();
    panel.show(true);
    panel.receive({ type: 'ready' });
    assert.deepEqual(
      (await panel.waitForPosts(2)).map(({ type }) => type),
      ['state', 'state'],
    );
  });

  it('T13 drops and logs messages of another page and messages that no page may send', () => {
    panel.receive({ type: 'say', text: 'of another' }, 'channel-of-another');
    panel.receive({ type: 'run', text: 'of no page' });
    panel.receive({ type: 'say', text: 'own' });
    assert.deepEqual(texts, ['own']);
    assert.deepEqual(logged, Array(2).fill('dropped a message that mg-test may not send'));
  });

  it('can show files of allowed folders, and reloads only for a new folder', () => {
    const videos = vscode.Uri.file('/videos');
    const folders = () => panel.webview.options.localResourceRoots?.map(({ path }) => path);
    assert.deepEqual(folders(), ['/dist']);
    page.allow([videos]);
    assert.deepEqual(folders(), ['/dist', '/videos']);
    const { options } = panel.webview;
    page.allow([videos]);
    assert.equal(panel.webview.options, options);
  });

  it('disposes its resources when its tab is closed, and does not receive further messages', async () => {
    let owned = 1;
    page.addDisposables({ dispose: () => (owned -= 1) });
    panel.receive({ type: 'ready' });
    await panel.waitForPosts(1);
    page.postStateSoon();
    panel.dispose();
    page.post({ type: 'news', text: 'too late' });
    assert.deepEqual([owned, panel.posted.length], [0, 1]);
  });
});
