import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Services } from '../../src/host/app/services.ts';
import { answerDialogs, answerDialogsInTurn, typeIntoInputs } from '../support/dialogs.ts';
import { catchFailure, getServices } from '../support/extensionServices.ts';

/** This host does not receive requests: the address is in a private network. */
const inPrivate = 'http://10.255.255.1:9';

describe('plain http to a private network', () => {
  let services: Services;

  before(async () => {
    services = await getServices();
  });

  afterEach(() => services.plainHttp.withdraw(inPrivate));

  it('T5 is allowed by one clear question, for that origin only', async () => {
    const [dialogs, ...more] = await answerDialogs('Allow', async () => {
      assert.equal(await services.plainHttp.requestConsent(`${inPrivate}/v1`), true);
      assert.equal(await services.plainHttp.requestConsent(inPrivate), true);
    });
    assert.equal(more.length, 0, 'the user is prompted once');
    assert.equal(dialogs?.message, 'Send to 10.255.255.1:9 without encryption?');
    assert.match(dialogs?.detail ?? '', /can read the credential, your questions and the replies\./);
    assert.match(dialogs?.detail ?? '', /not be asked again for this address/);
    assert.doesNotMatch(dialogs?.detail ?? '', /10\.255/, 'the address is named once');
    assert.deepEqual(dialogs?.buttons, ['Change Address…', 'Allow'], 'Enter takes the first one');
    assert.ok(services.plainHttp.isGiven(inPrivate));
    for (const other of ['http://10.255.255.2:9', 'http://10.255.255.1:10']) {
      assert.ok(!services.plainHttp.isGiven(other), other);
    }
  });

  it('T5 is not used if the user declines, and https is offered', async () => {
    for (const answer of [undefined, 'Change Address…'])
      await answerDialogs(answer, async () =>
        assert.equal(await services.plainHttp.requestConsent(inPrivate), false),
      );
    assert.equal(services.plainHttp.suggestAddress(inPrivate), 'https://10.255.255.1:9');
    const boxes = await typeIntoInputs([inPrivate], () =>
      answerDialogs(undefined, () => vscode.commands.executeCommand('modelGateway.connect')),
    );
    assert.deepEqual(
      boxes.map(({ value }) => value),
      ['', 'https://10.255.255.1:9'],
    );
  });

  it('stays allowed until the last gateway at its origin is removed', async () => {
    const names = ['near one', 'near two'];
    await answerDialogs('Allow', () => services.plainHttp.requestConsent(inPrivate));
    for (const [nth, name] of names.entries()) {
      await services.gateways.save({ name, baseUrl: `${inPrivate}/${nth}` });
    }
    const allowed: boolean[] = [];
    for (const name of names) {
      // A single gateway is removed without a choice.
      const chosen = services.gateways.all.length > 1 ? [name] : [];
      await answerDialogsInTurn(['$(trash) Remove…', ...chosen, 'Remove'], () =>
        vscode.commands.executeCommand('modelGateway.manageGateway'),
      );
      allowed.push(services.plainHttp.isGiven(inPrivate));
    }
    assert.deepEqual(allowed, [true, false]);
  });

  it('T5 is refused to public addresses without a question, also in hand-written settings', async () => {
    const [dialog] = await answerDialogs('Allow', async () => {
      assert.equal(await services.plainHttp.requestConsent('http://203.0.113.7'), false);
    });
    assert.match(dialog?.message ?? '', /203\.0\.113\.7 is not in a private network/);
    const client = await services.connection.openEndpoint({
      baseUrl: inPrivate,
      credential: async () => 'canary-credential',
    });
    const { explanation, reason } = await catchFailure(client.listModels());
    assert.deepEqual([explanation.id, reason], ['base-url-plain-http', 'unusable-address']);
    await client.close();
  });
});
