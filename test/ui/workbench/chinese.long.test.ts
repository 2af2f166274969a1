import { Workbench } from '../../support/workbench.ts';

describe('VS Code with the display language Simplified Chinese', () => {
  let workbench: Workbench;

  before(async () => {
    workbench = await Workbench.open({ name: 'chinese', language: 'zh-cn' });
  });

  after(() => workbench.close());

  it('shows the welcome view and its buttons in Chinese', async () => {
    const { page } = workbench;
    await workbench.activity('Model Gateway').click();
    await page.getByRole('button', { name: '连接到网关…' }).waitFor();
    await page.getByText('没有帐户？本地网关有无需网络的演示模型。').waitFor();
    await workbench.screenshot('chinese/welcome');
    await page.getByRole('button', { name: '试用演示' }).click();
    await workbench.dialog().getByText('在远程计算机上启动本地网关？').waitFor();
    await workbench.screenshot('chinese/question');
    await workbench.dialog().getByRole('button', { name: '在那里启动' }).click();
  });

  it('shows the views and the status bar in Chinese', async () => {
    await workbench.treeRows('模型').filter({ hasText: 'demo/video' }).filter({ hasText: '视频' }).waitFor();
    await workbench.statusBarItem('本地网关').waitFor();
    await workbench.screenshot('chinese/models');
  });

  it('shows the menu in Chinese, and finds commands by their Chinese titles', async () => {
    await workbench.runCommand('Model Gateway: 显示菜单…');
    await workbench.quickInput.option('停止本地网关').waitFor();
    await workbench.screenshot('chinese/menu');
    await workbench.quickInput.pick('检查连接');
    await workbench.page.getByText('最后一步要询问一个模型吗？').waitFor();
    await workbench.screenshot('chinese/check');
    await workbench.page.keyboard.press('Escape');
    await workbench.quickInput.waitUntilClosed();
  });

  it('shows the connection steps and explains a failure in Chinese', async () => {
    await workbench.runCommand('Model Gateway: 连接到网关…');
    await workbench.quickInput.input.fill('not an address');
    await workbench.page.keyboard.press('Enter');
    await workbench.page.getByText('这不是有效的地址。').waitFor();
    await workbench.screenshot('chinese/address');
    await workbench.quickInput.input.fill('http://127.0.0.1:9');
    await workbench.page.keyboard.press('Enter');
    await workbench.page.getByPlaceholder('如果此网关不需要凭据，请留空').waitFor();
    await workbench.page.keyboard.press('Enter');
    await workbench.notification('127.0.0.1:9 拒绝连接：请检查端口').waitFor();
    await workbench.screenshot('chinese/failure');
  });
});
