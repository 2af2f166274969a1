import assert from 'node:assert/strict';
import type { TaskView } from '../../../src/protocol/taskPage.ts';
import { findAccessibilityFaults } from './support/accessibility.ts';
import type { ServedFile } from './support/pageServer.ts';
import { recordClip, startedAt, TaskTestPage } from './support/taskPage.ts';
import {
  completed,
  failed,
  queued,
  running,
  severalResults,
  unknownOutcome,
} from './support/taskShowcase.ts';

const now = startedAt + 42_000;

/** AAC, which VS Code on the desktop cannot decode. */
const media = { kind: 'video', src: '/clip.webm', mimeType: 'video/mp4', audioCodec: 'mp4a.40.2' } as const;

const views: Readonly<Record<string, TaskView>> = {
  running,
  queued,
  completed: completed(media),
  'several-results': severalResults,
  failed,
  'unknown-outcome': unknownOutcome,
};

describe('the task page', () => {
  let clip: ServedFile;
  const page = new TaskTestPage();

  before(async () => {
    clip = await recordClip();
  });

  afterEach(() => page.close());

  for (const theme of ['light', 'dark', 'high-contrast'] as const) {
    for (const [name, view] of Object.entries(views)) {
      it(`meets the accessibility guidelines in the ${theme} theme: ${name}`, async () => {
        await page.open({ theme, width: 1000, height: 800, files: [clip], now });
        await disableAac(page);
        await page.show(view);
        await unfold(page);
        await page.savePicture(`task-${name}-${theme}`);
        assert.deepEqual(await findAccessibilityFaults(page.page), []);
      });
    }

    it(`meets the accessibility guidelines with an open menu in the ${theme} theme`, async () => {
      await page.open({ theme, now });
      await page.show(running);
      await page.page.getByRole('button', { name: 'More Actions…' }).click();
      await page.savePicture(`task-menu-${theme}`);
      assert.deepEqual(await findAccessibilityFaults(page.page), []);
    });
  }

  it('fits into 300 pixels without horizontal scrolling', async () => {
    await page.open({ width: 300, height: 1200, files: [clip], now });
    await disableAac(page);
    for (const [name, view] of Object.entries(views)) {
      await page.show(view);
      await unfold(page);
      await page.savePicture(`task-${name}-narrow`);
      const sideways = await page.page.evaluate(() =>
        [...document.querySelectorAll('html, main, main *, header, header *')]
          .filter(({ className }) => className !== 'task-model')
          .filter(({ scrollWidth, clientWidth }) => clientWidth > 0 && scrollWidth > clientWidth)
          .map(({ outerHTML }) => outerHTML),
      );
      assert.deepEqual(sideways, [], name);
    }
  });
});

/** Opens all folds, and waits until each video shows a frame. */
async function unfold({ page }: TaskTestPage): Promise<void> {
  await page.evaluate(() => {
    for (const fold of document.querySelectorAll('details')) fold.open = true;
  });
  await page.waitForFunction(() =>
    [...document.querySelectorAll('video')].every(({ readyState }) => readyState >= 2),
  );
}

async function disableAac({ page }: TaskTestPage): Promise<void> {
  await page.evaluate(() => {
    HTMLVideoElement.prototype.canPlayType = () => '';
  });
}
