import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { localEntry } from '../../src/host/connection/gateways.ts';
import { readVideoSeconds, videoCost } from '../../src/host/models/videoCost.ts';
import { confirmSpending, describePrice, type Purchase } from '../../src/host/tasks/purchase/purchase.ts';
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

  /** The dialog, and whether the purchase is allowed when the user presses the button of that name. */
  async function review(button: string | undefined, changed: Partial<Purchase> = {}, spending = nothing) {
    let allowed: boolean | undefined;
    const [dialog] = await answerDialogs(button, async () => {
      allowed = (await confirmSpending({ ...purchase, ...changed }, () => spending, [])).isGiven;
    });
    return { dialog, allowed };
  }

  it('are sent by one click without a question up to four', async () => {
    assert.deepEqual(await review(undefined, { count: 4 }), { dialog: undefined, allowed: true });
  });

  it('need confirmation from five on, with model, length and number, and are not sent if the dialog is closed', async () => {
    const { dialog, allowed } = await review(undefined);
    assert.equal(dialog?.message, 'Send 5 requests to work?');
    for (const fact of ['film-1', '8 s each', 'A lighthouse in a storm', 'price is unknown']) {
      assert.ok(dialog.detail.includes(fact), fact);
    }
    assert.equal(allowed, false);
    assert.equal((await review('Send 5 Requests')).allowed, true);
  });

  it('need confirmation from the 21st within an hour on', async () => {
    const busy = { inLastHour: 20, inLastDay: 20 };
    const { dialog, allowed } = await review(undefined, { count: 1 }, busy);
    assert.equal(dialog?.message, 'Send one more request to work?');
    assert.ok(dialog.detail.includes('Sent in the last hour: 20'));
    assert.equal(allowed, false);
  });

  it('are confirmed with the price, from the user’s setting rather than the gateway’s list', async () => {
    await settings().update(
      'models',
      [{ models: 'film-*', prices: { perSecond: 0.25, currency: 'EUR' } }],
      vscode.ConfigurationTarget.Global,
    );
    const { dialog } = await review(undefined);
    assert.match(dialog?.detail ?? '', /About €10 in total/);
  });

  it('have their price and its source shown by the Generate page', async () => {
    const prices = [{ models: 'mine/*', prices: { perRequest: 0.004 } }];
    await settings().update('models', prices, vscode.ConfigurationTarget.Global);
    const models = [
      { id: 'maker/clips', owner: '', price: { perSecond: 0.05 } },
      { id: 'maker/stills', owner: '', price: { perRequest: 2 } },
      { id: 'maker/chat', owner: '' },
    ];
    const words = (model: string, parameters: object, count = 1) =>
      describePrice({ ...purchase, route: 'videoSynthesis', model, request: { parameters }, count }, models);
    assert.equal(words('maker/clips', { duration: 8 }, 2), 'About $0.80 (the gateway’s price)');
    assert.equal(words('maker/clips', {}), '$0.05 per second (the gateway’s price)');
    assert.equal(words('maker/stills', {}, 3), 'About $6 (the gateway’s price)');
    assert.equal(words('mine/clips', {}), 'About $0.004 (your price)');
    assert.equal(words('maker/stills', { n: 4 }), 'About $8 (the gateway’s price)');
    assert.equal(words('maker/clips', { duration: 8, n: '2' }, 2), 'About $1.60 (the gateway’s price)');
    assert.equal(words('maker/stills', { n: 'many' }), 'Price unknown');
    assert.equal(words('maker/clips', { duration: -1 }), '$0.05 per second (the gateway’s price)');
    assert.equal(words('maker/chat', { duration: 8 }), 'Price unknown');
    assert.equal(words('maker/unlisted', {}), 'Price unknown');
  });

  it('are free at the demo, and do not count as an unknown price in Show Usage', () => {
    const demo = { ...purchase, gateway: localEntry, model: 'demo/video' };
    assert.equal(describePrice(demo, []), 'Free: the demo is not billed');
    assert.equal(videoCost(demo, [])?.amount, 0);
  });

  it('have a length in seconds only if it is a number or text', () => {
    const response_format = { duration: JSON.parse('{"toString":1}') };
    assert.equal(readVideoSeconds({ request: { response_format } }), undefined);
    assert.equal(readVideoSeconds(purchase), 8);
  });

  it('have the longest length of all fields, because the gateway chooses one', () => {
    const request = { seconds: '1', response_format: { duration: '8s' }, metadata: { duration: 60 } };
    assert.equal(readVideoSeconds({ request }), 60);
  });

  it('are not sent beyond the daily limit, and the limit can be changed', async () => {
    await settings().update('tasks.dailyLimit', 10, vscode.ConfigurationTarget.Global);
    const { dialog, allowed } = await review(undefined, { count: 1 }, { inLastHour: 0, inLastDay: 10 });
    assert.match(dialog?.message ?? '', /exceed your daily limit/);
    assert.deepEqual(dialog?.buttons, ['Change Limit']);
    assert.equal(allowed, false);
    assert.equal((await review(undefined, { count: 1 }, { inLastHour: 0, inLastDay: 9 })).allowed, true);
  });

  it('count for the daily limit if another window sends them while the dialog is open', async () => {
    await settings().update('tasks.dailyLimit', 10, vscode.ConfigurationTarget.Global);
    const sent = [nothing, { inLastHour: 6, inLastDay: 6 }];
    let allowed: boolean | undefined;
    const dialogs = await answerDialogs('Send 5 Requests', async () => {
      allowed = (await confirmSpending(purchase, () => sent.shift() ?? nothing, [])).isGiven;
    });
    assert.deepEqual(
      dialogs.map(({ message }) => message),
      ['Send 5 requests to work?', 'Nothing was sent: this would exceed your daily limit.'],
    );
    assert.equal(allowed, false);
  });
});
