import axe from 'axe-core';
import type { Frame, Page } from 'playwright-core';

declare global {
  interface Window {
    axe: typeof axe;
  }
}

/**
 * The violations that axe finds, rule by rule and place by place.
 *
 * @param within selects the part to check; the whole page if absent
 */
export async function accessibilityFaults(page: Page | Frame, within?: string): Promise<readonly string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const { violations } = await page.evaluate(
    (selector) =>
      window.axe.run(selector ?? document, {
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
      }),
    within,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}
