// The pictures of the walkthrough: small ones, each of the part of the window that its step is about.

/** @typedef {import('../test/support/workbench.ts').Workbench} Workbench */

/** Narrow, so that words are legible where VS Code shows the pictures at half their size. */
export const walkthroughViewport = { width: 860, height: 600 };

/**
 * What the pictures show, in this order in one window that knows no gateway at first.
 *
 * @type {Record<string, (workbench: Workbench) => Promise<void>>}
 */
export const walkthroughScenes = {
  async connect(workbench) {
    await workbench.activity('Model Gateway').click();
    await workbench.page.mouse.move(0, 0);
    await workbench.page.getByRole('button', { name: 'Use the Demo Gateway' }).waitFor();
  },

  async chat(workbench) {
    await workbench.useDemoGateway();
    const chat = await workbench.webview('New Chat');
    await chat.getByRole('button', { name: /^Compare streaming/ }).click();
    await chat.locator('.figures').waitFor({ timeout: 30_000 });
    await workbench.page.mouse.move(0, 0);
  },

  async video(workbench) {
    await workbench.runCommand('Model Gateway: New Video');
    const page = await workbench.webview('Generate');
    await page.getByRole('textbox', { name: 'Prompt', exact: true }).fill('A balloon over the sea. Take 1 second.');
    await page.getByRole('button', { name: 'Generate', exact: true }).click();
    await page.locator('video').first().waitFor({ timeout: 30_000 });
    await workbench.runCommand('Notifications: Clear All Notifications');
    await workbench.quickInput.closed();
    await workbench.page.mouse.move(0, 0);
  },
};
