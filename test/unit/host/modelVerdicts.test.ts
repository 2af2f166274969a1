import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import type { ModelVerification } from '../../../src/client/verifyModels.ts';
import { ModelVerdicts } from '../../../src/host/models/modelVerdicts.ts';
import { explain } from '../../../src/wire/explanations/explanation.ts';
import { GatewayError } from '../../../src/wire/failures/gatewayError.ts';

const gateway = { kind: 'gateway', name: 'work', baseUrl: 'https://gateway.example' } as const;
const requestedAt = new Date('2026-01-02T03:04:05Z');

/** A memento that keeps JSON, as VS Code does over a restart. */
function createMemento(stored = new Map<string, string>()): vscode.Memento {
  const memento = {
    keys: () => [...stored.keys()],
    get: (key: string) => JSON.parse(stored.get(key) ?? 'null') ?? undefined,
    update: async (key: string, value: unknown) => void stored.set(key, JSON.stringify(value)),
  };
  return memento as vscode.Memento;
}

const verification = (model: string, error?: GatewayError): ModelVerification => ({
  model,
  format: 'chatCompletions',
  trial: { requestedAt, ms: 411.6, requestId: 'id-1', ...(error && { error }) },
});

const refusal = new GatewayError({
  kind: 'model-unavailable',
  status: 404,
  requestedAt,
  requestId: 'id-1',
  explanation: explain('model-unavailable', { httpStatus: 404 }),
  gatewayMessage: 'No such model',
});

describe('stored results of verified models', () => {
  it('survive a restart with result, latency, request id and date', async () => {
    const stored = new Map<string, string>();
    const before = new ModelVerdicts(createMemento(stored));
    await before.store(gateway, [verification('good'), verification('bad', refusal)]);
    const verdicts = new ModelVerdicts(createMemento(stored)).of(gateway);
    assert.deepEqual(verdicts.get('good'), { at: requestedAt.getTime(), ms: 412, requestId: 'id-1' });
    const { failure } = verdicts.get('bad') ?? {};
    assert.equal(failure?.title, 'The model is not available');
    assert.equal(failure?.explanation.id, 'model-unavailable');
    assert.equal(failure?.gatewayMessage, 'No such model');
  });

  it('belong to their gateway under any name, and the last result replaces earlier ones', async () => {
    const verdicts = new ModelVerdicts(createMemento());
    await verdicts.store(gateway, [verification('m', refusal)]);
    await verdicts.store({ ...gateway, name: 'other' }, [verification('x')]);
    await verdicts.store(gateway, [verification('m')]);
    assert.equal(verdicts.of({ ...gateway, name: 'renamed', id: 'work' }).get('m')?.failure, undefined);
    assert.deepEqual([...verdicts.of(gateway).keys()], ['m']);
  });

  it('are limited to the latest 2,000 of a gateway', async () => {
    const verdicts = new ModelVerdicts(createMemento());
    await verdicts.store(
      gateway,
      Array.from({ length: 2100 }, (_, nth) => verification(`m${nth}`)),
    );
    assert.equal(verdicts.of(gateway).size, 2000);
    assert.ok(verdicts.of(gateway).has('m2099'));
  });

  it('are skipped if they are unreadable', () => {
    const stored = new Map([
      ['verifiedModels/gateway/work', '{"a":1,"b":{"at":1,"ms":2,"failure":{}},"c":{"at":1,"ms":2}}'],
    ]);
    assert.deepEqual([...new ModelVerdicts(createMemento(stored)).of(gateway).keys()], ['c']);
  });
});
