import assert from 'node:assert/strict';
import { type Database, openDatabase } from '../../../src/storage/database.ts';
import { gatewayId, isOriginOnly, originOnlyId } from '../../../src/tasks/gatewayId.ts';
import { ledgerMigrations } from '../../../src/tasks/ledger/ledgerSchema.ts';
import { Ledger } from '../../../src/tasks/ledger.ts';
import { DatabaseFolder } from '../../support/databaseFolder.ts';
import { draft, openLedgerDatabase, snapshot } from '../../support/ledgers.ts';

const a = 'https://host.example/a';
const b = 'https://host.example/b';
const any = 'https://host.example/*';

describe('the name of a gateway', () => {
  for (const [one, other] of [
    ['https://Host.Example/a', 'https://host.example/a/'],
    ['https://host.example:443/a', 'https://host.example/a//'],
    ['https://host.example', 'https://host.example/'],
    ['https://host.example/t%2fx', 'https://host.example/t%2Fx'],
    ['https://host.example/x/../a', 'https://host.example/a'],
    ['https://bücher.example/a', 'https://xn--bcher-kva.example/a'],
    ['https://host.example/a?x=1#y', 'https://host.example/a'],
  ] as const) {
    it(`is the same for ${one} and ${other}`, () => assert.equal(gatewayId(one), gatewayId(other)));
  }

  for (const [one, other] of [
    [a, b],
    [a, 'https://host.example'],
    [a, 'https://host.example/A'],
    [a, 'http://host.example/a'],
    [a, 'https://host.example:8443/a'],
    [a, 'https://host.example/a/v1'],
  ] as const) {
    it(`is another for ${one} and ${other}`, () => assert.notEqual(gatewayId(one), gatewayId(other)));
  }

  it('of any gateway at an origin is that of none', () => {
    assert.deepEqual([originOnlyId(a), originOnlyId(any), originOnlyId('demo')], [any, any, 'demo']);
    assert.deepEqual([a, any, 'https://host.example', 'demo'].map(isOriginOnly), [false, true, false, false]);
  });
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
    ledger.create(draft(key, { gateway }));
    ledger.claimSubmit(key, `request-${key}`);
    ledger.accept(key, taskId);
  }

  it('are renamed each on its own, with the tasks of which only the origin is known', () => {
    const ledger = open();
    for (const [key, gateway, gatewayName] of [
      ['own', a, 'first'],
      ['origin', any, 'first'],
      ['others', a, 'second'],
      ['elsewhere', b, 'first'],
    ] as const) {
      ledger.create(draft(key, { gateway, gatewayName }));
    }
    ledger.renameGateway({ gateway: a, from: 'first', to: 'renamed' });
    const names = ['own', 'origin', 'others', 'elsewhere'].map((key) => ledger.get(key)?.gatewayName);
    assert.deepEqual(names, ['renamed', 'renamed', 'second', 'first']);
  });

  it('have tasks of the same id, each its own', () => {
    const ledger = open();
    accepted(ledger, 'one', a, '1');
    accepted(ledger, 'other', b, '1');
    assert.deepEqual([ledger.find(a, '1')?.key, ledger.find(b, '1')?.key], ['one', 'other']);
    assert.equal(ledger.find('https://host.example', '1'), undefined);
    const adopted = ledger.adopt({ gateway: b, gatewayName: 'b', snapshot: snapshot({ id: '2' }) });
    assert.equal(ledger.find(a, '2'), undefined);
    assert.equal(ledger.find(b, '2')?.key, adopted.key);
  });

  for (let version = 1; version < ledgerMigrations.length; version++) {
    describe(`from a ledger of version ${version}`, () => {
      function fillOld(): void {
        const old = openDatabase({ path: folder.file(), migrations: ledgerMigrations.slice(0, version) });
        const insert = (key: string, gateway: string, gatewayName: string, taskId: string | null) =>
          old.run(
            `INSERT INTO tasks (key, gateway, profile, route, model, prompt, stage, taskId, intendedAt, submittedAt, owner)
             VALUES (?, ?, ?, 'interactions', 'm', 'p', 'running', ?, ?, 1, 'w')`,
            ...[key, gateway, gatewayName, taskId, opened.length],
          );
        const isNamed = version >= namedVersion;
        insert('of a', isNamed ? any : 'https://host.example', 'tenant a', '1');
        insert('of b', isNamed ? any : 'https://host.example', 'tenant b', '2');
        insert('of nobody', isNamed ? any : 'https://host.example', 'gone', '3');
        insert('elsewhere', isNamed ? 'https://other.example/*' : 'https://other.example', 'other', null);
        insert('demo', 'demo', 'Demo gateway', '1');
        old.close();
      }
      const namedVersion = ledgerMigrations.findIndex((script) => script.includes("'/*'")) + 1;

      const named: Readonly<Record<string, string>> = {
        'tenant a': a,
        'tenant b': b,
        other: 'https://other.example',
      };
      const gateways = (ledger: Ledger) => new Map(ledger.list().map(({ key, gateway }) => [key, gateway]));

      it('tasks go to the gateway whose name they bear, the others to any at their origin', () => {
        fillOld();
        const ledger = open();
        ledger.assignGateways((_, gatewayName) => named[gatewayName]);
        assert.deepEqual(Object.fromEntries(gateways(ledger)), {
          'of a': a,
          'of b': b,
          'of nobody': any,
          elsewhere: 'https://other.example',
          demo: 'demo',
        });
        assert.deepEqual([ledger.find(a, '1')?.key, ledger.find(b, '1')], ['of a', undefined]);
        assert.equal(ledger.find(b, '3')?.key, 'of nobody');
      });

      it('and those come to it later, when that name is there again', () => {
        fillOld();
        const ledger = open();
        let told = 0;
        ledger.onDidChange(() => told++);
        ledger.assignGateways(() => undefined);
        assert.equal(told, 0);
        ledger.assignGateways((_, gatewayName) => (gatewayName === 'gone' ? b : undefined));
        assert.deepEqual(
          [gateways(ledger).get('of nobody'), gateways(ledger).get('of a'), told],
          [b, any, 1],
        );
      });

      it('a task that is known already is not taken in twice', () => {
        fillOld();
        const ledger = open();
        assert.equal(
          ledger.adopt({ gateway: b, gatewayName: 'b', snapshot: snapshot({ id: '3' }) }).key,
          'of nobody',
        );
      });
    });
  }
});
