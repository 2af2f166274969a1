import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { localEntry } from '../../src/host/connection/gateways.ts';
import { confirmSpending, type Purchase } from '../../src/host/tasks/purchase/spendingConsent.ts';
import { priceWords, videoCost } from '../../src/host/tasks/purchase/videoPrice.ts';
import { answerDialogs } from '../support/dialogs.ts';

const nothing = { inLastHour: 0, inLastDay: 0 };

const purchase: Purchase = {
  gateway: { kind: 'gateway', name: 'work', baseUrl: 'https://gateway.example' },
  route: 'interactions',
  model: 'film-1',
  prompt: 'A lighthouse in a storm',
  request: { model: 'film-1', input: 'A lighthouse in a storm', response_format: { duration: '8s' } },
  count: 5,
};

describe('T18 many paid requests at once', () => {
  const settings = () => vscode.workspace.getConfiguration('modelGateway');

  afterEach(async () => {
    await settings().update('tasks.dailyLimit', undefined, vscode.ConfigurationTarget.Global);
    await settings().update('models', undefined, vscode.ConfigurationTarget.Global);
  });

  /** What the user was shown, and whether it may go, when they press a button of that name. */
  async function review(button: string | undefined, changed: Partial<Purchase> = {}, spending = nothing) {
    let allowed: boolean | undefined;
    const [dialog] = await answerDialogs(button, async () => {
      allowed = (await confirmSpending({ ...purchase, ...changed }, () => spending, [])).isGiven;
    });
    return { dialog, allowed };
  }

  it('four are sent by one click without a question', async () => {
    assert.deepEqual(await review(undefined, { count: 4 }), { dialog: undefined, allowed: true });
  });

  it('five are asked about with model, length and number; closing the question sends nothing', async () => {
    const { dialog, allowed } = await review(undefined);
    assert.equal(dialog?.message, 'Send 5 requests to work?');
    for (const fact of ['film-1', '8 s each', 'A lighthouse in a storm', 'price is unknown']) {
      assert.ok(dialog.detail.includes(fact), fact);
    }
    assert.equal(allowed, false);
    assert.equal((await review('Send 5 Requests')).allowed, true);
  });

  it('so is the 21st within an hour', async () => {
    const busy = { inLastHour: 20, inLastDay: 20 };
    const { dialog, allowed } = await review(undefined, { count: 1 }, busy);
    assert.equal(dialog?.message, 'Send one more request to work?');
    assert.ok(dialog.detail.includes('Sent in the last hour: 20'));
    assert.equal(allowed, false);
  });

  it('the price is told, by the user’s own word before the gateway’s list', async () => {
    await settings().update(
      'models',
      [{ models: 'film-*', prices: { perSecond: 0.25, currency: 'EUR' } }],
      vscode.ConfigurationTarget.Global,
    );
    const { dialog } = await review(undefined);
    assert.match(dialog?.detail ?? '', /About €10 in total/);
  });

  it('the Generate page shows what the next click costs, and whose price that is', async () => {
    const prices = [{ models: 'mine/*', prices: { perRequest: 0.004 } }];
    await settings().update('models', prices, vscode.ConfigurationTarget.Global);
    const models = [
      { id: 'maker/clips', owner: '', price: { perSecond: 0.05 } },
      { id: 'maker/stills', owner: '', price: { perRequest: 2 } },
      { id: 'maker/chat', owner: '' },
    ];
    const words = (model: string, parameters: object, count = 1) =>
      priceWords({ ...purchase, route: 'videoSynthesis', model, request: { parameters }, count }, models);
    assert.equal(words('maker/clips', { duration: 8 }, 2), 'About $0.80 (the gateway’s price)');
    assert.equal(words('maker/clips', {}), '$0.05 per second (the gateway’s price)');
    assert.equal(words('maker/stills', {}, 3), 'About $6 (the gateway’s price)');
    assert.equal(words('mine/clips', {}), 'About $0.004 (your price)');
    assert.equal(words('maker/chat', { duration: 8 }), 'Price unknown');
    assert.equal(words('maker/unlisted', {}), 'Price unknown');
  });

  it('videos of the demo cost nothing, which Show Usage does not count as an unknown price', () => {
    const demo = { ...purchase, gateway: localEntry, model: 'demo/video' };
    assert.equal(priceWords(demo, []), 'Free: the demo bills nothing');
    assert.equal(videoCost(demo, [])?.amount, 0);
  });

  it('beyond the daily limit nothing is sent, and the limit can be changed', async () => {
    await settings().update('tasks.dailyLimit', 10, vscode.ConfigurationTarget.Global);
    const { dialog, allowed } = await review(undefined, { count: 1 }, { inLastHour: 0, inLastDay: 10 });
    assert.match(dialog?.message ?? '', /more than your daily limit/);
    assert.deepEqual(dialog?.buttons, ['Change Limit']);
    assert.equal(allowed, false);
    assert.equal((await review(undefined, { count: 1 }, { inLastHour: 0, inLastDay: 9 })).allowed, true);
  });

  it('what another window sends while the question stands counts for the daily limit', async () => {
    await settings().update('tasks.dailyLimit', 10, vscode.ConfigurationTarget.Global);
    const sent = [nothing, { inLastHour: 6, inLastDay: 6 }];
    let allowed: boolean | undefined;
    const dialogs = await answerDialogs('Send 5 Requests', async () => {
      allowed = (await confirmSpending(purchase, () => sent.shift() ?? nothing, [])).isGiven;
    });
    assert.deepEqual(
      dialogs.map(({ message }) => message),
      ['Send 5 requests to work?', 'Nothing was sent: that would be more than your daily limit.'],
    );
    assert.equal(allowed, false);
  });
});
