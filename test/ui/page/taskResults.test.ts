import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { MediaView, ResultView, TaskView } from '../../../src/protocol/taskPage.ts';
import type { ServedFile } from './support/pageServer.ts';
import { createTaskView, recordClip, TaskTestPage } from './support/taskPage.ts';

const video: MediaView = { kind: 'video', src: '/clip.webm', mimeType: 'video/webm' };

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** A quarter of a second of silence. */
const silence = createWave(2000);

function createWave(samples: number): Buffer {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + samples, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(8000, 24);
  header.writeUInt32LE(8000, 28);
  header.writeUInt16LE(1, 32);
  header.writeUInt16LE(8, 34);
  header.write('data', 36);
  header.writeUInt32LE(samples, 40);
  return Buffer.concat([header, Buffer.alloc(samples, 128)]);
}

function createResult(draft: Partial<ResultView> = {}): ResultView {
  return { index: 0, status: 'Saved, 61 kB', hasFailed: false, buttons: [], ...draft };
}

function withResults(...results: readonly ResultView[]): TaskView {
  return createTaskView({ results });
}

const player = { action: 'open-in-player', label: 'Open in Player' } as const;

describe('the task page with results', () => {
  let files: readonly ServedFile[];
  const page = new TaskTestPage();

  before(async () => {
    files = [
      await recordClip(),
      { path: '/pixel.png', mimeType: 'image/png', body: pixel },
      { path: '/silence.wav', mimeType: 'audio/wav', body: silence },
      { path: '/broken.webm', mimeType: 'video/webm', body: Buffer.from('not a video') },
    ];
  });

  beforeEach(() => page.open({ files }));

  afterEach(() => page.close());

  const byName = (name: string | RegExp): Locator => page.page.getByRole('button', { name });

  it('plays a video', async () => {
    await page.show(withResults(createResult({ media: video })));
    await page.page.locator('video').evaluate((each: HTMLVideoElement) => each.play());
    await page.page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 0.2);
  });

  it('keeps playing a video without interruption while ten states arrive', async () => {
    await page.show(withResults(createResult({ media: video })));
    await page.page.locator('video').evaluate(async (each: HTMLVideoElement) => {
      // The clip is short.
      each.loop = true;
      window.disturbances = [];
      for (const type of ['emptied', 'loadstart', 'abort', 'pause', 'ended']) {
        each.addEventListener(type, () => window.disturbances.push(type));
      }
      await each.play();
    });
    const element = await page.page.locator('video').elementHandle();
    for (let at = 1; at <= 10; at += 1) {
      const others = [createResult({ index: 1, status: `Downloading, ${at} %`, percent: at })];
      await page.show({
        ...withResults(
          createResult({ media: { ...video }, status: `Saved, ${at} kB`, buttons: [player] }),
          ...others,
        ),
        timeline: [{ at, label: `state ${at}`, appearance: 'completed' }],
        record: `{"at": ${at}}`,
      });
      await page.page.getByText(`Saved, ${at} kB`).waitFor();
    }
    const time = await page.page.locator('video').evaluate((each: HTMLVideoElement) => each.currentTime);
    await page.page.waitForFunction((then) => document.querySelector('video')?.currentTime !== then, time);
    assert.deepEqual(await page.page.evaluate(() => window.disturbances), []);
    assert.equal(await element?.evaluate((each) => each.isConnected), true);
  });

  it('does not recreate a video when a result arrives before it', async () => {
    await page.show(withResults(createResult({ index: 1, media: video })));
    const element = await page.page.locator('video').elementHandle();
    await page.show(
      withResults(createResult({ index: 0, text: 'first' }), createResult({ index: 1, media: video })),
    );
    assert.equal(await element?.evaluate((each) => each.isConnected), true);
    assert.deepEqual(
      await page.page.getByRole('region').evaluateAll((all) => all.map((each) => each.ariaLabel)),
      ['Result 1 of 2', 'Text', 'Result 2 of 2'],
    );
  });

  it('starts a video by keyboard', async () => {
    await page.show(withResults(createResult({ media: video })));
    await page.page.locator('video').focus();
    await page.page.keyboard.press('Space');
    await page.page.waitForFunction(() => document.querySelector('video')?.paused === false);
  });

  it('reports sound that cannot be decoded, with the button Open in Player', async () => {
    await page.page.evaluate(() => {
      window.requestedTypes = [];
      HTMLVideoElement.prototype.canPlayType = (type) => {
        window.requestedTypes.push(type);
        return '';
      };
    });
    const media = { ...video, mimeType: 'video/mp4', audioCodec: 'mp4a.40.2' };
    await page.show(
      withResults(
        createResult({ index: 3, media, buttons: [player, { action: 'save', label: 'Save As…' }] }),
      ),
    );
    await page.page.getByText('The audio cannot be decoded here.').waitFor();
    assert.equal(await byName('Open in Player').count(), 1);
    await byName('Open in Player').click();
    assert.deepEqual(await posted(), [{ type: 'action', action: 'open-in-player', result: 3 }]);
    assert.ok(
      (await page.page.evaluate(() => window.requestedTypes)).includes('video/mp4; codecs="mp4a.40.2"'),
    );
  });

  it('does not show a message for sound that can be decoded or is absent', async () => {
    const loud = { ...video, audioCodec: 'opus' };
    await page.show(withResults(createResult({ media: loud, buttons: [player] })));
    await page.page.locator('video').waitFor();
    assert.equal(await page.page.getByText('cannot be decoded').count(), 0);
    assert.equal(await byName('Open in Player').count(), 1);
    await page.show(withResults(createResult({ media: video })));
    assert.equal(await page.page.getByText('cannot be decoded').count(), 0);
  });

  it('replaces a video that cannot be shown by a message, until another video arrives', async () => {
    await page.show(
      withResults(createResult({ media: { ...video, src: '/broken.webm' }, buttons: [player] })),
    );
    await page.page.getByText('This video cannot be played here.').waitFor();
    assert.equal(await page.page.locator('video').count(), 0);
    assert.equal(await byName('Open in Player').count(), 1);
    await page.show(
      withResults(createResult({ media: { ...video, src: '/broken.webm' }, status: 'Still saved' })),
    );
    assert.equal(await page.page.getByText('This video cannot be played here.').count(), 1);
    await page.show(withResults(createResult({ media: video })));
    await page.page.locator('video').waitFor();
    assert.equal(await page.page.getByText('cannot be shown').count(), 0);
  });

  it('shows a picture and a recording', async () => {
    const image: MediaView = { kind: 'image', src: '/pixel.png', mimeType: 'image/png' };
    const audio: MediaView = { kind: 'audio', src: '/silence.wav', mimeType: 'audio/wav' };
    await page.show(withResults(createResult({ media: image }), createResult({ index: 1, media: audio })));
    await page.page.waitForFunction(() => document.querySelector('img')?.naturalWidth === 1);
    await page.page.waitForFunction(() => (document.querySelector('audio')?.duration ?? 0) > 0.2);
    assert.equal(await page.page.getByRole('img', { name: 'Result 1 of 2' }).count(), 1);
    assert.equal(await page.page.locator('audio').getAttribute('controls'), '');
  });

  it('reports a picture that cannot be shown', async () => {
    const media: MediaView = { kind: 'image', src: '/broken.webm', mimeType: 'image/png' };
    await page.show(withResults(createResult({ media })));
    await page.page.getByText('This picture cannot be shown here.').waitFor();
  });

  it('shows a text unformatted, with a copy button', async () => {
    await page.show(withResults(createResult({ index: 2, text: '# One\n<b>two</b>' })));
    assert.equal(await page.page.getByRole('region', { name: 'Text' }).innerText(), '# One\n<b>two</b>');
    await byName('Copy Text').click();
    assert.deepEqual(await posted(), [{ type: 'action', action: 'copy-text', result: 2 }]);
    await page.page.getByRole('status').getByText('Copied').waitFor();
  });

  it('shows the progress of a download with a Stop button', async () => {
    const buttons = [{ action: 'stop-download', label: 'Stop' }] as const;
    await page.show(
      withResults(createResult({ index: 1, status: 'Downloading, 40 %', percent: 40, buttons })),
    );
    await page.page.getByText('Downloading, 40 %').waitFor();
    const bar = page.page.getByRole('progressbar', { name: 'Progress of Result' });
    assert.equal(await bar.evaluate((each: HTMLProgressElement) => each.value), 40);
    await byName('Stop').click();
    assert.deepEqual(await posted(), [{ type: 'action', action: 'stop-download', result: 1 }]);
  });

  /** The requests of the page, without the token that every message carries. */
  async function posted(): Promise<readonly object[]> {
    return (await page.readPosted()).map(({ channel, ...message }) => message);
  }
});

declare global {
  interface Window {
    disturbances: string[];
    requestedTypes: string[];
  }
}
