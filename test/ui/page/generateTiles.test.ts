import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { createTile, GenerateTestPage, showcaseTiles } from './support/generatePage.ts';
import type { ServedFile } from './support/pageServer.ts';
import { recordClip } from './support/taskPage.ts';
import { waitForFocus } from './support/waits.ts';

const now = Date.UTC(2026, 10, 20, 14, 1, 2);

describe('the tiles of the Generate page', () => {
  let clip: ServedFile;
  const page = new GenerateTestPage();

  before(async () => {
    clip = await recordClip();
  });

  beforeEach(() => page.open({ files: [clip], now, height: 1600 }));

  afterEach(() => page.close());

  const tiles = (): Locator => page.page.getByRole('list', { name: 'Newest' }).getByRole('button');
  /** The screen reader text of each tile, without the spaces between. */
  const words = async () =>
    (await tiles().allTextContents()).map((text) => text.replace(/\s+/g, ' ').replace(/ ,/g, ',').trim());

  it('are replaced by a hint while there are no tasks', async () => {
    await page.show();
    await page.page.getByText('Your videos appear here').waitFor();
    assert.equal(await tiles().count(), 0);
  });

  it('show the state, prompt, model and start time of each task', async () => {
    await page.show({ tiles: showcaseTiles(now) });
    const [queued, running, completed, unknown, , cancelled, unwatched] = await words();
    assert.match(queued ?? '', /^Queued A harbour at dawn.* wan-t2v, started just now$/);
    assert.match(running ?? '', /^Running · about 62 % A cat .* wan-t2v, started 1 minute ago$/);
    assert.match(completed ?? '', /^A cat .* Completed, wan-t2v, started 5 minutes ago$/);
    assert.match(unknown ?? '', /^Unknown outcome A cat/);
    assert.match(cancelled ?? '', /started yesterday$/);
    assert.match(unwatched ?? '', /^No longer watched No prompt wan-t2v, started Nov 11, 2026$/);
    const time = await tiles().first().locator('.tile-age').getAttribute('title');
    assert.match(time ?? '', /2026/);
  });

  it('D19 leave no nodes behind when newer tasks replace them', async () => {
    const showTask = async (key: string) => {
      await page.show({ tiles: [createTile({ key, prompt: key })] });
      await tiles().getByText(key).waitFor();
      return page.page.locator('.tiles').evaluate(({ childNodes }) => childNodes.length);
    };
    const nodes = await showTask('first');
    for (const key of ['second', 'third', 'fourth']) assert.equal(await showTask(key), nodes);
  });

  it('show the first frame of a video, muted and paused', async () => {
    await page.show({ tiles: showcaseTiles(now) });
    const video = page.page.locator('video');
    await page.page.waitForFunction(() => (document.querySelector('video')?.videoWidth ?? 0) > 0);
    assert.deepEqual(
      await video.evaluate((each: HTMLVideoElement) => [
        each.muted,
        each.paused,
        each.preload,
        each.controls,
      ]),
      [true, true, 'metadata', false],
    );
  });

  it('show the state of the task when its video cannot be shown', async () => {
    const media = { kind: 'video', src: '/gone.mp4', mimeType: 'video/mp4' } as const;
    await page.show({ tiles: [createTile({ media })] });
    await page.page.getByText('Completed').waitFor();
    await page.page.locator('video').waitFor({ state: 'detached' });
  });

  it('open the task by click and by Enter', async () => {
    await page.show({ tiles: showcaseTiles(now) });
    await tiles().nth(2).click();
    await tiles().nth(3).press('Enter');
    assert.deepEqual(
      (await page.readPostedOf('open-task')).map(({ key }) => key),
      ['c', 'd'],
    );
  });

  it('update the age of a task as time passes', async () => {
    await page.show({ tiles: [createTile({ startedAt: now })] });
    assert.match((await words())[0] ?? '', /just now$/);
    await page.passTime(2 * 60_000);
    assert.match((await words())[0] ?? '', /2 minutes ago$/);
  });

  it('keep the focus and their videos when new tiles arrive before them', async () => {
    const old = createTile({ key: 'old', media: { kind: 'video', src: clip.path, mimeType: clip.mimeType } });
    await page.show({ tiles: [old] });
    await tiles().first().focus();
    await page.page.evaluate(() => document.querySelector('video')?.setAttribute('data-same', ''));
    await page.post({ type: 'tiles', tiles: [createTile({ key: 'new' }), old] });
    await tiles().nth(1).waitFor();
    await waitForFocus(tiles().nth(1));
    assert.equal(await page.page.locator('video[data-same]').count(), 1);
  });

  it('announce only changes of the state to screen readers', async () => {
    const running = createTile({
      appearance: 'running',
      status: 'Running',
      progress: { kind: 'reported', percent: 10 },
    });
    await page.show({ tiles: [running] });
    const status = page.page.getByRole('status');
    await page.post({ type: 'tiles', tiles: [{ ...running, progress: { kind: 'reported', percent: 50 } }] });
    await page.page.getByText('50 %').waitFor();
    assert.equal(await status.textContent(), '');
    await page.post({ type: 'tiles', tiles: [createTile(), createTile({ key: 'other' })] });
    await page.nextFrames();
    assert.equal(await status.textContent(), 'Completed: A cat on a red roof at sunset');
  });
});
