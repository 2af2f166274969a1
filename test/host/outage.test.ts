import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { Services } from '../../src/host/app/services.ts';
import { catchFailure, getServices, useGateway, waitForEvent } from '../support/extensionServices.ts';
import { chatRequest } from '../support/faultServerCalls.ts';
import { type ScriptedGateway, startScriptedGateway } from '../support/scriptedGateway.ts';

describe('a gateway that becomes unreachable', () => {
  let services: Services;
  let gateway: ScriptedGateway;

  before(async () => {
    services = await getServices();
  });

  after(async () => {
    for (const name of ['outage', 'outage-mid-reply', 'outage-over']) await services.gateways.remove(name);
  });

  async function connect(name: string, reply: (response: ServerResponse) => void): Promise<void> {
    gateway = await startScriptedGateway(['kept'], reply);
    await useGateway(services, name, gateway.baseUrl, 'test-credential');
    await services.connection.refresh();
  }

  function outage() {
    return services.connection.state.outage;
  }

  it('is detected by any request, and the old rows remain below a row with the reason and the time', async () => {
    await connect('outage', (response) => response.end());
    await gateway.close();
    const client = await services.connection.getClient();
    await catchFailure(client.readTask('some-task'));
    assert.equal(outage()?.error.reason, 'refused');
    const [first, owner] = services.modelsView.getChildren();
    assert(first?.kind === 'notice');
    assert.equal(first.item.label, 'Not reachable');
    assert.match(String(first.item.description), /^since .*, showing the last list$/);
    assert.equal(first.item.command?.command, 'modelGateway.refreshModels');
    assert.equal(owner?.kind, 'group');
  });

  it('is checked, at no cost, when a reply breaks off', async () => {
    await connect('outage-mid-reply', (response) => {
      response.write('data: {}\n\n', () => void gateway.close());
    });
    const client = await services.connection.getClient();
    const { outcome } = await client.chatCompletions(chatRequest, () => {});
    assert.notEqual(outcome.kind, 'complete');
    await waitForEvent(services.connection.onDidChange, () => outage() !== undefined);
    assert.equal(services.connection.state.phase, 'ready', 'the row has no failure of its own');
  });

  it('is reachable again with its first reply, even a refusal', async () => {
    await connect('outage-over', (response) => response.writeHead(404).end('{}'));
    const client = await services.connection.getClient();
    const { current } = services.connection;
    current?.recordExchange({
      route: 'readTask',
      method: 'GET',
      url: gateway.baseUrl,
      requestId: 'r',
      requestedAt: new Date(),
      totalMs: 1,
      bytesReceived: 0,
      transport: 'undici',
      error: await createRefusal(),
    });
    assert.equal(outage()?.error.reason, 'refused');
    await catchFailure(client.readTask('x'));
    assert.equal(outage(), undefined);
    await gateway.close();
  });

  async function createRefusal() {
    const stoppedGateway = await startScriptedGateway([], () => {});
    await stoppedGateway.close();
    const client = await services.connection.openEndpoint({
      baseUrl: stoppedGateway.baseUrl,
      credential: async () => undefined,
    });
    return catchFailure(client.listModels());
  }
});
