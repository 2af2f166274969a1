import { Workbench } from '../../support/workbench.ts';

describe('the window', () => {
  let workbench: Workbench;

  before(async () => {
    workbench = await Workbench.open({ name: 'smoke', isFull: true });
  });

  after(() => workbench?.close());

  it('has the extension in its activity bar, which opens its view', async () => {
    await workbench.activity('Model Gateway').click();
    await workbench.page.locator('.sidebar').getByText('Try the Demo').waitFor();
    await workbench.screenshot('smoke');
  });

  it('finds the commands by typing', async () => {
    await workbench.page.keyboard.press('F1');
    await workbench.quickInput.fill('>Model Gateway:');
    await workbench.quickInput.options.nth(5).waitFor();
    await workbench.quickInput.fill('>Model Gateway: Connect');
    await workbench.quickInput.option('Model Gateway: Connect to a Gateway…').waitFor();
    await workbench.quickInput.cancel();
  });
});
