import assert from 'node:assert/strict';
import type { TaskView } from '../../../src/protocol/taskPage.ts';
import { payloads } from './support/payloads.ts';
import { createTaskView, TaskTestPage } from './support/taskPage.ts';
import { getTestBrowser } from './support/testBrowser.ts';
import { waitForValue } from './support/waits.ts';

const pieces = 10;

/** A task with a text of the gateway in every place that shows one. */
function createTask(text: string): TaskView {
  const buttons = [
    { action: 'save', label: text },
    { action: 'delete', label: text },
  ] as const;
  return createTaskView({
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

  it(`P4 T9 are shown as text, without requests or navigation: ${payloads.length} payloads in every text`, async () => {
    for (let start = 0; start < payloads.length; start += payloads.length / pieces) {
      const text = payloads.slice(start, start + payloads.length / pieces).join('\n────\n');
      await page.show(createTask(text));
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
      await waitForValue(() => page.page.locator('.json code').first().textContent(), text);
      assert.deepEqual(await findForbiddenElements(), [], text);
      assert.deepEqual(
        page.requests.filter((url) => !url.endsWith('/a.mp4')),
        [],
        text,
      );
    }
    assert.deepEqual(page.navigations, []);
    assert.deepEqual((await getTestBrowser()).outsideConnections, []);
    assert.deepEqual((await getTestBrowser()).server.unknownPaths, []);
    assert.deepEqual(await page.takeViolations(), []);
    assert.deepEqual(page.errors, []);
    assert.deepEqual(await page.readPosted(), []);
  });

  it('T9 do not make a result fetch an address of another site', async () => {
    const media = {
      kind: 'image',
      src: 'https://collector.example/?q=canary',
      mimeType: 'image/png',
    } as const;
    await page.show(
      createTaskView({ results: [{ index: 0, media, status: 'Saved', hasFailed: false, buttons: [] }] }),
    );
    await page.page.getByText('This picture cannot be shown here.').waitFor();
    assert.deepEqual((await getTestBrowser()).outsideConnections, []);
    assert.equal((await page.takeViolations()).length, 1);
  });

  it('T20 have the invisible characters of their texts marked', async () => {
    const text = 'cat\u{e0073}\u{e0065}\u{200b}';
    await page.show({ ...createTask(text), tile: { ...createTaskView().tile, prompt: text } });
    assert.equal(await page.page.locator('.prompt-text .hidden-text').count(), 1);
    assert.equal(await page.page.locator('.result-text .hidden-text').count(), 1);
    assert.equal((await page.page.getByRole('img', { name: '3 hidden characters' }).count()) > 5, true);
  });

  it('T14 are ignored in messages of another origin', async () => {
    await page.show(createTaskView());
    await page.page.evaluate(
      (state) => {
        for (const origin of ['https://collector.example', 'null', '']) {
          dispatchEvent(new MessageEvent('message', { data: { seq: 9, type: 'state', state }, origin }));
        }
      },
      createTaskView({ tile: { status: 'Forged' } }),
    );
    await page.nextFrames();
    assert.equal(await page.page.getByText('Forged').count(), 0);
  });

  /** Elements that the page did not create, and attributes that load or run something. */
  function findForbiddenElements(): Promise<readonly string[]> {
    return page.page.evaluate(() => {
      const own = new Set([
        'mg-task',
        'mg-menu',
        'mg-result',
        'mg-prompt',
        'mg-json-fold',
        'mg-running-time',
        'mg-progress',
        'header',
        'main',
        'section',
        'div',
        'span',
        'h1',
        'h2',
        'button',
        'progress',
        'video',
        'pre',
        'code',
        'strong',
        'dl',
        'dt',
        'dd',
        'ol',
        'li',
        'details',
        'summary',
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
