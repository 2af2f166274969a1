import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Services } from '../../src/host/app/services.ts';
import { toTaskGateway } from '../../src/host/tasks/task/taskGateways.ts';
import type { Task } from '../../src/tasks/record/task.ts';
import { getServices, useGateway, waitForEvent } from '../support/extensionServices.ts';

const tenants = ['/a', '/b'] as const;

describe('two tenants under one origin', () => {
  let services: Services;
  let server: Server;
  let origin: string;
  const requests: string[] = [];

  before(async () => {
    services = await getServices();
    server = createServer(({ method, url = '', headers }, response) => {
      requests.push(`${method} ${url} ${headers.authorization}`);
      const tenant = url.slice(0, 2);
      const record = {
        id: 'task-1',
        status: method === 'POST' ? 'queued' : 'failed',
        error: { message: `by ${tenant}` },
      };
      const list = url.includes('/v1/tasks?') ? { object: 'list', data: [record] } : undefined;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(list ?? record));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  after(async () => {
    for (const tenant of tenants) await services.gateways.remove(`tenant ${tenant}`);
    server.closeAllConnections();
    server.close();
  });

  it('are two gateways, each with its own tasks and its own credential, even with equal task ids', async () => {
    const keys: string[] = [];
    for (const tenant of tenants) {
      await useGateway(services, `tenant ${tenant}`, origin + tenant, `canary-credential-${tenant.slice(1)}`);
      const { gateway } = services.connection.state;
      assert.ok(gateway);
      const request = { model: 'film-1', input: { prompt: 'a cat' } };
      const order = {
        ...toTaskGateway(gateway),
        route: 'videoSynthesis',
        model: 'film-1',
        prompt: 'a cat',
        request,
      } as const;
      const [task] = await services.tasks.create(order, randomUUID(), 1);
      keys.push(task?.key ?? '');
    }
    await waitForEvent(services.tasks.onDidChange, () =>
      keys.every((key) => getTask(key).status === 'failed'),
    );
    assert.deepEqual(
      keys.map((key) => [getTask(key).taskId, getTask(key).gateway, getTask(key).problem?.message]),
      tenants.map((tenant) => ['task-1', origin + tenant, `by ${tenant}`]),
    );
    for (const request of requests) {
      const [, tenant] = /^\S+ \/(a|b)\//.exec(request) ?? [];
      assert.ok(request.endsWith(`Bearer canary-credential-${tenant}`), request);
    }
    const [first = '', second = ''] = keys;
    services.tasks.remove(first);
    await services.remoteTasks.refresh();
    assert.deepEqual(services.remoteTasks.tasks, [], 'the task of the other tenant is known');
    services.tasks.remove(second);
    assert.equal(services.remoteTasks.tasks.length, 1);
  });

  function getTask(key: string): Task {
    const task = services.tasks.get(key);
    assert.ok(task);
    return task;
  }
});
