import assert from 'node:assert/strict';
import type { Database } from '../../../src/storage/database.ts';
import { Ledger } from '../../../src/tasks/ledger/ledger.ts';
import { toGatewayId } from '../../../src/tasks/record/task.ts';
import { DatabaseFolder } from '../../support/databaseFolder.ts';
import { createDraft, createSnapshot, openLedgerDatabase } from '../../support/ledgers.ts';

const a = 'https://host.example/a';
const b = 'https://host.example/b';

describe('the id of a gateway', () => {
  for (const [one, other] of [
    ['https://Host.Example/a', 'https://host.example/a/'],
    ['https://host.example:443/a', 'https://host.example/a//'],
    ['https://host.example', 'https://host.example/'],
    ['https://host.example/t%2fx', 'https://host.example/t%2Fx'],
    ['https://host.example/x/../a', 'https://host.example/a'],
    ['https://bücher.example/a', 'https://xn--bcher-kva.example/a'],
    ['https://host.example/a?x=1#y', 'https://host.example/a'],
  ] as const) {
    it(`is the same for ${one} and ${other}`, () => assert.equal(toGatewayId(one), toGatewayId(other)));
  }

  for (const [one, other] of [
    [a, b],
    [a, 'https://host.example'],
    [a, 'https://host.example/A'],
    [a, 'http://host.example/a'],
    [a, 'https://host.example:8443/a'],
    [a, 'https://host.example/a/v1'],
  ] as const) {
    it(`differs for ${one} and ${other}`, () => assert.notEqual(toGatewayId(one), toGatewayId(other)));
  }
});

describe('two tenants under one origin in the ledger', () => {
  let folder: DatabaseFolder;
  const opened: Database[] = [];

  beforeEach(() => {
    folder = new DatabaseFolder();
  });
  afterEach(() => {
    for (const database of opened.splice(0)) database.close();
    folder.remove();
  });

  function open(): Ledger {
    const database = openLedgerDatabase(folder.file());
    opened.push(database);
    return new Ledger(database, { window: 'w' });
  }

  function accepted(ledger: Ledger, key: string, gateway: string, taskId: string): void {
    ledger.create(createDraft(key, { gateway }));
    ledger.claimSubmission(key, `request-${key}`);
    ledger.accept(key, taskId);
  }

  it('are renamed independently', () => {
    const ledger = open();
    for (const [key, gateway, gatewayName] of [
      ['own', a, 'first'],
      ['others', a, 'second'],
      ['elsewhere', b, 'first'],
    ] as const) {
      ledger.create(createDraft(key, { gateway, gatewayName }));
    }
    ledger.renameGateway({ gateway: a, from: 'first', to: 'renamed' });
    const names = ['own', 'others', 'elsewhere'].map((key) => ledger.get(key)?.gatewayName);
    assert.deepEqual(names, ['renamed', 'second', 'first']);
  });

  it('can have tasks with the same id', () => {
    const ledger = open();
    accepted(ledger, 'one', a, '1');
    accepted(ledger, 'other', b, '1');
    assert.deepEqual([ledger.find(a, '1')?.key, ledger.find(b, '1')?.key], ['one', 'other']);
    assert.equal(ledger.find('https://host.example', '1'), undefined);
    const adopted = ledger.adopt({ gateway: b, gatewayName: 'b', snapshot: createSnapshot({ id: '2' }) });
    assert.equal(ledger.find(a, '2'), undefined);
    assert.equal(ledger.find(b, '2')?.key, adopted.key);
  });
});
