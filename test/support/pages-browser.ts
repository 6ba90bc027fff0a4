import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { eventually } from './until.ts';

const screenshots = join(import.meta.dirname, '..', '..', 'test-results', 'screenshots');

/** How the pages are looked at: by day and by night, on a desk and on a phone. */
export const looks = [
  { name: 'light', colorScheme: 'light', size: { width: 1100, height: 800 } },
  { name: 'dark', colorScheme: 'dark', size: { width: 1100, height: 800 } },
  { name: 'phone', colorScheme: 'light', size: { width: 360, height: 740 } },
  { name: 'phone-dark', colorScheme: 'dark', size: { width: 360, height: 740 } },
] as const;

/**
 * Expects that a page can be used by everybody, in every look: axe-core finds nothing that matters, and nothing is wider
 * than the screen. Keeps a picture of each.
 */
export async function expectUsable(page: Page, name: string): Promise<void> {
  mkdirSync(screenshots, { recursive: true });
  for (const look of looks) {
    await page.emulateMedia({ colorScheme: look.colorScheme });
    await page.setViewportSize(look.size);
    await page.screenshot({ path: join(screenshots, `${name}-${look.name}.png`), fullPage: true });
    expect({ name, look: look.name, problems: await findProblems(page) }).toEqual({
      name,
      look: look.name,
      problems: [],
    });
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    expect({ name, look: look.name, overflow: await page.evaluate(overflow) }).toMatchObject({ overflow: 0 });
  }
}

/** What axe-core finds, from `moderate` on, each with where. The page's own policy stays in force. */
async function findProblems(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate('axe.run({ preload: false })')) as AxeResults;
  return violations
    .filter(({ impact }) => impact !== 'minor')
    .flatMap(({ id, help, nodes }) => nodes.map(({ target }) => `${id}: ${help} (${target.join(' ')})`));
}

/** Where the keyboard is: the words of the link, button or field that has the focus. */
export function focused(page: Page): Promise<string> {
  return page.evaluate(`(() => {
    const element = document.activeElement;
    const label = element.labels?.[0]?.textContent ?? element.getAttribute('aria-label') ?? element.textContent;
    return label.trim();
  })()`);
}

/** A page's own focus comes when it is first shown, which may be after it is loaded. */
export async function expectFocus(page: Page, words: string): Promise<void> {
  await eventually(async () => expect(await focused(page)).toBe(words));
}

/** Presses Tab until the keyboard is there. */
export async function tabTo(page: Page, words: string): Promise<void> {
  const seen: string[] = [];
  for (let presses = 0; presses < 60; presses += 1) {
    if ((await focused(page)).startsWith(words)) return;
    await page.keyboard.press('Tab');
    seen.push(await focused(page));
  }
  throw new Error(`The keyboard does not come to ${words}; it came to ${seen.join(', ')}`);
}
