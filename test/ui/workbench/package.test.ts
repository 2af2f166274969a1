import { packageExtension } from '../../../scripts/package.mjs';
import { Workbench } from '../../support/workbench.ts';

describe('P15 the installed package', () => {
  let workbench: Workbench;

  before(async () => {
    workbench = await Workbench.open({
      name: 'package',
      vsix: await packageExtension(),
      isFull: true,
    });
  });

  after(() => workbench?.close());

  it('lists its built-in demo models', async () => {
    await workbench.runCommand('Model Gateway: Try the Demo');
    await workbench.allowLocalGateway();
    await workbench.activity('Model Gateway').click();
    await workbench.treeRows('Models').filter({ hasText: 'demo/chat' }).waitFor();
  });
});
