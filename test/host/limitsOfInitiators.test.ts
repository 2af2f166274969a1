import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { VerbatimTurns } from '../../src/conversations/verbatim/verbatimTurns.ts';
import { GatewayReplies } from '../../src/host/agents/languageModels/reply/gatewayReplies.ts';
import { askModelTool } from '../../src/host/agents/languageModelTools/askModel.ts';
import { describeFailure } from '../../src/host/agents/languageModelTools/failureText.ts';
import type { Services } from '../../src/host/app/services.ts';
import { failureMessage } from '../../src/host/connection/failureMessage.ts';
import { getActionLabel } from '../../src/host/kit/noticeActions.ts';
import { initiators } from '../../src/host/models/spendingWords.ts';
import { limitBars } from '../../src/host/requests/usage/usageCharts.ts';
import { toTaskGateway } from '../../src/host/tasks/task/taskGateways.ts';
import { createTaskNotice } from '../../src/host/tasks/task/taskNotice.ts';
import { answerDialogs, typeIntoInputs } from '../support/dialogs.ts';
import { getServices, useGateway, waitForEvent } from '../support/extensionServices.ts';
import { createTextChunk, type ScriptedGateway, startScriptedGateway } from '../support/scriptedGateway.ts';

const model = 'provider/priced';
/** 1,000 tokens of output at 1 dollar for a thousand. */
const prices = [{ models: model, prices: { input: 0, output: 1_000 } }];
const usage = { prompt_tokens: 10, completion_tokens: 1_000 };

describe('P17 spending limits of one initiator', () => {
  let services: Services;
  let gateway: ScriptedGateway;
  /** The record of the task of each request for a video. */
  let record: object;

  before(async () => {
    services = await getServices();
  });

  beforeEach(async () => {
    record = { output: { task_id: 'task-1', task_status: 'FAILED' } };
    gateway = await startScriptedGateway([model], (response, { path }) => {
      const isVideo = path.includes('video-synthesis');
      if (isVideo || path.startsWith('/v1/tasks/')) {
        const task = { output: { task_id: 'task-1', task_status: 'RUNNING' } };
        response.setHeader('content-type', 'application/json').end(JSON.stringify(isVideo ? task : record));
        return;
      }
      const end = `data: ${JSON.stringify({ id: 'reply', choices: [], usage })}\n\n`;
      response
        .setHeader('content-type', 'text/event-stream')
        .end(`${createTextChunk('Hello', 'stop')}${end}data: [DONE]\n\n`);
    });
    await useGateway(services, `limits ${gateway.baseUrl}`, gateway.baseUrl, 'test-credential');
  });

  afterEach(async () => {
    await set('spendingLimits', undefined);
    await set('models', undefined);
    await services.gateways.remove(`limits ${gateway.baseUrl}`);
    await gateway.close();
  });

  function set(key: string, value: unknown) {
    return vscode.workspace
      .getConfiguration('modelGateway')
      .update(key, value, vscode.ConfigurationTarget.Global);
  }

  /** Limits only for the gateway of this test, because all tests share one file. */
  function limit(entry: object) {
    return { per: 'day', gateway: `limits ${gateway.baseUrl}`, ...entry };
  }

  for (const initiator of initiators)
    it(`for ${initiator} are announced once and refuse, with the next steps where the user reads them`, async () => {
      await set('models', [...prices, { models: 'film', prices: { perRequest: 1 } }]);
      await services.connection.refresh();
      const entry = limit({ name: 'Only these', money: 5, for: initiator });
      await set('spendingLimits', [entry]);
      const notices = async (count: number) => {
        const shown = await answerDialogs('Send Request', async () => {
          for (let nth = 0; nth < count; nth++) assert.equal(await failureFor(initiator), undefined);
          await services.spending.settled();
        });
        return shown.filter(({ message }) => message.includes('almost reached'));
      };
      assert.deepEqual(await notices(3), []);
      const [notice, ...others] = await notices(1);
      assert.match(notice?.message ?? '', /“Only these” is almost reached: \$4\.?0?0? of \$5/);
      assert.deepEqual(notice?.buttons, ['Raise Limit for Today…', 'Open Spending Limits']);
      assert.deepEqual([...others, ...(await notices(1))], [], 'once');
      const sent = gateway.requests.length;
      const failure = await answerForUser(() => failureFor(initiator));
      assert.equal(gateway.requests.length, sent);
      assert.match(failure ?? '', /“Only these” is reached \(\$5\.?0?0? of \$5\.?0?0?\).*resets on/s);
      assert.match(failure ?? '', /Raise (?:Spending )?Limit for Today/i);
      const another = initiators.filter((each) => each !== initiator && each !== 'videos');
      for (const each of another) assert.equal(await answerForUser(() => failureFor(each)), undefined, each);
      const command = () => vscode.commands.executeCommand('modelGateway.raiseSpendingLimit');
      await typeIntoInputs(['1'], () => answerDialogs(undefined, command));
      assert.equal(await answerForUser(() => failureFor(initiator)), undefined, 'raised');
    });

  it('keep the price of a failed video, show it, and drop it if the record reports that it was free', async () => {
    await set('models', [{ models: 'film', prices: { perRequest: 2 } }]);
    await set('spendingLimits', [limit({ money: 8, for: 'videos' })]);
    const used = async () => {
      await services.spending.settled();
      const [use] = await services.spending.uses();
      return [(use?.used ?? 0) / 1e9, (use?.failed ?? 0) / 1e9];
    };
    const failed = { task_id: 'task-1', task_status: 'FAILED', message: 'You were not charged: $0' };
    record = { output: failed };
    await endedVideo();
    assert.deepEqual(await used(), [2, 2], 'only its words say that it is free');
    assert.match(
      limitBars(await services.spending.uses(), undefined).join('\n'),
      /\$2\.?0?0? of it for failed videos, which may not be billed/,
    );
    record = { output: failed, usage: { cost: 0 } };
    await endedVideo();
    assert.deepEqual(await used(), [2, 2]);
    record = {
      output: { ...failed, task_status: 'SUCCEEDED', video_url: `${gateway.baseUrl}/film.mp4` },
      usage: { cost: 3 },
    };
    await endedVideo();
    assert.deepEqual(await used(), [5, 2]);
  });

  it('keep the price of a cancelled video, unless its gateway reports that it was not begun', async () => {
    await set('models', [{ models: 'film', prices: { perRequest: 2 } }]);
    await set('spendingLimits', [limit({ money: 20, for: 'videos' })]);
    const cancelled = { id: 'task-1', object: 'task', status: 'cancelled', started_at: null, error: null };
    for (const usage of [undefined, { cost: 0 }]) {
      record = { ...cancelled, ...(usage && { usage }) };
      await endedVideo();
    }
    await services.spending.settled();
    assert.equal((await services.spending.uses())[0]?.used, 2e9);
  });

  it('count each video of a request for several', async () => {
    await set('models', [{ models: 'film', prices: { perRequest: 2 } }]);
    await set('spendingLimits', [limit({ money: 20, for: 'videos' })]);
    assert.equal(await endedVideo({ n: 4 }), undefined);
    await services.spending.settled();
    assert.equal((await services.spending.uses())[0]?.used, 8e9);
  });

  it('in another currency are filled by videos whose records report dollars', async () => {
    await set('models', [{ models: 'film', prices: { perRequest: 2, currency: 'EUR' } }]);
    await set('spendingLimits', [limit({ money: 3, currency: 'EUR', for: 'videos', unpriced: 'refuse' })]);
    record = {
      output: { task_id: 'task-1', task_status: 'SUCCEEDED', video_url: `${gateway.baseUrl}/film.mp4` },
      usage: { cost: 2.5 },
    };
    assert.equal(await endedVideo(), undefined);
    await services.spending.settled();
    assert.notEqual(await endedVideo(), undefined, 'the second video is refused');
    assert.equal((await services.spending.uses())[0]?.used, 2e9);
  });

  /** The user agrees to what an agent wants to send. */
  async function answerForUser(act: () => Promise<string | undefined>): Promise<string | undefined> {
    let result: string | undefined;
    await answerDialogs('Send Request', async () => {
      result = await act();
    });
    return result;
  }

  /** Sends a request as this part of the program does. Returns what its user reads if it fails. */
  async function failureFor(initiator: (typeof initiators)[number]): Promise<string | undefined> {
    switch (initiator) {
      case 'chats': {
        const { session } = await services.chats.open({ model });
        await session.send('Hi');
        const { lastTurn } = session.conversation;
        assert.ok(lastTurn?.result);
        const { outcome } = lastTurn.result;
        if (!('error' in outcome)) return undefined;
        const { sentence, actions } = failureMessage(outcome.error);
        return [sentence, ...actions.map(getActionLabel)].join('\n');
      }
      case 'vscodeChat':
      case 'extensions':
        return failureInVsCode(initiator === 'extensions' ? 'someone.extension' : 'core');
      case 'agents': {
        const run = askModelTool.run({ prompt: 'Hi', model }, services, new AbortController().signal);
        return run.then(() => undefined, describeFailure);
      }
      case 'videos':
        return endedVideo();
    }
  }

  /** Sends a request through the language model API of VS Code. */
  async function failureInVsCode(requestInitiator: string): Promise<string | undefined> {
    const turns = new VerbatimTurns({ add: async () => {}, find: async () => [] }, () => {});
    const offered = services.offeredModels.offered.find((each) => each.model === model);
    assert.ok(offered);
    const messages = [vscode.LanguageModelChatMessage.User('Hi')];
    const options = { toolMode: vscode.LanguageModelChatToolMode.Auto, requestInitiator };
    const replied = new GatewayReplies({ ...services, turns }).respond(
      ...([offered, messages as never, options as never, { report: () => {} } as never] as const),
      new vscode.CancellationTokenSource().token,
    );
    return replied.then(
      () => undefined,
      (error: Error) => error.message,
    );
  }

  /** Sends a request for a video and reads its task once. */
  async function endedVideo(parameters = {}): Promise<string | undefined> {
    const { gateway: current } = services.connection.state;
    assert.ok(current);
    await services.tasks.open();
    const request = { model: 'film', input: { prompt: 'A kite' }, parameters };
    const order = { route: 'videoSynthesis', model: 'film', prompt: 'A kite', request } as const;
    const [task] = await services.tasks.create({ ...order, ...toTaskGateway(current) }, randomUUID(), 1);
    assert.ok(task);
    const now = () => services.tasks.get(task.key);
    await waitForEvent(services.tasks.onDidChange, () =>
      ['running', 'refused'].includes(now()?.status ?? ''),
    );
    if (now()?.status === 'running') await services.tasks.poll(task.key);
    const ended = now();
    assert.ok(ended && ended.status !== 'running');
    await services.tasks.remove(task.key);
    if (ended.status !== 'refused') return undefined;
    const { detail, buttons = [] } = createTaskNotice(ended, false) ?? {};
    return [detail, ...buttons.map(({ label }) => label)].join('\n');
  }
});
