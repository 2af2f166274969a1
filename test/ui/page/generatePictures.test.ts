import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { ImageView } from '../../../src/protocol/chatTurn.ts';
import { GenerateTestPage, interactions, synthesis } from './support/generatePage.ts';
import { waitForFocus } from './support/waits.ts';

/** A picture of one pixel. */
const dot: ImageView = {
  mimeType: 'image/png',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
};

interface Dropped {
  readonly name: string;
  readonly type: string;
  /** Each byte is the last digit of its position. */
  readonly bytes: number;
}

describe('pictures on the Generate page', () => {
  const page = new GenerateTestPage();

  beforeEach(async () => {
    await page.open({ height: 900 });
    await page.show();
  });

  afterEach(() => page.close());

  const dropZone = (name: string): Locator => page.page.getByRole('button', { name });

  /** Puts files on an element as a paste or a drop would. */
  async function put(how: 'paste' | 'drop', onto: Locator, ...files: readonly Dropped[]): Promise<void> {
    await onto.evaluate(
      (element, { how, files }) => {
        const data = new DataTransfer();
        for (const { name, type, bytes } of files) {
          const content = Uint8Array.from({ length: bytes }, (_, at) => at % 10);
          data.items.add(new File([content], name, { type }));
        }
        const options = { bubbles: true, cancelable: true };
        const event =
          how === 'drop'
            ? new DragEvent('drop', { ...options, dataTransfer: data })
            : new ClipboardEvent('paste', { ...options, clipboardData: data });
        element.dispatchEvent(event);
      },
      { how, files },
    );
  }

  /** The pieces that the host received, joined by frame and id. */
  async function arrived(pictures: number): Promise<readonly { frame: string; bytes: Buffer }[]> {
    await page.page.waitForFunction(
      (count) => window.posted.filter((message) => 'isLast' in message && message.isLast).length === count,
      pictures,
    );
    const pieces = await page.readPostedOf('attach-piece');
    for (const { data } of pieces) assert.ok(data.length <= 512 * 1024, `a piece of ${data.length}`);
    const ids = [...new Set(pieces.map(({ id }) => id))];
    return ids.map((id) => {
      const own = pieces.filter((piece) => piece.id === id);
      assert.deepEqual(
        own.map(({ isLast }) => isLast),
        own.map((_, at) => at === own.length - 1),
      );
      const bytes = Buffer.concat(own.map(({ data }) => Buffer.from(data, 'base64')));
      return { frame: own[0]?.frame ?? '', bytes };
    });
  }

  const png = (bytes: number): Dropped => ({ name: 'a.png', type: 'image/png', bytes });
  const listFrames = (pictures: readonly { frame: string }[]) => pictures.map(({ frame }) => frame);

  it('are sent to the host in pieces, completely', async () => {
    await put('drop', dropZone('Last frame'), png(1_000_003));
    const [picture] = await arrived(1);
    assert.equal(picture?.frame, 'last');
    assert.equal(picture?.bytes.length, 1_000_003);
    assert.ok(picture?.bytes.every((byte, at) => byte === at % 10));
    assert.ok((await page.readPostedOf('attach-piece')).length > 2);
  });

  it('that are dropped or pasted anywhere go to the first empty frame', async () => {
    await put('paste', page.page.getByRole('textbox', { name: 'Prompt', exact: true }), png(10));
    await page.post({ type: 'pictures', pictures: { first: dot } });
    await dropZone('Replace First Frame').waitFor();
    await put('drop', page.page.locator('body mg-generate main'), png(20));
    const pictures = await arrived(2);
    assert.deepEqual(listFrames(pictures), ['first', 'last']);
  });

  it('replace the picture on which they are pasted', async () => {
    await page.post({ type: 'pictures', pictures: { first: dot } });
    await put('paste', dropZone('Replace First Frame'), png(10));
    assert.deepEqual(listFrames(await arrived(1)), ['first']);
  });

  it('that are dropped together fill the frames one by one, and other files are skipped', async () => {
    const text: Dropped = { name: 'a.txt', type: 'text/plain', bytes: 5 };
    await put('drop', dropZone('Last frame'), text, png(10), png(20), png(30));
    const pictures = await arrived(2);
    assert.deepEqual(
      pictures.map(({ frame, bytes }) => [frame, bytes.length]),
      [
        ['last', 10],
        ['first', 20],
      ],
    );
  });

  it('that are dropped from VS Code are sent as URIs, for the free frames', async () => {
    await page.post({ type: 'pictures', pictures: { first: dot } });
    await dropZone('Replace First Frame').waitFor();
    await page.page.evaluate(() => {
      const dataTransfer = new DataTransfer();
      dataTransfer.setData('text/uri-list', 'file:///work/a.png\r\nhttps://example.com/b.png\r\n');
      document.querySelector('main')?.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true }));
    });
    const [dropped] = await page.readPostedOf('drop-files');
    assert.deepEqual([dropped?.uris, dropped?.frames], [['file:///work/a.png'], ['last']]);
  });

  it('are sent empty when the dropped file is not a picture', async () => {
    await put('drop', dropZone('First frame'), { name: 'a.txt', type: 'text/plain', bytes: 5 });
    assert.deepEqual(await arrived(1), [{ frame: 'first', bytes: Buffer.alloc(0) }]);
  });

  it('do not intercept text that is dropped into a text box', async () => {
    const isIntercepted = (place: string) =>
      page.page.evaluate((selector) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.setData('text/plain', 'A cat');
        const drop = new DragEvent('drop', { dataTransfer, bubbles: true, composed: true, cancelable: true });
        document.querySelector(selector)?.dispatchEvent(drop);
        return drop.defaultPrevented;
      }, place);
    assert.deepEqual([await isIntercepted('textarea'), await isIntercepted('main')], [false, true]);
  });

  it('are ignored when the route has no frames', async () => {
    await page.show({ target: { ...synthesis.target, frames: [] } });
    assert.equal(await page.page.getByText('First frame').count(), 0);
    await put('drop', page.page.locator('main'), png(10));
    await put('paste', page.page.locator('main'), png(10));
    await page.nextFrames();
    assert.deepEqual(await page.readPosted(), []);
  });

  it('have only the frames that the route supports', async () => {
    await page.show(interactions);
    await dropZone('First frame').waitFor();
    assert.equal(await page.page.getByText('Last frame').count(), 0);
  });

  it('are chosen in a dialog of the host, by mouse or keyboard', async () => {
    await dropZone('First frame').click();
    await dropZone('Last frame').press('Enter');
    assert.deepEqual(
      (await page.readPostedOf('attach-file')).map(({ frame }) => frame),
      ['first', 'last'],
    );
  });

  it('are shown and can be removed, and the focus stays at the frame', async () => {
    await page.post({ type: 'pictures', pictures: { first: dot } });
    const shown = page.page.getByRole('img', { name: 'First frame' });
    await shown.waitFor();
    assert.match((await shown.getAttribute('src')) ?? '', /^blob:/);
    await page.page.waitForFunction(() => document.querySelector('img')?.naturalWidth === 1);
    await dropZone('Remove First Frame').press('Enter');
    assert.deepEqual(
      (await page.readPostedOf('detach')).map(({ frame }) => frame),
      ['first'],
    );
    await page.post({ type: 'pictures', pictures: {} });
    await shown.waitFor({ state: 'detached' });
    await waitForFocus(dropZone('First frame'));
  });

  it('of type SVG are named but not shown', async () => {
    await page.post({
      type: 'pictures',
      pictures: { last: { mimeType: 'image/svg+xml', data: 'PHN2Zy8+' } },
    });
    await page.page.getByText('image/svg+xml cannot be shown').waitFor();
    assert.equal(await page.page.locator('img').count(), 0);
  });
});
