import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { SchemaCheckView } from '../../../src/protocol/chatTurn.ts';
import { findAccessibilityFaults, findFaultsInThemes } from './support/accessibility.ts';
import { ChatTestPage, createTurn } from './support/chatPage.ts';
import type { PageOptions } from './support/pageBrowser.ts';
import { getTestBrowser } from './support/testBrowser.ts';

const differs: SchemaCheckView = {
  kind: 'differs',
  title: 'Does not match the schema:',
  faults: [
    '$.items[3].price must be number',
    '$.state must be one of ["open","closed"]',
    '$.note is missing',
    '$.more is not allowed',
    '<img src=x onerror="alert(1)"> \u202e must be string',
  ],
  more: '7 more',
};

const turns = [
  createTurn({ id: 'turn-1', text: '{"city": "Ur"}' }),
  createTurn({ id: 'turn-2', text: '{"items": []}' }),
];

describe('the schema check of a reply', () => {
  const chat = new ChatTestPage(getTestBrowser);

  afterEach(() => chat.close());

  async function open(options?: PageOptions): Promise<void> {
    await chat.open(options);
    const matches: SchemaCheckView = { kind: 'matches', title: 'Matches the schema.', faults: [] };
    await chat.show(turns, {}, { schemaChecks: { 'turn-1': matches } });
    await chat.patch({ schemaChecks: { 'turn-1': matches, 'turn-2': differs } });
  }

  const check = (kind: SchemaCheckView['kind']): Locator => chat.page.locator(`.schema-check.${kind}`);
  const opened = async () =>
    (await chat.readPosted()).flatMap((each) =>
      each.type === 'open-fault' ? [[each.turnId, each.index]] : [],
    );

  it('is shown with the result and the first mismatches, and with all after Show All', async () => {
    await open();
    assert.equal(await check('matches').innerText(), 'Matches the schema.');
    const buttons = check('differs').locator('li button');
    assert.equal(await buttons.count(), 3);
    await check('differs').getByRole('button', { name: 'Show All 5' }).click();
    assert.equal(await buttons.count(), 5);
    assert.equal(await chat.page.evaluate(() => document.activeElement?.textContent), differs.faults[3]);
    assert.match(await check('differs').innerText(), /7 more/);
    assert.equal(await check('differs').locator('img').count(), 0);
    assert.deepEqual(await findAccessibilityFaults(chat.page), []);
  });

  it('leads to each mismatch by a click or by Enter', async () => {
    await open();
    await check('differs')
      .getByRole('button', { name: differs.faults[1] ?? '' })
      .click();
    await check('differs')
      .getByRole('button', { name: differs.faults[0] ?? '' })
      .press('Enter');
    assert.deepEqual(await opened(), [
      ['turn-2', 1],
      ['turn-2', 0],
    ]);
  });

  it('is reported as skipped for a reply that was cut off', async () => {
    await open();
    const title = 'Not checked against the schema: the reply was cut off.';
    await chat.patch({ schemaChecks: { 'turn-2': { kind: 'unchecked', title, faults: [] } } });
    await check('unchecked').waitFor();
    assert.equal(await check('unchecked').innerText(), title);
    assert.equal(await check('differs').count(), 0);
  });

  it('meets the accessibility guidelines and fits into 300 pixels', async () => {
    await open();
    await chat.resize(300, 700);
    const faults = await findFaultsInThemes(chat, async (theme) => {
      await chat.savePicture(`schema-check-${theme}-300`);
      assert.ok((await chat.page.evaluate(() => document.documentElement.scrollWidth)) <= 300, theme);
    });
    assert.deepEqual(faults, []);
  });
});
