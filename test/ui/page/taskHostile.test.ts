import assert from 'node:assert/strict';
import type { TaskView } from '../../../src/protocol/taskPage.ts';
import { browserOfTests } from './support/browserOfTests.ts';
import { payloads } from './support/payloads.ts';
import { TaskTestPage, task } from './support/taskPage.ts';
import { becomes } from './support/waits.ts';

const pieces = 10;

/** A task with a text of the gateway in every place that shows one. */
function taskOf(text: string): TaskView {
  const buttons = [
    { action: 'save', label: text },
    { action: 'delete', label: text },
  ] as const;
  return task({
    tile: { appearance: 'running', status: text, model: text, prompt: text },
    notice: { title: text, detail: text, severity: 'error', buttons },
    results: [
      { index: 0, text, status: text, hasFailed: true, buttons },
      {
        index: 1,
        media: { kind: 'video', src: '/a.mp4', mimeType: text, audioCodec: text },
        status: text,
        hasFailed: false,
        buttons,
      },
    ],
    buttons,
    mainButtons: 1,
    recipe: [{ label: text, value: text }],
    timeline: [{ at: 0, label: text, appearance: 'running' }],
    taskId: text,
    requestId: text,
    record: text,
    request: JSON.stringify({ text }, null, 2),
    failedPolls: [{ at: 0, text }],
  });
}

describe('hostile tasks', () => {
  const page = new TaskTestPage();

  beforeEach(async () => {
    await page.open({
      files: [{ path: '/a.mp4', mimeType: 'video/mp4', body: Buffer.alloc(0) }],
    });
  });

  afterEach(() => page.close());

  it(`P4 T9 ${payloads.length} payloads in every text are shown as text, without requests or navigation`, async () => {
    for (let start = 0; start < payloads.length; start += payloads.length / pieces) {
      const text = payloads.slice(start, start + payloads.length / pieces).join('\n────\n');
      await page.show(taskOf(text));
      await page.page.evaluate(() => {
        for (const fold of document.querySelectorAll('details')) fold.open = true;
        document.querySelector<HTMLElement>('.menu-button')?.click();
      });
      await page.nextFrames();
      assert.equal(
        await page.page
          .getByRole('region', { name: 'Text', exact: true })
          .evaluate((each) => each.textContent),
        text,
      );
      await becomes(() => page.page.locator('.json code').first().textContent(), text);
      assert.deepEqual(await foreign(), [], text);
      assert.deepEqual(
        page.requests.filter((url) => !url.endsWith('/a.mp4')),
        [],
        text,
      );
    }
    assert.deepEqual(page.navigations, []);
    assert.deepEqual((await browserOfTests()).outsideConnections, []);
    assert.deepEqual((await browserOfTests()).server.unknownPaths, []);
    assert.deepEqual(await page.violations(), []);
    assert.deepEqual(page.errors, []);
    assert.deepEqual(await page.posted(), []);
  });

  it('T9 a result with an address of another site is not fetched', async () => {
    const media = {
      kind: 'image',
      src: 'https://collector.example/?q=canary',
      mimeType: 'image/png',
    } as const;
    await page.show(task({ results: [{ index: 0, media, status: 'Saved', hasFailed: false, buttons: [] }] }));
    await page.page.getByText('This picture cannot be shown here.').waitFor();
    assert.deepEqual((await browserOfTests()).outsideConnections, []);
    assert.equal((await page.violations()).length, 1);
  });

  it('T20 invisible characters are marked in text from outside', async () => {
    const text = 'cat\u{e0073}\u{e0065}\u{200b}';
    await page.show({ ...taskOf(text), tile: { ...task().tile, prompt: text } });
    assert.equal(await page.page.locator('.prompt-text .hidden-text').count(), 1);
    assert.equal(await page.page.locator('.result-text .hidden-text').count(), 1);
    assert.equal((await page.page.getByRole('img', { name: '3 hidden characters' }).count()) > 5, true);
  });

  it('T14 messages of another origin are ignored', async () => {
    await page.show(task());
    await page.page.evaluate(
      (state) => {
        for (const origin of ['https://collector.example', 'null', '']) {
          dispatchEvent(new MessageEvent('message', { data: { seq: 9, type: 'state', state }, origin }));
        }
      },
      task({ tile: { status: 'Forged' } }),
    );
    await page.nextFrames();
    assert.equal(await page.page.getByText('Forged').count(), 0);
  });

  /** Elements that the page did not create, and attributes that load or run something. */
  function foreign(): Promise<readonly string[]> {
    return page.page.evaluate(() => {
      const own = new Set([
        ...[
          'mg-task',
          'mg-menu',
          'mg-result',
          'mg-prompt',
          'mg-json-fold',
          'mg-running-time',
          'mg-progress',
          'header',
          'main',
        ],
        ...['section', 'div', 'span', 'h1', 'h2', 'button', 'progress', 'video', 'pre', 'code', 'strong'],
        ...['dl', 'dt', 'dd', 'ol', 'li', 'details', 'summary'],
      ]);
      const loading = ['href', 'srcset', 'style', 'srcdoc', 'action', 'formaction', 'poster', 'data-url'];
      return [...document.querySelectorAll('mg-task, mg-task *')]
        .filter(
          (each) =>
            !own.has(each.localName) ||
            each.getAttributeNames().some((name) => loading.includes(name) || name.startsWith('on')) ||
            (each.hasAttribute('src') && each.getAttribute('src') !== '/a.mp4'),
        )
        .map(({ outerHTML }) => outerHTML);
    });
  }
});
