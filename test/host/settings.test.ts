import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { readSetting } from '../../src/host/kit/manifest/settings.ts';

describe('the settings of the extension', () => {
  const { Global, Workspace } = vscode.ConfigurationTarget;
  const key = 'tasks.dailyLimit';
  const settings = () => vscode.workspace.getConfiguration('modelGateway');

  /** VS Code refuses to write a setting of application scope into a workspace. */
  async function writeIntoWorkspace(value: unknown): Promise<void> {
    await Promise.resolve(settings().update(key, value, Workspace)).catch(() => {});
  }

  afterEach(async () => {
    await settings().update(key, undefined, Global);
    await writeIntoWorkspace(undefined);
  });

  it('P2 T1 are read from the user’s own settings, and never from a workspace', async () => {
    const usual = readSetting(key);
    await writeIntoWorkspace(7777);
    assert.equal(readSetting(key), usual);
    await settings().update(key, 3, Global);
    assert.equal(readSetting(key), 3);
  });
});
