import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { withBrowser } from '../../support/browser.ts';
import { mailboxToken } from '../../support/mailbox.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { databaseUrlOf } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';
import { createUser, type User } from '../../support/user-client.ts';
import { expectFocus, expectUsable, focused, tabTo } from '../pages-browser.ts';

// Each page is looked at in many sizes, which takes a while on a busy machine.
jest.setTimeout(180_000);

const password = 'several words in a row';

describe('the pages for people', () => {
  const visit = withBrowser();
  let platform: Platform;

  beforeAll(async () => {
    platform = await startPlatform();
  });

  const open = (page: Page, path: string) => page.goto(`${platform.url}${path}`);
  const heading = (page: Page) => page.locator('h1').textContent();
  const newUser = async (): Promise<User> => createUser(await databaseUrlOf(platform));

  async function logIn(page: Page, user: { email: string; password: string }): Promise<void> {
    await open(page, '/self-service/login/browser');
    await page.getByLabel('Email address').fill(user.email);
    await page.getByLabel('Password').fill(user.password);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.waitForURL(/\/console\/|\/account\/organizations$/);
  }

  /** Opens the newest mail to an address, which may be stored a moment after the page was shown. */
  async function openMail(page: Page, email: string, subject = ''): Promise<void> {
    const mail = page.locator('tr', { hasText: email }).filter({ hasText: subject }).first();
    await until(async () => {
      await open(page, `/dev/mailbox?token=${mailboxToken(platform)}`);
      return (await mail.count()) > 0;
    });
    await mail.getByRole('link').click();
  }

  /** Follows the link of the newest mail to an address. */
  async function followMail(page: Page, email: string, subject = ''): Promise<void> {
    await openMail(page, email, subject);
    // By the keyboard: the frames above load when they are seen, and move the link.
    await page.locator('main a[href*="token="]').first().press('Enter');
  }

  test('show a mail whole on a phone, with a link in its preview that opens in a new tab', async () => {
    await visit(async ({ page }) => {
      const email = `${randomBytes(8).toString('hex')}@example.com`;
      await page.setViewportSize({ width: 360, height: 740 });
      await open(page, '/self-service/registration/browser');
      await page.getByLabel('Email address').fill(email);
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Create account' }).click();
      await openMail(page, email);
      for (const part of await page.locator('main :is(iframe, pre):visible').all())
        expect((await part.boundingBox())!.width).toBeLessThanOrEqual(360);
      expect(await page.locator('.in').evaluate((inner) => inner.scrollWidth - inner.clientWidth)).toBe(0);
      const opened = page.context().waitForEvent('page');
      await page.frameLocator('iframe').first().getByRole('link', { name: 'Confirm my address' }).click();
      const confirmation = await opened;
      await confirmation.waitForLoadState();
      expect(await heading(confirmation)).toBe('Confirm your email address');
    });
  });

  test('let somebody make an account, look after it and log out', async () => {
    await visit(async ({ page, complaints, origins }) => {
      const email = `${randomBytes(8).toString('hex')}@example.com`;
      await open(page, '/self-service/registration/browser');
      await page.getByLabel('Email address').fill(email);
      await page.getByLabel('Password').fill(password);
      await page.getByLabel('First name').fill('Ada');
      await page.getByRole('button', { name: 'Create account' }).click();
      expect(await heading(page)).toBe('Check your email');
      await expectUsable(page, 'registration-mailed');
      await followMail(page, email);
      await expectUsable(page, 'registration-confirm');
      await page.getByRole('button', { name: 'Confirm' }).click();
      await page.waitForURL('**/account/organizations');
      await page.getByRole('link', { name: 'Profile' }).click();
      expect(await page.getByLabel('First name').inputValue()).toBe('Ada');
      await page.getByLabel('Last name').fill('Moreau');
      await page.getByRole('button', { name: 'Save' }).click();
      expect(await page.getByRole('status').textContent()).toBe('Profile saved.');
      await page.getByRole('button', { name: 'Your account' }).click();
      await page.getByRole('link', { name: 'Log out' }).click();
      await page.getByRole('button', { name: 'Log out' }).click();
      expect(await page.getByRole('status').textContent()).toBe('You are logged out.');
      await logIn(page, { email, password });
      await page.getByRole('link', { name: 'Profile' }).click();
      expect(await page.getByLabel('Last name').inputValue()).toBe('Moreau');
      expect(complaints).toEqual([]);
      expect([...origins]).toEqual([platform.url]);
    });
  });

  test('let somebody choose a new password', async () => {
    const user = await newUser();
    await visit(async ({ page, complaints }) => {
      await open(page, '/self-service/login/browser');
      await page.getByRole('link', { name: 'Forgot password?' }).click();
      await expectUsable(page, 'recovery');
      await page.getByLabel('Email address').fill(user.email);
      await page.getByRole('button', { name: 'Send reset link' }).click();
      await expectUsable(page, 'recovery-mailed');
      await followMail(page, user.email, 'Choose a new password');
      await page.getByLabel('New password').fill('short');
      await page.getByRole('button', { name: 'Change password' }).click();
      expect(await page.getByRole('alert').textContent()).toMatch(/Check the marked field/);
      await expectFocus(page, 'New password');
      expect(await page.locator('#newPassword-error, #password-error').textContent()).toMatch(/at least 8 characters/);
      await expectUsable(page, 'recovery-reset');
      await page.getByLabel('New password').fill(password);
      await page.getByRole('button', { name: 'Change password' }).click();
      expect(await page.getByRole('status').textContent()).toMatch(/Password changed/);
      await logIn(page, { email: user.email, password });
      expect(complaints.filter((text) => !isStatus400(text))).toEqual([]);
    });
  });

  test('let somebody who is invited make an account and join', async () => {
    await visit(async ({ page, complaints }) => {
      const email = `${randomBytes(8).toString('hex')}@example.com`;
      await invite(email);
      await followMail(page, email);
      await page.getByLabel('Password').fill(password);
      await page.getByLabel('Password').press('Enter');
      await page.waitForURL(`**/console/${platform.firstRun.orgSlug}?done=accepted`);
      expect(await organizationsOf(page)).toMatchObject([{ slug: platform.firstRun.orgSlug, role: 'member' }]);
      expect(complaints).toEqual([]);
    });
  });

  test('let somebody who has an account log in and accept an invitation', async () => {
    const user = await newUser();
    await visit(async ({ page, complaints }) => {
      await invite(user.email);
      await followMail(page, user.email);
      await page.getByRole('link', { name: 'Log in' }).click();
      await page.getByLabel('Email address').fill(user.email);
      await page.getByLabel('Password').fill(user.password);
      await page.getByRole('button', { name: 'Log in' }).click();
      await expectUsable(page, 'invitation-accept');
      await page.getByRole('button', { name: 'Accept' }).click();
      await page.waitForURL(`**/console/${platform.firstRun.orgSlug}?done=accepted`);
      expect(await organizationsOf(page)).toMatchObject([{ slug: platform.firstRun.orgSlug, role: 'member' }]);
      expect(complaints).toEqual([]);
    });
  });

  test('end the session of another browser', async () => {
    const user = await newUser();
    await visit(async ({ page }) => {
      await logIn(page, user);
      await visit(async ({ page: other }) => {
        await logIn(other, user);
        await open(page, '/account/sessions');
        await expectUsable(page, 'account-sessions');
        await page.getByRole('button', { name: /^End session: Linux/ }).click();
        expect(await page.getByRole('status').textContent()).toBe('Session ended.');
        await other.reload();
        expect(await heading(other)).toBe('Log in');
        await page.reload();
        expect(await heading(page)).toBe('Sessions');
      });
    });
  });

  test('can be used with the keyboard alone', async () => {
    const user = await newUser();
    await visit(async ({ page, complaints }) => {
      await open(page, '/self-service/login/browser');
      await expectFocus(page, 'Email address');
      await page.keyboard.type(user.email);
      await page.keyboard.press('Tab');
      expect(await focused(page)).toBe('Password');
      await page.keyboard.type(user.password);
      await page.keyboard.press('Enter');
      await page.waitForURL('**/account/organizations');
      await tabTo(page, 'Contacts');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/account/contacts');
      await tabTo(page, 'Email, number or user name');
      await page.keyboard.type(`second-${user.email}`);
      await page.keyboard.press('Enter');
      await page.waitForURL('**/account/contacts?done=added');
      await tabTo(page, `Remove: second-${user.email}`);
      const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineWidth');
      expect(outline).toBe('2px');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/account/contacts?done=removed');
      await page.getByRole('button', { name: 'Your account' }).press('Enter');
      await tabTo(page, 'Log out');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/self-service/logout/browser');
      await tabTo(page, 'Log out');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/self-service/login/browser?notice=logged-out');
      expect(complaints).toEqual([]);
    });
  });

  test('can be used by everybody, by day and by night, on a phone too', async () => {
    const user = await newUser();
    await visit(async ({ page }) => {
      await open(page, '/');
      await expectUsable(page, 'front');
      await open(page, '/self-service/login/browser');
      await expectUsable(page, 'login');
      await page.getByRole('button', { name: 'Log in' }).click();
      expect(await page.getByRole('alert').textContent()).toMatch(/Check the 2 marked fields/);
      expect(await page.locator('#email-error').textContent()).toBe('Enter your email address.');
      await expectUsable(page, 'login-refused');
      await open(page, '/self-service/registration/browser');
      await page.getByRole('button', { name: 'Create account' }).click();
      await expectUsable(page, 'registration-refused');
      await open(page, '/self-service/recovery/reset?token=AAAAAAAAAAAAAAAAAAAAAA');
      await expectUsable(page, 'link-expired');
      await open(page, '/self-service/login/browser?return_to=https://evil.example');
      await expectUsable(page, 'return-to-refused');
      await invite(`guest-${user.email}`);
      await open(page, `/dev/mailbox?token=${mailboxToken(platform)}`);
      await expectUsable(page, 'mailbox');
      await followMail(page, `guest-${user.email}`);
      await expectUsable(page, 'invitation');
      await logIn(page, user);
      await open(page, '/account');
      await expectUsable(page, 'account-profile');
      await fillContacts(page, user);
      await expectUsable(page, 'account-contacts');
      await fillAddress(page);
      await expectUsable(page, 'account-addresses');
      await open(page, '/account/addresses');
      await page.getByRole('button', { name: 'Add' }).click();
      await expectUsable(page, 'account-addresses-refused');
      await open(page, '/account/organizations');
      await page.getByLabel('Name', { exact: true }).fill('Café Zoë');
      await page.getByLabel('Slug optional').fill('Not a slug');
      await page.getByRole('button', { name: 'Create organization' }).click();
      await expectUsable(page, 'account-organizations-refused');
      await page.getByLabel('Slug optional').fill(`zoe-${Date.now()}`);
      await page.getByRole('button', { name: 'Create organization' }).click();
      expect(await page.getByRole('status').textContent()).toBe('Organization created. You are its owner.');
      await expectUsable(page, 'console-overview');
      await page.getByRole('button', { name: 'Café Zoë' }).first().click();
      await page.getByRole('button', { name: 'Dark' }).waitFor({ state: 'hidden' });
      await expectUsable(page, 'console-organizations-menu');
      for (const name of ['password', 'applications', 'data']) {
        await open(page, `/account/${name}`);
        await expectUsable(page, `account-${name}`);
      }
      await open(page, '/self-service/logout/browser');
      await expectUsable(page, 'logout');
    });
  });

  async function invite(email: string): Promise<void> {
    const { apiKey, orgSlug } = platform.firstRun;
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ email, role: 'member' });
    const answer = await fetch(`${platform.url}/organizations/${orgSlug}/invitations`, {
      method: 'POST',
      headers,
      body,
    });
    expect(answer.status).toBe(201);
  }

  /** What the platform answers this browser about the person who is logged in. */
  async function organizationsOf(page: Page): Promise<unknown> {
    const answer = await page.context().request.get(`${platform.url}/identity/me`);
    return ((await answer.json()) as { organizations: unknown }).organizations;
  }

  async function fillContacts(page: Page, user: User): Promise<void> {
    for (const value of [`second-${user.email}`, `a-very-long-address-that-wraps-${user.email}`]) {
      await open(page, '/account/contacts');
      await page.getByLabel('Email, number or user name').fill(value);
      await page.getByRole('button', { name: 'Add' }).click();
      await page.waitForURL('**/account/contacts?done=added');
    }
  }

  async function fillAddress(page: Page): Promise<void> {
    await open(page, '/account/addresses');
    await page.getByLabel('Street address').fill('Lange Straße 5');
    await page.getByLabel('Postal code').fill('50667');
    await page.getByLabel('City').fill('Köln');
    await page.getByLabel('Country').selectOption('DE');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.waitForURL('**/account/addresses?done=saved');
  }
});

/** The browser counts a form that is shown again as an error of the network. */
function isStatus400(text: string): boolean {
  return /status of 400/.test(text);
}
