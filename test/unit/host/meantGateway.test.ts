import assert from 'node:assert/strict';
import type { Services } from '../../../src/host/app/services.ts';
import { meantGateway } from '../../../src/host/gateway/meantGateway.ts';

const request = { id: 'row-1', requestId: 'r-1', gateway: 'of the request' };
const tasks: Readonly<Record<string, { readonly gateway: string; readonly gatewayName: string }>> = {
  known: { gateway: 'https://there', gatewayName: 'as it was called' },
  gone: { gateway: 'https://nowhere', gatewayName: 'one that is gone' },
};

const services = {
  requests: {
    find: (id: string) => (id === request.id ? request : undefined),
    findSent: (id: string) => (id === request.requestId ? request : undefined),
  },
  tasks: { get: (key: string) => tasks[key] },
  taskGateways: {
    configured: (id: string) => (id === 'https://there' ? { name: 'as it is called now' } : undefined),
  },
} as unknown as Services;

describe('the gateway that a command is for', () => {
  const cases: readonly (readonly [title: string, given: unknown, name: string | undefined])[] = [
    ['the one that is named', 'work', 'work'],
    ['that of the row of a request', { kind: 'request', id: 'row-1' }, 'of the request'],
    ['that of a failed request, by its id', { requestId: 'r-1' }, 'of the request'],
    ['that of a task, as it is called now', { kind: 'task', key: 'known' }, 'as it is called now'],
    ['that of a task, also where it is gone', { kind: 'task', key: 'gone' }, 'one that is gone'],
    ['that of the window, where nothing is given', undefined, undefined],
    ['that of the window, for a notice among the models', { kind: 'notice', label: 'x' }, undefined],
    ['that of the window, for a request that is forgotten', { kind: 'request', id: 'row-2' }, undefined],
  ];
  for (const [title, given, name] of cases)
    it(`is ${title}`, () => assert.equal(meantGateway(services, given), name));
});
