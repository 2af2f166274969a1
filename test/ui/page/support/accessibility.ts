import axe from 'axe-core';
import type { Frame, Page } from 'playwright-core';
import type { TestPage } from './testPage.ts';
import type { ThemeName } from './themes.ts';

declare global {
  interface Window {
    axe: typeof axe;
  }
}

const guidelines = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** The rules whose results depend on the theme. */
const rulesOfThemes = ['color-contrast', 'link-in-text-block', 'target-size'];

/**
 * The violations that axe finds, rule by rule and place by place.
 *
 * @param within selects the part to check; the whole page if absent
 * @param runOnly the rules, or their tags
 */
export async function findAccessibilityFaults(
  page: Page | Frame,
  within?: string,
  runOnly: axe.RunOptions['runOnly'] = guidelines,
): Promise<readonly string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const options: axe.RunOptions = { runOnly, resultTypes: ['violations'] };
  const { violations } = await page.evaluate(
    ([selector, axeOptions]) => window.axe.run(selector ?? document, axeOptions),
    [within, options] as const,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}

/**
 * The violations of an open page in several themes: of all rules in the first, and of the rules of themes in the
 * others.
 *
 * @param look runs in each theme
 */
export async function findFaultsInThemes(
  page: Pick<TestPage, 'page' | 'setTheme' | 'nextFrames'>,
  look: (theme: ThemeName) => Promise<void>,
  themes: readonly ThemeName[] = ['dark', 'light', 'high-contrast'],
): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const theme of themes) {
    await page.setTheme(theme);
    await page.nextFrames();
    await look(theme);
    const rules = theme === themes[0] ? guidelines : { type: 'rule' as const, values: rulesOfThemes };
    const found = await findAccessibilityFaults(page.page, undefined, rules);
    faults.push(...found.map((fault) => `${theme}: ${fault}`));
  }
  return faults;
}
