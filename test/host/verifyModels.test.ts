import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Services } from '../../src/host/app/services.ts';
import { answerDialogsInTurn } from '../support/dialogs.ts';
import { getServices, useGateway } from '../support/extensionServices.ts';
import { type FaultServer, startFaultServer } from '../support/faultServer.ts';

const models = ['good', 'bad', 'painter-image', 'wan2.5-t2v'];
const reply =
  '{"choices":[{"index":0,"message":{"role":"assistant","content":"H"},"finish_reason":"length"}]}';

describe('Verify Models', () => {
  let services: Services;
  let server: FaultServer;

  before(async () => {
    services = await getServices();
    server = await startFaultServer(async (connection, { method, body }) => {
      if (method === 'GET')
        await connection.respond(
          200,
          {},
          JSON.stringify({ data: models.map((id) => ({ id, owned_by: 'x' })) }),
        );
      else if (body.includes('"good"')) await connection.respond(200, {}, reply);
      else await connection.respond(400, {}, '{"error":{"message":"Not today [x](command:y)."}}');
    });
    await useGateway(services, 'verified', server.baseUrl, 'test-credential');
    await services.connection.refresh();
  });

  after(async () => {
    await services.modelChoices.verdicts.hideFailing(false);
    await services.gateways.remove('verified');
    await server.close();
  });

  const listSent = () => server.requests.filter(({ method }) => method === 'POST');
  const run = (command: string, ...answers: readonly string[]) =>
    answerDialogsInTurn(answers, () => vscode.commands.executeCommand(`modelGateway.${command}`));
  const listRows = () => {
    const { modelsView } = services;
    return modelsView.getChildren().flatMap((group) => [
      modelsView.getTreeItem(group).label,
      ...modelsView.getChildren(group).map((row) => {
        const { label, description } = modelsView.getTreeItem(row);
        return `  ${label} ${description ?? ''}`.trimEnd();
      }),
    ]);
  };

  it('shows beforehand its requests and that they may cost money, and does not send them without consent', async () => {
    const [question] = await run('models.verify', 'All models');
    assert.equal(question?.message, 'Verify 2 models of verified?');
    assert.match(question?.detail ?? '', /receives “Hi” once and may write one token.*may charge/);
    assert.match(question?.detail ?? '', /Not tested: 2 models for pictures, videos and other uses/);
    assert.deepEqual(listSent(), []);
  });

  it('shows the results in the rows, and never tests models for pictures or videos', async () => {
    const seen = await run('models.verify', 'All models', 'Verify');
    assert.equal(seen.at(-1)?.message, '1 of 2 models replied.');
    assert.deepEqual(seen.at(-1)?.buttons, ['Hide Failed Models']);
    assert.doesNotMatch(JSON.stringify(listSent()), /painter|t2v/);
    assert.match(listRows().join('\n'), /^ {2}good ✓ [\d.]+ \S+$/m);
    assert.match(listRows().join('\n'), /^ {2}bad ✗ The gateway refused the request$/m);
    const { modelsView } = services;
    const [group] = modelsView.getChildren();
    const bad = modelsView.getChildren(group).find((row) => row.kind === 'model' && row.model.id === 'bad');
    assert.ok(bad);
    const { tooltip } = modelsView.resolveTreeItem(modelsView.getTreeItem(bad), bad);
    assert.match(String(tooltip), /Verified on .*no reply\n.*HTTP 400.*Not today\s.*\nRequest ID: \S+/);
    assert.doesNotMatch(String(tooltip), /\]\(command/);
  });

  it('hides failed models below a heading, and shows them again', async () => {
    await run('models.filter', 'Models that did not fail');
    assert.deepEqual(listRows().slice(-2), [
      'Hidden: did not reply',
      '  bad ✗ The gateway refused the request',
    ]);
    assert.ok(!services.modelsView.shown.some(({ id }) => id === 'bad'));
    const [question] = await run('models.verify', 'Shown models');
    assert.equal(question?.message, 'Verify good?');
    await run('models.filter', 'All models');
    assert.ok(services.modelsView.shown.some(({ id }) => id === 'bad'));
  });

  it('does not send a request if a model only makes videos', async () => {
    const before = listSent().length;
    const seen = await answerDialogsInTurn(['Verify'], () =>
      vscode.commands.executeCommand('modelGateway.models.verify', { id: 'wan2.5-t2v', owner: 'x' }),
    );
    assert.match(seen.at(-1)?.message ?? '', /^None of these models is for chats only/);
    assert.equal(listSent().length, before);
  });
});
