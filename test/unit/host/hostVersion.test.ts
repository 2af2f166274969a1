import assert from 'node:assert/strict';
import { requiresAccount } from '../../../src/host/agents/languageModels/setup/vsCodeVersion.ts';

describe('the version of VS Code', () => {
  it('determines whether its own chat requires an account', () => {
    for (const version of ['1.106.0', '1.121.3', '1.99.0', '0.200.0'])
      assert.ok(requiresAccount(version), version);
    for (const version of ['1.122.0', '1.122.0-insider', '1.139.1', '2.0.0', 'main'])
      assert.ok(!requiresAccount(version), version);
  });
});
