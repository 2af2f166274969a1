import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import type { Services } from '../../src/host/app/services.ts';
import type { ChatPanel } from '../../src/host/chat/tab/chatPanel.ts';
import { createChatTarget } from '../../src/host/chat/tab/chatState.ts';
import { createReplyFigures } from '../../src/host/chat/view/replyFigures.ts';
import { toTaskGateway } from '../../src/host/tasks/task/taskGateways.ts';
import { getServices, useGateway, waitForEvent } from '../support/extensionServices.ts';
import { createTextChunk, type ScriptedGateway, startScriptedGateway } from '../support/scriptedGateway.ts';
import { createWaitingStore } from '../support/waitingStore.ts';

const hostile = 'provider/model|`<b>';

describe('the cost of chats', () => {
  let services: Services;
  let gateway: ScriptedGateway;
  let usage: object;
  let serviceTier: string | undefined;

  before(async () => {
    services = await getServices();
  });

  beforeEach(async () => {
    gateway = await startScriptedGateway([hostile], (response) => {
      response.setHeader('content-type', 'text/event-stream').end(reply());
    });
    await useGateway(services, 'cost', gateway.baseUrl, 'test-credential');
    await services.connection.refresh();
  });

  afterEach(async () => {
    serviceTier = undefined;
    await setPrices(undefined);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await services.gateways.remove('cost');
    await gateway.close();
  });

  it('is shown under a reply and as a sum, and never as 0 if it is unknown', async () => {
    const chat = await newChat();
    usage = { prompt_tokens: 1000, completion_tokens: 100 };
    assert.equal((await sendAndReadFigures(chat)).cost, undefined);
    assert.match((await sendAndReadFigures(chat)).unknownCost ?? '', /unknown/);
    assert.equal(readSum(chat), undefined);
    await setPrices([{ models: 'provider/*', prices: { input: 3, output: 15 } }]);
    const { cost } = await sendAndReadFigures(chat);
    assert.equal(cost?.text, 'about $0.0045');
    assert.match(cost?.explanation ?? '', /your price/);
    usage = { ...usage, cost: 0.002 };
    assert.equal((await sendAndReadFigures(chat)).cost?.text, 'charged $0.002');
    assert.equal(readSum(chat), 'This chat: about $0.0065, +2 without a price');
    await setPrices([{ models: '*', prices: { input: 30, output: 150 } }]);
    assert.equal(
      readSum(chat),
      'This chat: about $0.0065, +2 without a price',
      'the cost is stored with the reply',
    );
    const reopened = await services.conversations.reopen(chat.session.id);
    const costs = reopened?.conversation.turns.map(({ result }) => result?.cost?.source);
    assert.deepEqual(costs, [undefined, undefined, 'user-price', 'gateway']);
  });

  it('is estimated with prices that LiteLLM serves outside its list, loaded after the list is shown', async () => {
    const litellm = await startScriptedGateway(
      [hostile, 'provider/other'],
      (response) => response.setHeader('content-type', 'text/event-stream').end(reply()),
      [createDeployment(hostile, 1e-6, 1e-5), createDeployment('provider/other', 0, 0)],
    );
    await useGateway(services, 'cost-apart', litellm.baseUrl, 'test-credential');
    try {
      const isPriced = () => services.connection.state.models.some(({ tokenPrice }) => tokenPrice);
      await services.connection.refresh();
      await waitForEvent(services.connection.onDidChange, isPriced);
      const { phase, models, outage } = services.connection.state;
      assert.deepEqual([phase, outage, models[1]?.tokenPrice], ['ready', undefined, undefined]);
      usage = { prompt_tokens: 1000, completion_tokens: 100 };
      const { cost } = await sendAndReadFigures(await newChat());
      assert.equal(cost?.text, 'about $0.002');
      assert.match(cost?.explanation ?? '', /listed by the gateway/);
      serviceTier = 'flex';
      const chat = await newChat();
      const flex = await sendAndReadFigures(chat);
      assert.equal(flex.cost?.text, 'about $0.001');
      assert.match(flex.cost?.explanation ?? '', /processed as “flex”/);
      const reopened = await services.conversations.reopen(chat.session.id);
      const result = reopened?.conversation.turns[0]?.result;
      assert.deepEqual([result?.serviceTier, result?.cost?.usd], ['flex', 0.001]);
      const { usage: ledger } = await services.conversations.store();
      const [sums] = ledger.sum({ by: [], conversation: chat.session.id });
      assert.equal(sums?.estimatedUsd, 0.001, 'also in the ledger');
      serviceTier = 'scale';
      const scale = await sendAndReadFigures(await newChat());
      assert.equal(scale.cost, undefined);
      assert.match(scale.unknownCost ?? '', /processed as “scale”, but neither/);
      await services.connection.refresh();
      assert.ok(isPriced(), 'the earlier prices remain while they are read again');
    } finally {
      await services.gateways.remove('cost-apart');
      await litellm.close();
    }
  });

  it('is summed up by Show Usage, including deleted chats', async () => {
    const cached = { prompt_tokens_details: { cached_tokens: 5_740_741 } };
    usage = { prompt_tokens: 7_654_321, completion_tokens: 100, ...cached, cost: 77.5 };
    const chat = await newChat();
    await sendAndReadFigures(chat);
    const before = await readReport();
    const row = before.split('\n').find((line) => line.includes('7,654,321'));
    assert.ok(row, before);
    assert.match(row, /`provider\/model¦’<b>`/);
    assert.match(row, /5,740,741 \(75 %\)/);
    assert.match(row, /charged \$\d+\.\d\d/);
    createWaitingStore(await services.conversations.store()).delete(chat.session.id);
    const count = (text: string) => text.split('\n').filter((line) => line.includes('7,654,321')).length;
    assert.equal(count(await readReport()), count(before));
  });

  it('includes videos in Show Usage, even of a removed task, after the total and the chart', async () => {
    const { gateway: current } = services.connection.state;
    assert.ok(current);
    await services.tasks.open();
    const order = {
      route: 'videoSynthesis' as const,
      model: 'film|`<b>',
      prompt: 'A kite',
      ...toTaskGateway(current),
      request: { model: 'film|`<b>', input: { prompt: 'A kite' } },
      seconds: 7,
      cost: { amount: 3.5, currency: 'USD' },
    } as const;
    const [task] = await services.tasks.create(order, randomUUID(), 1);
    assert.ok(task);
    const isSubmitted = () => services.tasks.readUsage().some(({ model }) => model === order.model);
    await waitForEvent(services.tasks.onDidChange, isSubmitted);
    const rowIn = (text: string) =>
      (/## Videos\n[^#]*/.exec(text)?.[0] ?? '')
        .split('\n')
        .find((line) => line.includes('film¦’<b>'))
        ?.split('|')
        .slice(2, -1)
        .map((cell) => cell.trim());
    const isNew = (shown: string) => rowIn(shown) !== undefined;
    const text = await readReport(isNew);
    assert.deepEqual(rowIn(text)?.slice(0, 4), ['`cost`', '1', '7', 'about $3.50'], text);
    const places = [
      '**This month: ',
      '<svg role="img" aria-label="Known cost by day"',
      '| Model',
      'Ask a Gateway Model',
    ];
    const found = places.map((words) => text.toLowerCase().indexOf(words.toLowerCase()));
    assert.deepEqual(
      found,
      found.toSorted((one, other) => one - other),
      text,
    );
    assert.ok(!found.includes(-1), text);
    await waitForEvent(
      services.tasks.onDidChange,
      () => services.tasks.get(task.key)?.status !== 'submitting',
    );
    await services.tasks.remove(task.key);
    assert.equal(services.tasks.get(task.key), undefined);
    assert.deepEqual(rowIn(await readReport(isNew)), rowIn(text));
  });

  it('is never shown as 0 if it is unknown, and is marked “at least” if it is partial', async () => {
    const store = createWaitingStore(await services.conversations.store());
    const replies = [
      { model: 'never-told', inputTokens: null, outputTokens: null, usd: null, isCut: 0 },
      { model: 'half-told', inputTokens: 1234, outputTokens: 20, usd: 0.5, isCut: 1 },
      { model: 'half-told', inputTokens: null, outputTokens: null, usd: null, isCut: 1 },
      { model: 'for-nothing', inputTokens: 7, outputTokens: 0, usd: 0, isCut: 0 },
    ];
    for (const [nth, { model, inputTokens, outputTokens, usd, isCut }] of replies.entries()) {
      store.database.run(
        `INSERT INTO usage (conversation, message, at, day, gateway, gatewayName, model, inputTokens, outputTokens, usd,
           costSource, isCut) VALUES ('gone', ?, ?, '2030-01-01', 'g', 'Gateway', ?, ?, ?, ?, ?, ?)`,
        `reply ${nth}`,
        Date.now(),
        model,
        inputTokens,
        outputTokens,
        usd,
        usd === null ? null : 'listed-price',
        isCut,
      );
    }
    try {
      const text = await readReport((shown) => shown.includes('`for-nothing`'));
      const cells = (model: string) =>
        text
          .split('\n')
          .find((line) => line.includes(`\`${model}\``))
          ?.split('|')
          .slice(3, -1)
          .map((cell) => cell.trim());
      assert.deepEqual(cells('never-told'), ['1', 'unknown', 'unknown', 'unknown', 'unknown', '1', '1']);
      assert.deepEqual(cells('half-told'), [
        '2',
        '1,234',
        'unknown',
        'at least 20',
        'at least $0.50',
        '1',
        '1',
      ]);
      assert.deepEqual(cells('for-nothing'), ['1', '7', 'unknown', '0', 'about $0', '–', '–']);
    } finally {
      store.database.run("DELETE FROM usage WHERE conversation = 'gone'");
    }
  });

  function reply(): string {
    const last = `data: ${JSON.stringify({ id: 'c', choices: [], usage, service_tier: serviceTier })}\n\n`;
    return `${createTextChunk('Yes.', 'stop')}${last}data: [DONE]\n\n`;
  }

  function createDeployment(name: string, input: number, output: number): object {
    const model_info = {
      id: name,
      input_cost_per_token: input,
      output_cost_per_token: output,
      input_cost_per_token_flex: input / 2,
      output_cost_per_token_flex: output / 2,
    };
    return { model_name: name, litellm_params: { model: name }, model_info };
  }

  async function newChat(): Promise<ChatPanel> {
    return services.chats.open({ model: hostile });
  }

  async function sendAndReadFigures(chat: ChatPanel) {
    await chat.session.send('Well?');
    const { lastTurn } = chat.session.conversation;
    assert.ok(lastTurn);
    return createReplyFigures(lastTurn);
  }

  function readSum({ session }: ChatPanel): string | undefined {
    return createChatTarget(session, 0).cost;
  }

  /** VS Code updates the text of a cached document a moment after it is shown. */
  async function readReport(isNew = (_: string) => true): Promise<string> {
    await vscode.commands.executeCommand('modelGateway.showUsage');
    const { tabGroups } = vscode.window;
    const uri = vscode.Uri.from({ scheme: 'model-gateway-usage', path: '/Usage.md' });
    // As plain text, not as Markdown, and in a tab that remains when another Markdown file is opened.
    const isShown = () => {
      const input = tabGroups.activeTabGroup.activeTab?.input;
      return input instanceof vscode.TabInputCustom && input.uri.toString() === uri.toString();
    };
    await waitForEvent(tabGroups.onDidChangeTabs, isShown);
    const document = await vscode.workspace.openTextDocument(uri);
    await waitForEvent(vscode.workspace.onDidChangeTextDocument, () => isNew(document.getText()));
    const text = document.getText();
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
    return text;
  }

  async function setPrices(prices: readonly object[] | undefined): Promise<void> {
    const settings = vscode.workspace.getConfiguration('modelGateway');
    await settings.update('models', prices, vscode.ConfigurationTarget.Global);
  }
});
