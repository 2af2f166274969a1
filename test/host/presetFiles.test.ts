import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { noParameters } from '../../src/conversations/conversation/chatParameters.ts';
import type { Services } from '../../src/host/app/services.ts';
import { exportPresets, importPresets } from '../../src/host/chat/commands/presetFileCommands.ts';
import type { ParameterStore } from '../../src/host/chat/parameters/store/parameterStore.ts';
import { answerDialogsInTurn, type ShownDialog } from '../support/dialogs.ts';
import { getServices } from '../support/extensionServices.ts';

describe('exported presets', () => {
  let services: Services;
  let stored: ParameterStore;
  let folder: string;
  let file: string;
  const brief = { ...noParameters, systemPrompt: 'Be brief' };
  const secret = { ...noParameters, systemPrompt: 'password: canary-credential' };

  before(async () => {
    services = await getServices();
    stored = await services.loadParameterStore();
  });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'presets-'));
    file = join(folder, 'presets.json');
  });

  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    for (const { name } of stored.presets) await stored.removePreset(name);
    rmSync(folder, { recursive: true, force: true });
  });

  const names = () => stored.presets.map(({ name }) => name);

  async function exportWith(...answers: readonly string[]): Promise<readonly ShownDialog[]> {
    const { showSaveDialog } = vscode.window;
    Object.assign(vscode.window, { showSaveDialog: async () => vscode.Uri.file(file) });
    try {
      return await answerDialogsInTurn(answers, () => exportPresets(services));
    } finally {
      Object.assign(vscode.window, { showSaveDialog });
    }
  }

  async function importWith(...answers: readonly string[]): Promise<readonly ShownDialog[]> {
    const { showOpenDialog } = vscode.window;
    Object.assign(vscode.window, { showOpenDialog: async () => [vscode.Uri.file(file)] });
    try {
      return await answerDialogsInTurn(answers, () => importPresets(services));
    } finally {
      Object.assign(vscode.window, { showOpenDialog });
    }
  }

  it('are written to a file and imported again after deletion, and a second import does not change them', async () => {
    await stored.savePreset({ name: 'Brief', parameters: brief });
    await stored.savePreset({ name: 'Warm', parameters: { ...brief, common: { temperature: 1 } } });
    assert.deepEqual(await exportWith('Brief, Warm'), []);
    for (const name of names()) await stored.removePreset(name);
    const [first] = await importWith('Brief, Warm');
    assert.equal(first?.message, 'Presets: 2 imported.');
    assert.deepEqual(stored.presets[0]?.parameters, brief);
    const [again] = await importWith();
    assert.equal(again?.message, 'Presets: 0 imported, 2 already there.');
  });

  it('replace a preset of the same name only after confirmation, with a report of each', async () => {
    await stored.savePreset({ name: 'Brief', parameters: brief });
    await exportWith('Brief');
    const mine = { ...noParameters, systemPrompt: 'Mine' };
    await stored.savePreset({ name: 'Brief', parameters: mine });
    const [question, kept1] = await importWith('Brief', 'Keep Mine');
    assert.equal(question?.message, 'Replace the preset Brief?');
    assert.equal(kept1?.message, 'Presets: 0 imported, 1 skipped.');
    assert.deepEqual(stored.presets[0]?.parameters, mine);
    const [, reportDialog] = await importWith('Brief', 'Replace', 'Show Report');
    assert.equal(reportDialog?.message, 'Presets: 0 imported, 1 replaced.');
    assert.deepEqual(stored.presets[0]?.parameters, brief);
    const { document } = vscode.window.activeTextEditor ?? assert.fail();
    assert.equal(document.uri.scheme, 'model-gateway-text');
    assert.match(document.getText(), /## Replaced\n\n- \*\*Brief\*\*/);
  });

  it('include possible credentials only after confirmation', async () => {
    await stored.savePreset({ name: 'Brief', parameters: brief });
    await stored.savePreset({ name: 'Server', parameters: secret });
    const [dialog] = await exportWith('Brief, Server', 'Export Without Them');
    assert.match(dialog?.detail ?? '', /^Server: systemPrompt\n/);
    assert.doesNotMatch(readFileSync(file, 'utf8'), /canary|Server/);
    await exportWith('Brief, Server', 'Export Anyway');
    assert.match(readFileSync(file, 'utf8'), /canary-credential/);
    rmSync(file);
    await exportWith('Brief, Server');
    assert.throws(() => readFileSync(file));
  });

  it('are not imported from an invalid file, and the error names the file', async () => {
    writeFileSync(file, '{"a": ');
    const [cut] = await importWith();
    assert.match(cut?.message ?? '', /^Nothing was imported from “presets\.json”: it is not JSON: /);
    writeFileSync(file, '{}');
    const [other] = await importWith();
    assert.match(other?.message ?? '', /it has no presets/);
    assert.deepEqual(names(), []);
  });

  it('are not imported from a file that is too large to be read', async () => {
    writeFileSync(file, '');
    truncateSync(file, 8 * 1024 ** 3);
    const [shown] = await importWith();
    assert.match(shown?.message ?? '', /presets\.json.*at most 16 MB/);
  });
});
