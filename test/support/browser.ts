import { existsSync, mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const artifacts = join(import.meta.dirname, '..', 'artifacts');
const usualNames = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const usualFiles = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/**
 * Milliseconds a page may take to show what a test waits for: as a test's own time, enough for a machine with much else
 * to do, and short of that time, so that a picture of the page can still be kept.
 */
const longestWait = 75_000;

/** A page in a window of its own, and what went wrong in it that nobody sees on the screen. */
export type Visit = {
  page: Page;
  /** Errors of the console, exceptions nobody caught, and what the content security policy refused. */
  complaints: string[];
  /** The origins that were asked for something, those of the page itself included. */
  origins: Set<string>;
};

/** Starts one browser for the tests of a file. Gives what opens a page for one test, and keeps a picture if it fails. */
export function withBrowser(): (
  steps: (visit: Visit) => Promise<void>,
  options?: BrowserContextOptions,
) => Promise<void> {
  let browser: Browser | undefined;

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: findBrowser(), args: ['--no-sandbox'] });
  });
  afterAll(() => browser?.close());

  return async function visit(steps, options = {}) {
    const context = await browser!.newContext(options);
    context.setDefaultTimeout(longestWait);
    const page = await context.newPage();
    try {
      await steps(await watch(page));
    } catch (error) {
      await keepPicture(page);
      throw error;
    } finally {
      await context.close();
    }
  };
}

/** The file of the browser that CHROMIUM_PATH names, or of one with a usual name. */
function findBrowser(): string {
  const { CHROMIUM_PATH, PATH = '' } = process.env;
  if (CHROMIUM_PATH) return CHROMIUM_PATH;
  const files = PATH.split(delimiter).flatMap((folder) => usualNames.map((name) => join(folder, name)));
  const found = [...files, ...usualFiles].find((file) => existsSync(file));
  if (found) return found;
  throw new Error(
    `The browser tests need Chromium, and none of ${usualNames.join(', ')} is on the PATH. ` +
      'Install it (on Debian: apt-get install chromium) or set CHROMIUM_PATH to its file.',
  );
}

async function watch(page: Page): Promise<Visit> {
  const complaints: string[] = [];
  const origins = new Set<string>();
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol.startsWith('http')) origins.add(origin);
  });
  await page.exposeFunction('policyRefused', (text: string) => complaints.push(text));
  // A text, because it runs in the page, whose globals these files do not have types for.
  await page.addInitScript({
    content: `document.addEventListener('securitypolicyviolation', (violation) =>
      policyRefused(violation.violatedDirective + ' refused ' + violation.blockedURI));`,
  });
  return { page, complaints, origins };
}

async function keepPicture(page: Page): Promise<void> {
  mkdirSync(artifacts, { recursive: true });
  const name = (expect.getState().currentTestName ?? 'test').replace(/\W+/g, '-');
  await page.screenshot({ path: join(artifacts, `${name}.png`), fullPage: true });
}
