import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import type { Services } from '../../src/host/app/services.ts';
import { toTaskGateway } from '../../src/host/tasks/task/taskGateways.ts';
import { assertCase, createConnectionCases } from '../support/connectionCases.ts';
import { answerDialogsInTurn } from '../support/dialogs.ts';
import { getServices, useGateway, waitForEvent } from '../support/extensionServices.ts';
import { type FaultServer, startFaultServer } from '../support/faultServer.ts';
import { makeCertificate } from '../support/faultServerCertificates.ts';
import { findClosedPort, replyWithPage, startForwardProxy } from '../support/forwardProxy.ts';
import { readTestAuthority, setHttp, startNamedGateway } from '../support/namedGateway.ts';

const credential = 'canary-credential-of-the-check';
const list = '{"object":"list","data":[{"id":"model-a","object":"model"}]}';
const reply =
  '{"choices":[{"index":0,"message":{"role":"assistant","content":"H"},"finish_reason":"length"}]}';

describe('Check Connection', () => {
  let services: Services;
  let server: FaultServer;
  let status = 200;

  before(async () => {
    services = await getServices();
    server = await startFaultServer(async (connection, { method }) => {
      const body = status === 200 ? (method === 'GET' ? list : reply) : '{"error":{"message":"No such key"}}';
      await connection.respond(status, { 'content-type': 'application/json' }, body);
    });
    await useGateway(services, 'checked', server.baseUrl, credential);
  });

  after(async () => {
    await services.gateways.remove('checked');
    await server.close();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  const listTrialRequests = () => server.requests.filter(({ method }) => method === 'POST');
  const check = (...answers: readonly string[]) =>
    answerDialogsInTurn(answers, () => vscode.commands.executeCommand('modelGateway.checkConnection'));
  const readReport = () => vscode.window.activeTextEditor?.document.getText() ?? '';

  for (const each of createConnectionCases(readTestAuthority)) {
    it(`ends at the step ${each.step} for ${each.title}`, () => assertCase(each));
  }

  it('does not send a request to a model unless the user chooses one', async () => {
    const seen = await check('$(circle-slash) Do Not Ask a Model');
    assert.equal(seen.at(-1)?.message, 'checked is reachable: 1 model.');
    assert.deepEqual(listTrialRequests(), []);
  });

  it('sends the chosen model the smallest request, and shows each step with its time', async () => {
    const seen = await check('$(comment) Ask model-a', 'Show Steps');
    assert.equal(seen.at(-1)?.message, 'checked is reachable: 1 model, and model-a replied.');
    const [request, ...more] = listTrialRequests();
    assert.deepEqual(more, []);
    assert.deepEqual(JSON.parse(request?.body ?? ''), {
      model: 'model-a',
      messages: [{ role: 'user', content: 'Hi' }],
      max_tokens: 1,
    });
    const text = readReport();
    for (const step of ['Address', 'Connection', 'Proxy', 'Model list', 'Credential', 'Request to a model'])
      assert.match(text, new RegExp(`^✓ ${step} `, 'm'));
    assert.match(text, /Model list +[\d.]+ \S+ +1 model/);
    assert.doesNotMatch(text, /canary/);
  });

  it('ends at a refused credential, with its class, its remedy and the steps', async () => {
    status = 401;
    const seen = await check('Show Steps');
    status = 200;
    assert.match(seen.at(-1)?.message ?? '', /^The gateway refused the credential \(HTTP 401\).*No such key/);
    assert.deepEqual(seen.at(-1)?.buttons, ['Set Credential…', 'Show Steps', 'More…']);
    assert.match(readReport(), /^✓ Model list .*\n✗ Credential .*The gateway refused the credential$/m);
    assert.match(readReport(), /^Request ID: \S+$/m);
  });

  it('lists further remedies behind the third button of its notification', async () => {
    status = 401;
    const seen = await check('More…', 'Copy Details');
    status = 200;
    assert.equal(seen.at(-1)?.buttons.at(-1), 'More…');
    assert.match(await vscode.env.clipboard.readText(), /^Failure: authentication\nHTTP status: 401$/m);
  });

  it('checks the gateway of the request or task row where it is chosen, not that of the window', async () => {
    const elsewhere = { name: 'elsewhere', baseUrl: `http://127.0.0.1:${await findClosedPort()}` };
    await services.credentials.store(elsewhere, credential);
    await services.gateways.save(elsewhere);
    await services.gateways.setCurrent('checked');
    const { requestsView, connection, tasks, tasksView } = services;
    const gateway = { kind: 'gateway', ...elsewhere } as const;
    const client = await connection.get(gateway).getClient();
    await client.listModels().catch(() => {});
    const row = requestsView.getChildren()[0] ?? assert.fail('the request is listed');
    assert.match(requestsView.getTreeItem(row).contextValue ?? '', /(^| )check-connection( |$)/);
    const [{ requestId } = { requestId: '' }] = services.requests.recent;
    const order = {
      ...toTaskGateway(gateway),
      route: 'videoSynthesis',
      model: 'v',
      prompt: 'x',
      request: { model: 'v' },
    } as const;
    const [task = assert.fail('there is a task')] = await tasks.create(order, randomUUID(), 1);
    await waitForEvent(tasks.onDidChange, () => !tasks.isInFlight(tasks.get(task.key) ?? task));
    const taskRow = { kind: 'task', key: task.key };
    assert.match(
      tasksView
        .getChildren()
        .flatMap((group) => tasksView.getChildren(group))
        .map((each) => tasksView.getTreeItem(each).contextValue)
        .join('\n'),
      /^task .*(^| )check-connection( |$)/m,
    );
    const checkFrom = async (argument: unknown) => {
      const seen = await answerDialogsInTurn(['Show Steps'], () =>
        vscode.commands.executeCommand('modelGateway.checkConnection', argument),
      );
      assert.match(readReport(), /^Connection to elsewhere$/m);
      return seen.at(-1)?.message;
    };
    for (const argument of [row, taskRow, { requestId }])
      assert.match((await checkFrom(argument)) ?? '', /refuses connections/);
    await services.gateways.remove('elsewhere');
    const seen = await answerDialogsInTurn([], () =>
      vscode.commands.executeCommand('modelGateway.checkConnection', row),
    );
    assert.equal(seen.at(-1)?.message, 'The gateway “elsewhere” no longer exists.');
    await tasks.remove(task.key);
  });

  it('reports the certificates presented behind a proxy without sending a request over that connection', async () => {
    const gateway = await startNamedGateway(makeCertificate({ name: 'Nobody', authority: true }));
    const proxy = await startForwardProxy({ target: gateway.server.port });
    await setHttp({ proxy: proxy.url });
    await useGateway(services, 'behind', gateway.baseUrl, credential);
    try {
      const seen = await check('Show Steps');
      assert.match(
        seen.at(-1)?.message ?? '',
        /unknown authority.*through the proxy|through the proxy.*unknown authority/,
      );
      assert.match(readReport(), /^✓ Proxy .*\n✗ Secure connection \(TLS\)/m);
      assert.match(readReport(), /Certificates presented\n1\. gateway\.model\.test\n {3}Issued by: Nobody\n/);
      assert.doesNotMatch(JSON.stringify(proxy.connectRequests), new RegExp(credential));
      assert.deepEqual(gateway.server.requests, []);
    } finally {
      await setHttp({ proxy: undefined });
      await services.gateways.remove('behind');
      await services.gateways.setCurrent('checked');
      await proxy.close();
      await gateway.close();
    }
  });

  it('reports with VS Code’s own network stack that a proxy refuses a connection', async () => {
    const gateway = await startNamedGateway(readTestAuthority());
    const proxy = await startForwardProxy({ fault: replyWithPage(403) });
    await setHttp({ proxy: proxy.url });
    await useGateway(services, 'behind', gateway.baseUrl, credential);
    try {
      const seen = await check('Show Steps');
      assert.match(seen.at(-1)?.message ?? '', /^The proxy 127\.0\.0\.1:\d+ refused to connect/);
      assert.match(readReport(), /^✓ Connection .*to 127\.0\.0\.1:\d+\n✗ Proxy /m);
      assert.deepEqual(gateway.lookedUp, []);
    } finally {
      await setHttp({ proxy: undefined });
      await services.gateways.remove('behind');
      await services.gateways.setCurrent('checked');
      await proxy.close();
      await gateway.close();
    }
  });
});
