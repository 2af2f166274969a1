import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Services } from '../../src/host/app/services.ts';
import { answerDialogs, typeIntoInputs } from '../support/dialogs.ts';
import { getServices } from '../support/extensionServices.ts';

describe('P17 spending limits', () => {
  let services: Services;

  before(async () => {
    services = await getServices();
  });
  afterEach(() => set('spendingLimits', undefined));

  function set(key: string, value: unknown) {
    return vscode.workspace
      .getConfiguration('modelGateway')
      .update(key, value, vscode.ConfigurationTarget.Global);
  }

  function raise() {
    return vscode.commands.executeCommand('modelGateway.raiseSpendingLimit');
  }

  it('cannot be raised while the setting is invalid, with the invalid field and the next step', async () => {
    await set('spendingLimits', [{ per: 'week', money: 5 }]);
    const [notice] = await answerDialogs(undefined, raise);
    assert.match(notice?.message ?? '', /spendingLimits.*per/);
    assert.deepEqual(notice?.buttons, ['Open Spending Limits']);
  });

  it('are raised by the entered amount, and never by more than it can mean', async () => {
    for (const [entry, entered, raised] of [
      [{ money: 1 }, '1000.5', 1_000.5e9],
      [{ money: 3 }, '1,500', 1.5e9],
      [{ money: 2 }, '0,5', 0.5e9],
      [{ tokens: 1_000 }, '1.000.000', 1_000_000],
      [{ tokens: 2_000 }, '5 000', 5_000],
    ] as const) {
      await set('spendingLimits', [{ per: 'day', ...entry }]);
      const before = (await services.spending.uses())[0]?.allowed ?? Number.NaN;
      await answerDialogs(undefined, () => typeIntoInputs([entered], raise));
      assert.equal((await services.spending.uses())[0]?.allowed, before + raised, entered);
    }
  });

  it('are not raised by an amount that can be read in two ways', async () => {
    for (const [entry, entered] of [
      [{ money: 1 }, '1,000.5'],
      [{ money: 1 }, '1e9'],
      [{ tokens: 1_000 }, '1.5'],
      [{ tokens: 1_000 }, '10,00'],
    ] as const) {
      await set('spendingLimits', [{ per: 'day', ...entry }]);
      const [input] = await typeIntoInputs([entered], raise);
      assert.equal(input?.problem, 'Enter a number greater than 0.', entered);
    }
  });
});
