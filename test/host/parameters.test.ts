import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import * as vscode from 'vscode';
import type { JsonObject } from '../../src/base/json.ts';
import { noParameters, withCommonParameter } from '../../src/conversations/conversation/chatParameters.ts';
import type { Services } from '../../src/host/app/services.ts';
import { saveDefault } from '../../src/host/chat/parameters/modelDefault.ts';
import type { ChatPanel } from '../../src/host/chat/tab/chatPanel.ts';
import type { TextFormatId } from '../../src/wire/apis/textFormats.ts';
import { answerDialogs, answerDialogsInTurn, typeIntoInputs } from '../support/dialogs.ts';
import { getServices, useGateway } from '../support/extensionServices.ts';
import { type ScriptedGateway, startScriptedGateway } from '../support/scriptedGateway.ts';

const model = 'provider/model';

/** The place of the system prompt in each format. */
const places: Readonly<Record<TextFormatId, (body: JsonObject) => unknown>> = {
  chatCompletions: ({ messages }) => (messages as readonly unknown[])[0],
  responses: ({ instructions }) => instructions,
  messages: ({ system }) => system,
  contentGeneration: ({ systemInstruction }) => systemInstruction,
  interactions: ({ system_instruction }) => system_instruction,
};

describe('the parameters of a chat in VS Code', () => {
  let services: Services;
  let gateway: ScriptedGateway;

  before(async () => {
    services = await getServices();
    const refuse = (response: ServerResponse) => response.writeHead(400).end('{}');
    gateway = await startScriptedGateway([model, 'provider/other'], refuse);
    await useGateway(services, 'parameters', gateway.baseUrl, 'test-credential');
    await services.connection.refresh();
  });

  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  after(async () => {
    await gateway.close();
  });

  async function sendAndReadBody(chat: ChatPanel, question = 'Hi'): Promise<JsonObject> {
    const before = gateway.requests.length;
    await chat.session.send(question);
    const sent = gateway.requests.slice(before).filter(({ path }) => path !== '/v1/models');
    assert.equal(sent.length, 1);
    return JSON.parse(sent[0]?.body ?? '');
  }

  it('send the system prompt with every question, in the field of each API format', async () => {
    const chat = await services.chats.open({ model });
    const { session } = chat;
    session.target.parameters.choose({ ...noParameters, systemPrompt: 'Be brief' }, 'other');
    const expected: Readonly<Record<TextFormatId, unknown>> = {
      chatCompletions: { role: 'system', content: 'Be brief' },
      responses: 'Be brief',
      messages: [{ type: 'text', text: 'Be brief', cache_control: { type: 'ephemeral' } }],
      contentGeneration: { parts: [{ text: 'Be brief' }] },
      interactions: 'Be brief',
    };
    for (const format of Object.keys(places) as TextFormatId[]) {
      await session.target.chooseFormat(format);
      assert.deepEqual(places[format]((await session.previewRequest('Hi'))?.body ?? {}), expected[format]);
      assert.deepEqual(places[format](await sendAndReadBody(chat)), expected[format]);
    }
    session.target.parameters.choose({ ...noParameters, systemPrompt: 'Be long' }, 'other');
    assert.equal((await sendAndReadBody(chat)).system_instruction, 'Be long');
    session.target.parameters.choose(noParameters, 'other');
    assert.ok(!('system_instruction' in (await sendAndReadBody(chat))));
    await session.target.chooseFormat('chatCompletions');
  });

  it('apply common values in another format if they fit, and again after switching back', async () => {
    const chat = await services.chats.open({ model });
    const { session } = chat;
    session.target.parameters.choose(withCommonParameter(noParameters, 'temperature', 1.8), 'other');
    assert.equal((await sendAndReadBody(chat)).temperature, 1.8);
    await session.target.chooseFormat('messages');
    assert.ok(!('temperature' in (await sendAndReadBody(chat))), 'out of the range of this format');
    await session.target.chooseFormat('chatCompletions');
    assert.equal((await sendAndReadBody(chat)).temperature, 1.8);
  });

  it('start from the default of the model, which does not change a chat that has begun', async () => {
    const first = await services.chats.open({ model });
    const { parameters } = first.session.target;
    parameters.choose(withCommonParameter(noParameters, 'outputLimit', 50), 'other');
    await saveDefault(first.session.target);
    assert.equal((await sendAndReadBody(first)).max_tokens, 50);

    const second = await services.chats.open({ model });
    assert.notEqual(second, first);
    assert.equal((await sendAndReadBody(second)).max_tokens, 50);
    const other = await services.chats.open({ model: 'provider/other' });
    assert.ok(!('max_tokens' in (await sendAndReadBody(other))));

    await parameters.store.setDefault(model, withCommonParameter(noParameters, 'outputLimit', 70));
    assert.equal((await sendAndReadBody(second)).max_tokens, 50);
    const third = await services.chats.open({ model });
    third.session.target.chooseModel('provider/other');
    assert.ok(!('max_tokens' in ((await third.session.previewRequest('Hi'))?.body ?? {})));
    third.session.target.chooseModel(model);
    assert.equal((await sendAndReadBody(third)).max_tokens, 70);
    await parameters.store.setDefault(model, undefined);
    assert.equal((await sendAndReadBody(third)).max_tokens, 70);
  });

  it('are removed by a reset, which can be undone until something else is chosen', async () => {
    const { session } = await services.chats.open({ model });
    const { parameters } = session.target;
    const brief = { ...noParameters, systemPrompt: 'Be brief' };
    parameters.choose(brief, 'other');
    parameters.reset(model);
    assert.deepEqual([parameters.getForModel(model), parameters.wasReset], [noParameters, true]);
    parameters.undoReset();
    assert.deepEqual([parameters.getForModel(model), parameters.wasReset], [brief, false]);
    parameters.reset(model);
    parameters.choose(withCommonParameter(noParameters, 'temperature', 1), 'form');
    parameters.undoReset();
    assert.equal(parameters.getForModel(model).systemPrompt, '');
  });

  it('can be saved as a preset, which is used in another chat, renamed and deleted', async () => {
    const { session } = await services.chats.open({ model });
    const { store } = session.target.parameters;
    const brief = { ...noParameters, systemPrompt: 'Be brief', common: { temperature: 0.5 } };
    const presets = () => vscode.commands.executeCommand('modelGateway.chat.parameterPresets');
    const choose = (row: string) => () => answerDialogs(row, presets);
    const names = () => store.presets.map(({ name }) => name);

    assert.deepEqual(
      (await answerDialogs(undefined, presets)).map(({ message }) => message),
      ['There is no preset yet. Set parameters first, then save them as a preset.'],
    );
    session.target.parameters.choose(brief, 'other');
    const [refused] = await typeIntoInputs([' '], choose('$(save) Save as Preset…'));
    assert.equal(refused?.problem, 'A preset needs a name.');
    await typeIntoInputs([' Short '], choose('$(save) Save as Preset…'));
    assert.deepEqual(names(), ['Short']);

    const other = await services.chats.open({ model: 'provider/other' });
    other.session.target.parameters.choose(withCommonParameter(noParameters, 'outputLimit', 9), 'other');
    await answerDialogs('$(bookmark) Short', presets);
    assert.deepEqual(other.session.target.parameters.own, brief);

    const renamed = async () => {
      await answerDialogsInTurn(['$(edit) Rename Preset…', '$(bookmark) Short'], presets);
    };
    await typeIntoInputs(['Shorter'], renamed);
    assert.deepEqual(names(), ['Shorter']);
    await answerDialogsInTurn(['$(trash) Delete Preset…', '$(bookmark) Shorter', 'Delete'], presets);
    assert.deepEqual(names(), []);
    assert.deepEqual(other.session.target.parameters.own, brief);
  });

  it('are refused with a message if they are too long to be saved, and stay in the chat', async () => {
    const { session } = await services.chats.open({ model });
    session.target.parameters.choose({ ...noParameters, systemPrompt: 'x'.repeat(200_000) }, 'other');
    const shown = await answerDialogs(undefined, () => saveDefault(session.target));
    assert.match(shown[0]?.message ?? '', /^These parameters are too long to be saved\./);
    assert.equal(session.target.parameters.store.getDefaultParameters(model), undefined);
    assert.equal(session.target.parameters.getForModel(model).systemPrompt.length, 200_000);
  });

  it('omit values of a stored default or preset that do not fit, with one offer to remove them', async () => {
    const unfit = {
      systemPrompt: '',
      common: { outputLimit: 50 },
      others: { chatCompletions: { top_p: 7, seed: 1 } },
    };
    const first = await services.chats.open({ model });
    const { store } = first.session.target.parameters;
    await store.setDefault('provider/other', unfit);
    const dialogs = await answerDialogs('Save Without Them', async () => {
      first.session.target.chooseModel('provider/other');
      const { max_tokens, top_p, seed } = await sendAndReadBody(first);
      assert.deepEqual([max_tokens, top_p, seed], [50, undefined, 1]);
      const second = await services.chats.open({ model: 'provider/other' });
      assert.ok(!('top_p' in (await sendAndReadBody(second))));
    });
    assert.deepEqual(
      dialogs.map(({ message }) => message),
      [
        'Some default parameters of provider/other are not valid and are ignored: top_p of Chat Completions (OpenAI).',
      ],
    );
    assert.deepEqual(store.readStoredDefault('provider/other')?.invalid, []);
    await store.setDefault('provider/other', undefined);

    await store.savePreset({ name: 'Old', parameters: unfit });
    const shown = await answerDialogsInTurn(['$(bookmark) Old', 'Save Without Them'], () =>
      vscode.commands.executeCommand('modelGateway.chat.parameterPresets'),
    );
    assert.match(
      shown.at(-1)?.message ?? '',
      /^Some parameters of the preset Old are not valid .*: top_p of/,
    );
    assert.deepEqual(store.presets[0]?.invalid, []);
    assert.deepEqual((await sendAndReadBody(first)).top_p, undefined);
    await store.removePreset('Old');
  });

  it('are stored without the gateway or its credential', async () => {
    const { session } = await services.chats.open({ model });
    const { store } = session.target.parameters;
    await store.savePreset({
      name: 'Short',
      parameters: withCommonParameter(noParameters, 'outputLimit', 50),
    });
    const preset = store.presets.find(({ name }) => name === 'Short');
    assert.deepEqual(preset?.parameters, withCommonParameter(noParameters, 'outputLimit', 50));
    assert.doesNotMatch(JSON.stringify(store.presets), /test-credential|127\.0\.0\.1/);
    await store.removePreset('Short');
    assert.deepEqual(store.presets, []);
  });
});
