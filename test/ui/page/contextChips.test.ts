import assert from 'node:assert/strict';
import type { ContextView } from '../../../src/protocol/chatContext.ts';
import { findFaultsInThemes } from './support/accessibility.ts';
import { ChatTestPage, createTurn } from './support/chatPage.ts';
import { getTestBrowser } from './support/testBrowser.ts';
import { measureBoxes, waitForFocus } from './support/waits.ts';

const context: readonly ContextView[] = [
  {
    id: 'one',
    name: 'src/webview/chat/composer/composer.ts#L10-20',
    icon: 'selection',
    size: { bytes: 1229, characters: 1200, tokens: 304 },
  },
  {
    id: 'two',
    name: `src/${'deeply/'.repeat(12)}nested.ts`,
    icon: 'file',
    isChanged: true,
    size: { bytes: 11, characters: 11, tokens: 3 },
  },
  {
    id: 'text',
    name: 'Pasted notes',
    icon: 'file-text',
    isText: true,
    size: { bytes: 0, characters: 0, tokens: 0 },
  },
  { id: 'three', name: 'gone.ts', icon: 'file', problem: '“gone.ts” does not exist or cannot be read.' },
];

describe('context attached to a message', () => {
  const chat = new ChatTestPage(getTestBrowser);

  beforeEach(async () => {
    await chat.open();
    await chat.show([], {}, { context });
  });

  afterEach(() => chat.close());

  const posted = async (type: string) => (await chat.readPosted()).filter((each) => each.type === type);
  const chip = (name: string) => chat.page.getByRole('listitem').filter({ hasText: name });

  it('is shown as chips with lines and size, marked when changed or missing', async () => {
    assert.match(await chip('composer.ts').innerText(), /composer\.ts#L10-20\s+1\.2 KB · about 300 tokens/);
    assert.match(
      await chip('nested.ts').innerText(),
      /11 bytes · about 3 tokens · changed since it was added/,
    );
    assert.match(await chip('gone.ts').innerText(), /“gone\.ts” does not exist/);
    await chat.page
      .getByText('1,211 characters, about 310 tokens. 1 of 4 context items is missing or cannot be sent')
      .waitFor();
  });

  it('is opened by a click, and removed by its button or Delete, which focus the message box', async () => {
    await chip('composer.ts')
      .getByRole('button', { name: /composer/ })
      .first()
      .click();
    await chat.page.getByRole('button', { name: 'Remove gone.ts' }).click();
    await chip('nested.ts').getByRole('button').first().press('Delete');
    assert.deepEqual(
      (await chat.readPosted()).flatMap((each) => ('id' in each ? [[each.type, each.id]] : [])),
      [
        ['open-context', 'one'],
        ['remove-context', 'three'],
        ['remove-context', 'two'],
      ],
    );
    const box = chat.page.getByRole('textbox', { name: 'Message' });
    await waitForFocus(box);
    await chat.patch({ context: [] });
    await chip('composer.ts').waitFor({ state: 'detached' });
  });

  it('is listed on its question as missing and not sent when it is no longer on the disk', async () => {
    const missing = [
      { name: 'Picture', reason: 'notOnDisk' },
      { name: `src/${'deeply/'.repeat(12)}gone.ts`, reason: 'notOnDisk' },
      { name: 'voice.wav', reason: 'notImported' },
    ] as const;
    await chat.show([
      createTurn({ text: 'So.', missing, missingParts: ['a picture that is no longer on the disk'] }),
    ]);
    const list = chat.page.getByRole('list', { name: 'Missing attachments' });
    assert.match(
      await list.innerText(),
      /Picture\s+no longer on the disk[\s\S]*gone\.ts[\s\S]*voice\.wav\s+not part of the import/,
    );
    await chat.page.getByText('Not sent: a picture that is no longer on the disk.').waitFor();
    assert.equal(await list.getByRole('button').count(), 0);
    await chat.resize(300, 700);
    const long = list.getByRole('listitem').nth(1);
    const [icon, name] = await Promise.all(
      ['.codicon', '.chip-label'].map((part) => long.locator(part).boundingBox()),
    );
    assert.ok(icon && name && name.y < icon.y + icon.height, 'the name is next to its icon');
  });

  it('is listed as missing below a reply whose picture is no longer on the disk', async () => {
    await chat.show([
      createTurn({ text: 'Here:', missingOfReply: [{ name: 'Picture', reason: 'notOnDisk' }] }),
    ]);
    const list = chat.page.locator('.reply').getByRole('list', { name: 'Missing attachments' });
    assert.match(await list.innerText(), /Picture\s+no longer on the disk/);
  });

  it('scrolls when there are many chips, so that the message box stays in view', async () => {
    await chat.close();
    await chat.open({ width: 300 });
    const size = { bytes: 12, characters: 12, tokens: 3 };
    const many = Array.from({ length: 32 }, (_, nth) => ({
      id: `${nth}`,
      name: `src/file${nth}.ts`,
      icon: 'file',
      size,
    }));
    await chat.show([createTurn({ question: 'Why?', text: 'So.' })], {}, { context: many });
    const list = chat.page.getByRole('list', { name: 'Context' });
    const message = chat.page.getByRole('textbox', { name: 'Message' });
    const [listBox, box] = await measureBoxes(list, message);
    const { height = 0 } = chat.page.viewportSize() ?? {};
    assert.ok(listBox.height < height * 0.35 && box.y + box.height <= height);
    await chip('file31.ts').getByRole('button').first().focus();
    await chat.savePicture('context-many');
    const [focused] = await measureBoxes(chip('file31.ts'));
    assert.ok(focused.y + focused.height <= listBox.y + listBox.height + 1);
  });

  it('shows the file name and most of the size when there is no room for the folders', async () => {
    await chat.close();
    await chat.open({ width: 300 });
    const size = { bytes: 1229, characters: 1200, tokens: 304 };
    const files = [{ name: `src/${'deeply/'.repeat(12)}file.ts#L10-20`, size }];
    await chat.show([createTurn({ question: 'Why?', text: 'So.', files })]);
    const parts = chat.page.locator('.question .chip :is(.chip-folder, .chip-file, .chip-size)');
    await parts.last().waitFor();
    const [folder, file, state] = await parts.evaluateAll((all) =>
      all.map(({ clientWidth, scrollWidth }) => clientWidth / scrollWidth),
    );
    assert.equal(file, 1);
    assert.ok(
      folder !== undefined && state !== undefined && folder < 0.1 && state > 0.75,
      `${folder} ${state}`,
    );
  });

  it('can be sent without text, and Add Context requests more', async () => {
    await chat.page.getByRole('button', { name: 'Add Context…' }).click();
    assert.equal((await posted('add-context')).length, 1);
    await chat.page.getByRole('textbox', { name: 'Message' }).press('Enter');
    assert.equal((await posted('send')).length, 1);
  });

  it('is listed on the question it was sent with, and opened by a click', async () => {
    const files = [{ name: 'src/a.ts#L1-2', size: { bytes: 12, characters: 12, tokens: 3 } }];
    await chat.show([createTurn({ question: 'Why?', text: 'So.', files })]);
    await chat.page.getByRole('list', { name: 'Context' }).getByRole('button').click();
    assert.deepEqual(await posted('open-sent-file'), [
      { type: 'open-sent-file', turnId: 'turn-1', index: 0, channel: 'test-channel' },
    ]);
  });

  it('is sent as URIs when dropped from VS Code, and as text or a picture when dropped from elsewhere', async () => {
    await chat.page.evaluate(() => {
      // A dropped folder is a file that cannot be read.
      const { text } = File.prototype;
      File.prototype.text = function () {
        return this.name === 'folder' ? Promise.reject(new Error('NotFoundError')) : text.call(this);
      };
      const drop = (fill: (data: DataTransfer) => void) => {
        const dataTransfer = new DataTransfer();
        fill(dataTransfer);
        document
          .querySelector('mg-chat')
          ?.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true }));
      };
      drop((data) => data.setData('text/uri-list', '# two\r\nfile:///src/a.ts\r\nfile:///src/b.ts\r\n'));
      drop((data) => {
        data.items.add(new File(['text'], 'notes.txt', { type: 'text/plain' }));
        data.items.add(new File([], 'folder'));
        data.items.add(new File(['x'.repeat(1024 * 1024 + 1)], 'big.log'));
        data.items.add(new File(['GIF89a'], 'a.gif', { type: 'image/gif' }));
      });
      drop((data) => data.setData('text/plain', 'words'));
    });
    await chat.page.waitForFunction(() => window.posted.some(({ type }) => type === 'attach-piece'));
    const dropped = (await chat.readPosted()).filter(({ type }) => type.startsWith('drop-'));
    assert.deepEqual(dropped, [
      { type: 'drop-files', uris: ['file:///src/a.ts', 'file:///src/b.ts'], channel: 'test-channel' },
      { type: 'drop-text', name: 'notes.txt', bytes: 4, text: 'text', channel: 'test-channel' },
      { type: 'drop-text', name: 'folder', bytes: 1, text: '', channel: 'test-channel' },
      { type: 'drop-text', name: 'big.log', bytes: 1024 * 1024 + 1, text: '', channel: 'test-channel' },
    ]);
  });

  it('is not added for a dropped link, which is left to the message box and ignored elsewhere', async () => {
    const isUnhandled = await chat.page.evaluate(() =>
      ['textarea[aria-label="Message"]', '.turns'].map((place) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.setData('text/uri-list', 'https://example.com/');
        const drop = new DragEvent('drop', { dataTransfer, bubbles: true, composed: true, cancelable: true });
        return document.querySelector(place)?.dispatchEvent(drop);
      }),
    );
    assert.deepEqual(isUnhandled, [true, false]);
    assert.deepEqual(await posted('drop-files'), []);
  });

  it('fits into 300 pixels and meets the accessibility guidelines', async () => {
    await chat.close();
    await chat.open({ width: 300 });
    const files = context.map(({ name }) => ({
      name,
      size: { bytes: 1229, characters: 1200, tokens: 304 },
    }));
    await chat.show([createTurn({ question: 'Why?', text: 'So.', files })], {}, { context });
    await chat.page.getByText('So.').waitFor();
    const faults = await findFaultsInThemes(chat, async (theme) => {
      await chat.savePicture(`context-${theme}`);
      assert.ok(!(await chat.page.evaluate(() => document.documentElement.scrollWidth > innerWidth)), theme);
    });
    assert.deepEqual(faults, []);
  });
});
