import type { FrameLocator, Locator } from 'playwright-core';
import { appears, poll, type Workbench } from './workbench.ts';

/** Clicks a row until its editor is on the screen: a click misses a row that moves when its view is painted again. */
export async function openRow(
  workbench: Workbench,
  row: Locator,
  title: string | RegExp,
): Promise<FrameLocator> {
  const selected = workbench.page.locator('[aria-selected=true]');
  await poll(`editor titled “${title}”`, async () => {
    await row.click();
    return appears(workbench.tab(title).and(selected));
  });
  return workbench.webview(title);
}

/** Moves the focus down to a row of the focused tree view, without opening it. */
export async function focusRow(workbench: Workbench, view: string, row: Locator): Promise<void> {
  const { page } = workbench;
  const rows = workbench.treeRows(view);
  const focused = rows.and(page.locator('.focused'));
  const seen = new Set<string>();
  await page
    .locator(':focus')
    .and(page.getByRole('tree', { name: view }))
    .waitFor();
  await page.keyboard.press('Home');
  await rows.first().and(page.locator('.focused')).waitFor();
  while ((await row.and(page.locator('.focused')).count()) === 0) {
    const id = (await focused.getAttribute('id')) ?? '';
    if (seen.has(id)) throw new Error(`The view ${view} does not have the row ${row}.`);
    seen.add(id);
    await page.keyboard.press('ArrowDown');
    await poll('next row', async () => (await focused.getAttribute('id')) !== id || undefined);
  }
}
