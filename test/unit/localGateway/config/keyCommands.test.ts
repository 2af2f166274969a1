import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LoadedConfig, parseConfig } from '../../../../src/localGateway/config/configFile.ts';
import { ConfigError } from '../../../../src/localGateway/config/configSchema.ts';
import { refuseKeyCommandInWorkspace } from '../../../../src/localGateway/config/keyCommands.ts';

describe('commands that print keys', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'commands-'));
    mkdirSync(join(folder, 'project/.git'), { recursive: true });
  });
  after(() => rmSync(folder, { recursive: true }));

  const upstream = { name: 'one', kind: 'openai-compatible', baseUrl: 'https://models.example/v1' };

  function configWith(file: string, ...commands: readonly string[]): LoadedConfig {
    const names = commands.map((_, i) => ({ ...upstream, name: `upstream-${i}` }));
    const read = parseConfig(JSON.stringify({ upstreams: [upstream, ...names] }), join(folder, file));
    const upstreams = read.config.upstreams.map((each, i) => ({ ...each, keyCommand: commands[i - 1] }));
    return { ...read, config: { ...read.config, upstreams } };
  }

  it('are allowed in a configuration file of the user, and rejected in a file of a workspace', () => {
    refuseKeyCommandInWorkspace(configWith('model-gateway.json', 'print-key'));
    refuseKeyCommandInWorkspace(configWith('project/model-gateway.json'));
    assert.throws(
      () => refuseKeyCommandInWorkspace(configWith('project/model-gateway.json', 'print-key')),
      (error) =>
        error instanceof ConfigError &&
        /model-gateway\.json:1:\d+ upstreams\[1\]\.keyCommand: keyCommand is not allowed in a file of the workspace/.test(
          error.message,
        ) &&
        !error.message.includes('print-key'),
    );
    const keys = [{ keyEnv: 'A_KEY' }, { keyCommand: 'print-key' }];
    const read = parseConfig(
      JSON.stringify({ upstreams: [{ ...upstream, keys }] }),
      join(folder, 'project/x.json'),
    );
    assert.throws(
      () => refuseKeyCommandInWorkspace(read),
      /upstreams\[0\]\.keys\[1\]\.keyCommand: keyCommand is not/,
    );
  });
});
