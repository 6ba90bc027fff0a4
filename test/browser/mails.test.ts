import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, jest, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { compileContent } from '../../messaging/templates/compile.ts';
import { renderOnThread } from '../../messaging/templates/thread.ts';
import { renderSystemMail, type SystemMail } from '../../services/mail/system-mail.ts';
import { mailTemplates } from '../../services/mail/templates/kind.ts';
import { withBrowser } from '../support/browser.ts';
import { expectNoOverflow, findProblems } from './pages-browser.ts';

jest.setTimeout(120_000);

const screenshots = join(import.meta.dirname, '..', '..', 'test-results', 'screenshots');
const visit = withBrowser();

const link = `https://mugs.example/self-service/recovery?flow=${'6c0f2b3a'.repeat(4)}&token=${'Zx81kQ'.repeat(12)}`;
const ofPlan = { organizationName: 'Acme Bicycles of the Northern Valleys', plan: 'pro', billingLink: link };
const instant = '2030-03-02T09:30:00.000Z';
const systemMails: SystemMail[] = [
  { template: 'registration', variables: { link } },
  { template: 'registration-existing', variables: { loginLink: link, recoveryLink: link } },
  { template: 'recovery', variables: { link } },
  { template: 'email-verification', variables: { link } },
  {
    template: 'invitation',
    variables: { link, organizationName: ofPlan.organizationName, inviterName: 'Grace Hopper', role: 'admin' },
  },
  { template: 'password-changed', variables: { recoveryLink: link } },
  { template: 'login-email-changed', variables: { newEmail: `${'grace.'.repeat(12)}hopper@example.com` } },
  { template: 'payment-failed', variables: { ...ofPlan, graceUntil: instant } },
  { template: 'subscription-canceled', variables: { ...ofPlan, endsAt: instant } },
  { template: 'subscription-ended', variables: ofPlan },
  { template: 'subscription-expired', variables: { ...ofPlan, freeFrom: instant } },
  {
    template: 'quota-warning',
    variables: {
      organizationName: ofPlan.organizationName,
      what: 'events today',
      percent: '90',
      used: '900',
      limit: '1,000',
      billingLink: link,
    },
  },
];

/** The HTML of every mail that the platform has a text for, by a name. */
const mails = new Map<string, string>();

beforeAll(async () => {
  for (const mail of systemMails) mails.set(`system-${mail.template}`, renderSystemMail(mail).html);
  for (const [name, { subject, mjml, variables }] of Object.entries(mailTemplates.starters)) {
    const content = { ...(subject !== undefined && { subject }), ...(mjml !== undefined && { mjml }) };
    const made = await compileContent(content, variables, mailTemplates.builtIn);
    if (!('compiled' in made)) throw new Error(`${name}: ${JSON.stringify(made.problems)}`);
    const samples = Object.fromEntries([
      ...mailTemplates.builtIn.map((one) => [one, `https://mugs.example/${one}`]),
      ...variables.map((one) => [one.name, one.sample]),
    ]);
    mails.set(`starter-${name}`, renderOnThread(made.compiled, samples).html ?? '');
  }
});

/** Rules about whole pages: a mail program shows a mail within a page of its own. */
const ofPages = /^(?:landmark-one-main|region|page-has-heading-one):/;

async function expectReadable(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [360, 1280]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      await page.screenshot({ path: join(screenshots, `mail-${name}-${colorScheme}-${width}.png`), fullPage: true });
      const where = { name, colorScheme, width };
      await expectNoOverflow(page, where);
      // Colours are the same in every width.
      if (width !== 360) continue;
      const problems = (await findProblems(page)).filter((problem) => !ofPages.test(problem));
      expect({ ...where, problems }).toEqual({ ...where, problems: [] });
    }
  }
}

test('every mail can be read by day and by night, on a phone and on a desk', async () => {
  mkdirSync(screenshots, { recursive: true });
  await visit(async ({ page, complaints, origins }) => {
    expect(mails.size).toBe(systemMails.length + Object.keys(mailTemplates.starters).length);
    for (const [name, html] of mails) {
      await page.setContent(html);
      // The platform's own have no ground, and axe-core does not know that of the browser by night.
      if (name.startsWith('system-')) await page.addStyleTag({ content: 'html { background: Canvas }' });
      await expectReadable(page, name);
    }
    expect([complaints, [...origins]]).toEqual([[], []]);
  });
});

test('every mail has a line that mail programs show beside the subject, a button to touch, and texts for images', async () => {
  await visit(async ({ page }) => {
    await page.setViewportSize({ width: 360, height: 800 });
    for (const [name, html] of mails) {
      await page.setContent(html);
      const [hidden, buttons, images] = (await page.evaluate(`[
        [...document.body.querySelectorAll('div')].find((one) => /display:\\s*none/.test(one.getAttribute('style') ?? ''))
          ?.textContent.trim() ?? '',
        [...document.querySelectorAll('a')]
          .filter((one) => getComputedStyle(one).display === 'inline-block')
          .map((one) => one.getBoundingClientRect().height),
        [...document.images].filter((one) => !one.hasAttribute('alt')).length,
      ]`)) as [string, number[], number];
      expect({ name, preview: hidden.length > 10, images }).toEqual({ name, preview: true, images: 0 });
      for (const height of buttons) expect({ name, height: Math.min(height, 44) }).toEqual({ name, height: 44 });
    }
  });
});
