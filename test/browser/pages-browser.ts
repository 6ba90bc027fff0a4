import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import axe, { type AxeResults } from 'axe-core';
import type { Frame, Page } from 'playwright-core';
import { eventually } from '../support/until.ts';

const screenshots = join(import.meta.dirname, '..', '..', 'test-results', 'screenshots');

/** How the pages are looked at: by day and by night, on a desk and on a small phone. */
export const looks = [
  { name: 'light', colorScheme: 'light', size: { width: 1280, height: 800 } },
  { name: 'dark', colorScheme: 'dark', size: { width: 1280, height: 800 } },
  { name: 'phone', colorScheme: 'light', size: { width: 320, height: 640 } },
  { name: 'phone-dark', colorScheme: 'dark', size: { width: 320, height: 640 } },
] as const;

/** In these nothing may be wider than the screen either; 640 is a desk of 1280 at 200 % zoom. */
const otherWidths = [360, 640, 768, 1024, 2560];

/**
 * Expects that a page can be used by everybody: {@link expectReadable}, also with letters of twice the size.
 */
export async function expectUsable(page: Page, name: string): Promise<void> {
  await expectReadable(page, name);
  await page.evaluate("document.documentElement.style.fontSize = '200%'");
  await expectNoOverflow(page, { name, letters: '200%' });
  await page.evaluate("document.documentElement.style.fontSize = ''");
}

/**
 * Expects of a page in every look that axe-core finds nothing that matters, and that nothing is wider than the screen, in
 * any width and at 200 % zoom. Keeps a picture of each look.
 */
export async function expectReadable(page: Page, name: string): Promise<void> {
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
    await expectNoOverflow(page, { name, look: look.name });
  }
  for (const width of otherWidths) {
    await page.setViewportSize({ width, height: 800 });
    await expectNoOverflow(page, { name, width });
  }
  await page.setViewportSize({ width: 1280, height: 800 });
}

export async function expectNoOverflow(page: Page | Frame, where: object): Promise<void> {
  const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
  expect({ ...where, overflow: await page.evaluate(overflow) }).toEqual({ ...where, overflow: 0 });
}

/** What axe-core finds, from `moderate` on, each with where. The page's own policy stays in force. */
export async function findProblems(page: Page | Frame): Promise<string[]> {
  await page.evaluate(axe.source);
  const options = "{ preload: false, rules: { 'target-size': { enabled: true } } }";
  const { violations } = (await page.evaluate(`axe.run(${options})`)) as AxeResults;
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

/** Logs the first user of a platform in, who is an operator, and opens the console of operators. */
export async function logInAsOperator(
  page: Page,
  { url, firstRun }: { url: string; firstRun: { adminEmail: string; adminPassword: string } },
): Promise<void> {
  await page.goto(`${url}/self-service/login/browser?return_to=/operator`);
  await page.getByLabel('Email address').fill(firstRun.adminEmail);
  await page.getByLabel('Password').fill(firstRun.adminPassword);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.waitForURL('**/operator/console');
}
