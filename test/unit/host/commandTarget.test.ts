import assert from 'node:assert/strict';
import type { Services } from '../../../src/host/app/services.ts';
import { findTargetGatewayName } from '../../../src/host/gateway/commandTarget.ts';

const request = { id: 'row-1', requestId: 'r-1', gateway: 'of the request' };
const tasks: Readonly<Record<string, { readonly gateway: string; readonly gatewayName: string }>> = {
  known: { gateway: 'https://there', gatewayName: 'former name' },
  gone: { gateway: 'https://nowhere', gatewayName: 'removed gateway' },
};

/** An object without a text form. */
const strange = { toString: 1 };

const services = {
  requests: {
    find: (id: string) => (id === request.id ? request : undefined),
    findSent: (id: string) => (id === request.requestId ? request : undefined),
  },
  tasks: { get: (key: string) => tasks[key] },
  taskGateways: {
    findConfigured: (id: string) => (id === 'https://there' ? { name: 'current name' } : undefined),
  },
} as unknown as Services;

describe('the gateway that a command is for', () => {
  const cases: readonly (readonly [title: string, given: unknown, name: string | undefined])[] = [
    ['the named gateway', 'work', 'work'],
    ['the gateway of a request row', { kind: 'request', id: 'row-1' }, 'of the request'],
    ['the gateway of a failed request, by its id', { requestId: 'r-1' }, 'of the request'],
    ['the gateway of a task, by its current name', { kind: 'task', key: 'known' }, 'current name'],
    ['the gateway of a task, even if it was removed', { kind: 'task', key: 'gone' }, 'removed gateway'],
    ['the gateway of the window if nothing is given', undefined, undefined],
    ['the gateway of the window for a notice among the models', { kind: 'notice', label: 'x' }, undefined],
    ['the gateway of the window for a task whose key is not text', { kind: 'task', key: strange }, undefined],
    [
      'the gateway of the window for a request whose ID is not text',
      { kind: 'request', id: strange },
      undefined,
    ],
    ['the gateway of the window for an unknown request', { kind: 'request', id: 'row-2' }, undefined],
  ];
  for (const [title, argument, name] of cases)
    it(`is ${title}`, () => assert.equal(findTargetGatewayName(services, argument), name));
});
