import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { BrowserContext, Frame, Page } from 'playwright-core';
import { withBrowser } from '../support/browser.ts';
import { type Client, clientOf } from '../support/client.ts';
import { freePort } from '../support/free-port.ts';
import { type Platform, startPlatform } from '../support/platform.ts';
import { createTenant, databaseUrlOf, slugOf } from '../support/tenants.ts';
import { eventually } from '../support/until.ts';
import { createUser, type User } from '../support/user-client.ts';
import { newVisitor, shopOrigin } from '../support/widget-client.ts';
import { expectNoOverflow, expectUsable, findProblems, looks } from './pages-browser.ts';

// Each page is looked at in many sizes, which takes a while on a busy machine.
jest.setTimeout(300_000);

const screenshots = join(import.meta.dirname, '..', '..', 'test-results', 'screenshots');
const attack = '<img src=x onerror="window.ran=1"><script>window.ran=1</script>';

describe('the widget and the inbox', () => {
  const visit = withBrowser();
  const servers: Server[] = [];
  let platform: Platform;
  /** Pages of another site than the platform's, so that what a frame stores there is partitioned. */
  let shop: string;
  let stranger: string;

  const dataDir = mkdtempSync(join(tmpdir(), 'widget-'));
  const port = String(freePort());
  const start = () =>
    startPlatform({ dataDir, env: { RATE_LIMIT_RPS: '0', PORT: port, PUBLIC_URL: `http://127.0.0.1:${port}` } });

  beforeAll(async () => {
    platform = await start();
    [shop, stranger] = await Promise.all([startSite(), startSite()]);
  });
  afterAll(async () => {
    for (const server of servers) server.close();
    await platform.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  /** A website: its pages hold the two lines, with the options that their address names. */
  async function startSite(): Promise<string> {
    const server = createServer((request, response) => {
      const { searchParams } = new URL(request.url ?? '/', 'http://localhost');
      const [lang, dir] = [searchParams.get('lang') ?? 'en', searchParams.get('dir') ?? 'ltr'];
      const policy = `default-src 'none'; script-src ${platform.url} 'nonce-two'; frame-src ${platform.url}; connect-src ${platform.url}`;
      response.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': policy }).end(
        `<!doctype html><html lang="${lang}" dir="${dir}"><meta name="viewport" content="width=device-width"><title>Shop</title>
<script defer src="${platform.url}/widget.js"></script>
<script type="module" nonce="two">window.got = []; ConnectWidget.init(${searchParams.get('init')?.replaceAll('<', '\\u003c')});
ConnectWidget.onMessage(({ text }) => got.push(text));</script>
<main><h1>Saddles</h1><p>By hand.</p></main></html>`,
      );
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
    return `http://localhost:${(server.address() as AddressInfo).port}`;
  }

  type Tenant = { client: Client; orgId: string; siteId: string; agent: User };

  async function newTenant(settings: object = {}): Promise<Tenant> {
    const databaseUrl = await databaseUrlOf(platform);
    const { orgId, apiKey } = await createTenant(databaseUrl, { plan: 'scale' });
    const client = clientOf({ url: platform.url, orgId, apiKey });
    const body = { name: 'Acme Bikes', greeting: 'Hello! How can we help?', allowedOrigins: [shop], ...settings };
    const { siteId } = await client.call('connect.settings.write', { body });
    const agent = await createUser(databaseUrl, { orgId });
    await client.call('connect.agents.add', { body: { userId: agent.userId, displayName: 'Grace' } });
    return { client, orgId, siteId, agent };
  }

  async function openShop(page: Page, { orgId }: Tenant, about: { at?: string; lang?: string; dir?: string } = {}) {
    const { at = shop, ...look } = about;
    await page.goto(`${at}/?${new URLSearchParams({ init: JSON.stringify({ tenantId: orgId }), ...look })}`);
  }

  const frameIn = (page: Page): Promise<Frame> =>
    eventually(async () => {
      const frame = page.frames().find((one) => one.url().startsWith(`${platform.url}/widget/frame`));
      await frame!.waitForSelector('textarea');
      return frame!;
    });

  async function openWidget(page: Page): Promise<Frame> {
    await page.waitForSelector('connect-widget', { state: 'attached' });
    await page.evaluate('ConnectWidget.open()');
    return await frameIn(page);
  }

  async function say(frame: Frame, text: string): Promise<void> {
    await frame.fill('textarea', text);
    await frame.press('textarea', 'Enter');
  }

  const textsIn = (frame: Frame | Page, of = ''): Promise<string[]> =>
    frame.locator(`.message${of} .bubble`).allTextContents();
  const arrived = (frame: Frame | Page, text: string) =>
    eventually(async () => expect(await textsIn(frame)).toContain(text));

  /** The names of the buttons that a screen reader finds in a page, those in a closed shadow root too. */
  async function spokenIn(page: Page): Promise<string[]> {
    const session = await page.context().newCDPSession(page);
    const { nodes } = await session.send('Accessibility.getFullAXTree');
    await session.detach();
    return nodes.filter(({ role }) => role?.value === 'button').map(({ name }) => String(name?.value));
  }

  /** The inbox in a browser in which the agent is logged in. */
  async function openInbox(context: BrowserContext, { orgId, agent }: Tenant, id?: string): Promise<Page> {
    await context.addCookies([{ name: 'platform_session', value: agent.sessionToken, url: platform.url }]);
    const page = await context.newPage();
    await page.goto(`${platform.url}/console/${slugOf(orgId)}/inbox${id ? `/${id}` : ''}`);
    return page;
  }

  const latest = async ({ client }: Tenant): Promise<string> =>
    eventually(async () => {
      const { data } = await client.call('connect.conversations.list', { query: {} });
      return data[0]!.conversationId;
    });

  /**
   * Cuts a page's network now and then, and has every few requests that send something reach the platform while their
   * answers are lost.
   */
  async function disturb(page: Page, path: RegExp): Promise<() => Promise<void>> {
    let count = 0;
    await page.route(path, async (route) => {
      count += 1;
      if (route.request().method() !== 'POST' || count % 5 !== 0) return await route.continue().catch(() => undefined);
      await route.fetch().catch(() => undefined);
      await route.abort().catch(() => undefined);
    });
    let isEnding = false;
    const cuts = (async () => {
      for (let time = 0; !isEnding; time += 1) {
        await page.waitForTimeout(700 + 100 * (time % 5));
        await page.context().setOffline(true);
        await page.waitForTimeout(300);
        await page.context().setOffline(false);
      }
    })();
    return async () => {
      isEnding = true;
      await cuts;
      await page.unroute(path);
    };
  }

  /** Kills the platform twice, with a third of the messages between, and starts it again. */
  async function killTwice(frame: Frame): Promise<void> {
    for (const shown of [60, 120]) {
      await eventually(async () => expect((await textsIn(frame)).length).toBeGreaterThan(shown), 120_000);
      await platform.kill();
      platform = await start();
    }
  }

  test('lose, double and swap none of 200 messages while the network fails and the platform is killed', async () => {
    const tenant = await newTenant();
    await visit(async ({ page }) => {
      await openShop(page, tenant);
      const frame = await openWidget(page);
      await say(frame, 'first');
      const id = await latest(tenant);
      await visit(async ({ page: other }) => {
        const inbox = await openInbox(other.context(), tenant, id);
        const calmVisitor = await disturb(page, /\/v1\/widget\/messages/);
        const calmAgent = await disturb(inbox, /\/v1\/conversations\/[^/]+\/messages/);
        const ofVisitor = Array.from({ length: 100 }, (_, place) => `visitor ${place}`);
        const ofAgent = Array.from({ length: 100 }, (_, place) => `agent ${place}`);
        await Promise.all([
          (async () => {
            for (const text of ofVisitor) await say(frame, text);
          })(),
          (async () => {
            for (const text of ofAgent) {
              await inbox.fill('#text', text);
              await inbox.press('#text', 'Enter');
            }
          })(),
          killTwice(frame),
        ]);
        await calmVisitor();
        await calmAgent();
        const truth = async () => {
          const path = { id };
          const first = await tenant.client.call('connect.messages.list', {
            path,
            query: { after: '0', limit: '200' },
          });
          const rest = await tenant.client.call('connect.messages.list', {
            path,
            query: { after: '200', limit: '200' },
          });
          return [...first.data, ...rest.data].map(({ text }) => text);
        };
        const all = await eventually(async () => {
          const texts = await truth();
          expect(texts).toHaveLength(201);
          return texts;
        }, 120_000);
        expect(all.filter((text) => text.startsWith('visitor'))).toEqual(ofVisitor);
        expect(all.filter((text) => text.startsWith('agent'))).toEqual(ofAgent);
        await eventually(async () => expect(await textsIn(frame)).toEqual(all), 60_000);
        await eventually(async () => expect(await textsIn(inbox)).toEqual(all), 60_000);
        // The answer to the last one may have been lost; then it is sent once more.
        for (const shown of [frame, inbox])
          await eventually(async () => expect(await shown.locator('.pending').count()).toBe(0), 60_000);
        expect(await page.evaluate('got.length')).toBe(100);
      });
    });
  });

  test('show each other names, typing and what was read, and count what is unread', async () => {
    const tenant = await newTenant();
    await visit(async ({ page, complaints }) => {
      await openShop(page, tenant);
      const frame = await openWidget(page);
      await say(frame, 'Does it fit?');
      const id = await latest(tenant);
      await visit(async ({ page: other }) => {
        const list = await openInbox(other.context(), tenant);
        await eventually(async () => expect(await list.title()).toMatch(/^\(1\) Inbox/));
        await list.locator('#list a').first().click();
        await list.waitForURL(`**/inbox/${id}**`);
        await eventually(async () => expect(await frame.locator('.mine .state').last().textContent()).toBe('Read'));
        await list.fill('#text', 'It d');
        await list.locator('#text').pressSequentially('oes');
        await eventually(async () => expect(await frame.getByRole('status').textContent()).toBe('Grace is typing…'));
        await frame.fill('textarea', '');
        await frame.locator('textarea').pressSequentially('And');
        await eventually(async () => expect(await list.locator('#status').textContent()).toBe('Visitor is typing…'));
        await list.press('#text', 'Enter');
        await arrived(frame, 'It does');
        expect(await frame.locator('.message:not(.mine) .author').textContent()).toBe('Grace');
        await eventually(async () => expect(await list.locator('#seen').textContent()).toBe('Seen'));
        await page.evaluate('ConnectWidget.close()');
        await list.locator('label', { hasText: 'Internal note' }).click();
        await list.fill('#text', 'A note');
        await list.press('#text', 'Enter');
        await arrived(list, 'A note');
        await list.locator('label', { hasText: 'Reply' }).click();
        await list.fill('#text', 'Anything else?');
        await list.press('#text', 'Enter');
        await eventually(async () => expect(await page.evaluate('got')).toEqual(['It does', 'Anything else?']));
        await eventually(async () => expect(await spokenIn(page)).toContain('Open chat (1 unread)'));
        await page.evaluate('ConnectWidget.open()');
        expect(await textsIn(frame)).not.toContain('A note');
        // A page of earlier messages marks none as read by itself.
        await list.goto(`${platform.url}/console/${slugOf(tenant.orgId)}/inbox/${id}?before=2`);
        await say(frame, 'No, thanks');
        await list.getByRole('button', { name: 'Mark as read' }).click();
        await list.waitForURL(({ searchParams }) => !searchParams.has('before'));
        await list.selectOption('#assigneeId', 'none');
        await eventually(async () =>
          expect(await tenant.client.call('connect.conversations.read', { path: { id } })).toMatchObject({
            assigneeId: null,
          }),
        );
        await list.getByRole('button', { name: 'Close' }).click();
        await frame.getByText('This conversation is closed.').waitFor();
        await list.getByRole('button', { name: 'Reopen' }).waitFor();
      });
      expect(complaints).toEqual([]);
    });
  });

  test('keep a visitor’s history over pages, with the token in no address', async () => {
    const tenant = await newTenant();
    await visit(async ({ page }) => {
      const addresses: string[] = [];
      page.on('request', (request) => addresses.push(request.url()));
      await openShop(page, tenant);
      await say(await openWidget(page), 'Remember me');
      await latest(tenant);
      await openShop(page, tenant);
      await arrived(await openWidget(page), 'Remember me');
      const token = (await page.evaluate('Object.values(localStorage)[0]')) as string;
      expect(token.length).toBeGreaterThan(50);
      expect(addresses.filter((address) => address.includes(token))).toEqual([]);
    });
  });

  test('are not shown in pages of other origins, nor framed by them', async () => {
    const tenant = await newTenant();
    await visit(async ({ page, complaints }) => {
      await openShop(page, tenant, { at: stranger });
      await eventually(() => expect(complaints.join()).toMatch(/403/));
      expect(await page.locator('connect-widget').count()).toBe(0);
      complaints.length = 0;
      await page.evaluate(
        `document.body.append(Object.assign(document.createElement('iframe'), { src: '${platform.url}/widget/frame?tenantId=${tenant.orgId}' }))`,
      );
      await eventually(() => expect(complaints.join()).toMatch(/frame-ancestors/));
    });
  });

  test('disappear within a second when the widget is turned off', async () => {
    const tenant = await newTenant();
    await visit(async ({ page }) => {
      await openShop(page, tenant);
      await say(await openWidget(page), 'Still there?');
      await latest(tenant);
      await tenant.client.call('connect.settings.write', { body: { enabled: false } });
      await page.waitForSelector('connect-widget', { state: 'detached' });
    });
  });

  test('show script in every field as text', async () => {
    const tenant = await newTenant({ name: attack.slice(0, 100), greeting: attack });
    await tenant.client.call('connect.agents.add', { body: { userId: tenant.agent.userId, displayName: attack } });
    await visit(async ({ page, complaints }) => {
      const init = { tenantId: tenant.orgId, user: { id: attack, name: attack, email: 'jean@example.com' } };
      await page.goto(`${shop}/?${new URLSearchParams({ init: JSON.stringify(init) })}`);
      const frame = await openWidget(page);
      expect(await frame.locator('.greeting').textContent()).toBe(attack);
      await say(frame, attack);
      const id = await latest(tenant);
      await visit(async ({ page: other, complaints: ofAgent }) => {
        const inbox = await openInbox(other.context(), tenant, id);
        await inbox.fill('#text', attack);
        await inbox.press('#text', 'Enter');
        await eventually(async () => expect(await textsIn(frame)).toEqual([attack, attack]));
        await eventually(async () => expect(await textsIn(inbox)).toEqual([attack, attack]));
        const name = '<img src=x onerror="window.ran=1">.txt';
        await inbox.setInputFiles('#files', [{ name, mimeType: 'text/plain', buffer: Buffer.from('text') }]);
        await eventually(async () => expect(await inbox.locator('#chosen .state').textContent()).toBe(''));
        await inbox.press('#text', 'Enter');
        await frame.getByRole('button', { name: `Download ${name}` }).waitFor();
        await inbox.locator('article .files a', { hasText: name }).waitFor();
        await inbox.locator('label', { hasText: 'Internal note' }).click();
        await inbox.fill('#text', attack);
        await inbox.press('#text', 'Enter');
        await eventually(async () => expect(await textsIn(inbox, '.note')).toEqual([attack]));
        expect(await inbox.locator('#customer').textContent()).toBe(`${attack} not verified`);
        expect(await frame.locator('.message:not(.mine) .author').first().textContent()).toBe(attack);
        for (const seen of [page, frame, inbox]) {
          expect(await seen.evaluate('window.ran')).toBeUndefined();
          expect(await seen.locator('.bubble img, .bubble script, img[src="x"]').count()).toBe(0);
        }
        expect(ofAgent).toEqual([]);
      });
      expect(complaints).toEqual([]);
    });
  });

  test('carry files of an agent to the visitor, who saves them', async () => {
    const tenant = await newTenant();
    await visit(async ({ page, complaints }) => {
      await openShop(page, tenant);
      const frame = await openWidget(page);
      await say(frame, 'Do you have a price list?');
      const id = await latest(tenant);
      await visit(async ({ page: other, complaints: ofAgent }) => {
        const inbox = await openInbox(other.context(), tenant, id);
        const empty = { name: 'empty.txt', mimeType: 'text/plain', buffer: Buffer.alloc(0) };
        const prices = { name: 'prices.html', mimeType: 'text/html', buffer: Buffer.from(attack) };
        await inbox.setInputFiles('#files', [empty, prices]);
        await inbox.press('#text', 'Enter');
        await inbox.getByText('Not uploaded. The file is empty. Remove it to send the answer.').waitFor();
        await inbox.getByRole('button', { name: 'Remove empty.txt' }).click();
        await eventually(async () => expect(await inbox.locator('#chosen .state').textContent()).toBe(''));
        await inbox.reload();
        await inbox.getByRole('button', { name: 'Remove prices.html' }).waitFor();
        await inbox.press('#text', 'Enter');
        await inbox.locator('article .files a', { hasText: 'prices.html' }).waitFor();
        expect(await inbox.locator('#chosen li').count()).toBe(0);
        const saved = page.waitForEvent('download');
        await frame.getByRole('button', { name: 'Download prices.html' }).click();
        expect((await saved).suggestedFilename()).toBe('prices.html');
        expect(frame.isDetached()).toBe(false);
        expect(await frame.locator('textarea').count()).toBe(1);
        const ofInbox = inbox.waitForEvent('download');
        await inbox.locator('article .files a').click();
        expect((await ofInbox).suggestedFilename()).toBe('prices.html');
        expect(ofAgent).toEqual([]);
      });
      expect(complaints).toEqual([]);
    });
  });

  test('ask a visitor how to be reached while no agent is there', async () => {
    const tenant = await newTenant();
    await visit(async ({ page }) => {
      await openShop(page, tenant, { lang: 'de' });
      const frame = await openWidget(page);
      await frame.getByText('Hinterlassen Sie Ihre E-Mail-Adresse').waitFor();
      await frame.getByLabel('Name').fill('Jean Bartik');
      await frame.getByLabel('E-Mail-Adresse').fill('jean');
      await say(frame, 'Hallo?');
      expect(await frame.getByRole('alert').textContent()).toMatch(/Geben Sie eine E-Mail-Adresse/);
      await frame.getByLabel('E-Mail-Adresse').fill('jean@example.com');
      await frame.press('textarea', 'Enter');
      await arrived(frame, 'Hallo?');
      const conversation = await tenant.client.call('connect.conversations.read', {
        path: { id: await latest(tenant) },
      });
      expect(conversation.visitor).toMatchObject({
        name: 'Jean Bartik',
        email: 'jean@example.com',
        isIdentified: false,
      });
      expect(await frame.getByLabel('E-Mail-Adresse').isVisible()).toBe(false);
    });
  });

  test('can be used with the keyboard alone', async () => {
    const tenant = await newTenant();
    await visit(async ({ page }) => {
      await openShop(page, tenant);
      await page.waitForSelector('connect-widget', { state: 'attached' });
      const place = () => page.evaluate('document.activeElement.localName');
      await page.keyboard.press('Tab');
      expect(await place()).toBe('connect-widget');
      await page.keyboard.press('Enter');
      const frame = await frameIn(page);
      const isFocused = (selector: string) => frame.evaluate(`document.activeElement?.matches('${selector}')`);
      await eventually(async () => expect(await isFocused('textarea, #name')).toBe(true));
      while (!(await isFocused('textarea'))) await page.keyboard.press('Tab');
      await page.keyboard.type('One');
      await page.keyboard.press('Shift+Enter');
      await page.keyboard.type('Two');
      await page.keyboard.press('Enter');
      await arrived(frame, 'One\nTwo');
      await page.keyboard.press('Escape');
      await eventually(async () => expect(await spokenIn(page)).toContain('Open chat'));
      await eventually(async () => expect(await place()).toBe('connect-widget'));
      await eventually(async () => expect(await frame.evaluate('document.hasFocus()')).toBe(false));
      await page.keyboard.press('Enter');
      await eventually(async () => expect(await isFocused('textarea')).toBe(true));
      await visit(async ({ page: other }) => {
        const inbox = await openInbox(other.context(), tenant);
        // The keys work once the page's script has been loaded.
        await eventually(async () => {
          await inbox.locator('#list a').first().focus();
          await inbox.keyboard.press('End');
          expect(await inbox.evaluate('document.activeElement.pathname')).toContain('/inbox/conv_');
        });
        await inbox.keyboard.press('Enter');
        await inbox.waitForURL('**/inbox/conv_**');
        await inbox.focus('#text');
        await inbox.keyboard.type('Yes');
        await inbox.keyboard.press('Enter');
        await arrived(frame, 'Yes');
        await inbox.keyboard.press('Escape');
        expect(await inbox.evaluate('document.activeElement.matches("#list a")')).toBe(true);
      });
    });
  });

  test('show agents who else is looking, insert saved replies, and have keys', async () => {
    const tenant = await newTenant({ allowedOrigins: [shopOrigin] });
    const databaseUrl = await databaseUrlOf(platform);
    const colleague = await createUser(databaseUrl, { orgId: tenant.orgId });
    await tenant.client.call('connect.agents.add', { body: { userId: colleague.userId, displayName: 'Ada' } });
    await tenant.client.call('connect.replies.create', { body: { name: 'Hours', text: 'From 9 to 18.' } });
    const ids: string[] = [];
    for (let number = 0; number < 3; number += 1) {
      const visitor = await newVisitor({ url: platform.url, orgId: tenant.orgId });
      ids.unshift((await visitor.say(`Question ${number}`)).conversationId);
    }
    const [newest = '', middle = ''] = ids;
    await visit(async ({ page, complaints }) => {
      const mine = await openInbox(page.context(), tenant);
      const isAt = (id: string) => mine.waitForURL(`**/inbox/${id}**`);
      // The keys work once the page's script has been loaded.
      await eventually(async () => {
        await mine.keyboard.press('/');
        expect(await mine.evaluate('document.activeElement.name')).toBe('q');
      });
      // A key that is typed into a field is text.
      await mine.keyboard.type('jk');
      expect(await mine.locator('input[name="q"]').inputValue()).toBe('jk');
      await mine.evaluate('document.activeElement.blur()');
      await mine.keyboard.press('j');
      await isAt(newest);
      await mine.locator('#seen').waitFor({ state: 'attached' });
      await eventually(async () =>
        expect(await tenant.client.call('connect.conversations.read', { path: { id: newest } })).toMatchObject({
          unreadCount: 0,
        }),
      );
      await visit(async ({ page: other }) => {
        const theirs = await openInbox(other.context(), { ...tenant, agent: colleague }, newest);
        const words = async (of: Page) =>
          (await of.locator('#looking').isVisible()) ? of.textContent('#looking') : '';
        await eventually(async () => expect(await words(mine)).toBe('Ada is looking at this conversation.'));
        await eventually(async () => expect(await words(theirs)).toBe('Grace is looking at this conversation.'));
        await theirs.goto('about:blank');
        await eventually(async () => expect(await words(mine)).toBe(''));
      });
      await mine.keyboard.press('r');
      await mine.keyboard.type('Hello. Bye.');
      await mine.evaluate('document.getElementById("text").setSelectionRange(7, 7)');
      await mine.getByRole('button', { name: 'Saved replies' }).click();
      await mine.getByRole('link', { name: 'Hours' }).click();
      expect(await mine.locator('#text').inputValue()).toBe('Hello. From 9 to 18.Bye.');
      expect(await mine.evaluate('document.activeElement.id')).toBe('text');
      await mine.keyboard.press('Escape');
      await eventually(async () => expect(await mine.evaluate('document.activeElement.matches("#list a")')).toBe(true));
      await mine.keyboard.press('e');
      await mine.getByRole('button', { name: 'Reopen' }).waitFor();
      await mine.keyboard.press('e');
      await mine.getByRole('button', { name: 'Close' }).waitFor();
      await mine.keyboard.press('Control+j');
      await mine.keyboard.press('j');
      await isAt(middle);
      expect(complaints).toEqual([]);
    });
  });

  test.each([
    ['left to right', 'en', 'ltr'],
    ['right to left', 'ar', 'rtl'],
  ])('can be used by everybody, %s', async (name, lang, dir) => {
    const tenant = await newTenant();
    await visit(async ({ page }) => {
      await openShop(page, tenant, { lang, dir });
      const frame = await openWidget(page);
      expect(await frame.evaluate('document.documentElement.dir')).toBe(dir);
      const check = async (state: string) => {
        for (const { name: look, colorScheme, size } of looks) {
          await page.emulateMedia({ colorScheme });
          await page.setViewportSize(size);
          await page.screenshot({ path: join(screenshots, `widget-${state}-${dir}-${look}.png`) });
          expect({ state, look, problems: await findProblems(frame) }).toEqual({ state, look, problems: [] });
          await expectNoOverflow(frame, { state, look });
          await expectNoOverflow(page, { state, look });
        }
      };
      await check('empty');
      await say(
        frame,
        'Does it fit? See https://shop.example/a-very-long-address-that-has-no-place-to-break-in-it-at-all',
      );
      const id = await latest(tenant);
      await tenant.client.call('connect.messages.create', {
        path: { id },
        body: { text: 'It does.', echoId: name.length.toString() },
      });
      await arrived(frame, 'It does.');
      await check('conversation');
    });
  });

  test('have an inbox and settings that everybody can use', async () => {
    const tenant = await newTenant();
    await visit(async ({ page }) => {
      await openShop(page, tenant);
      await say(
        await openWidget(page),
        'Does it fit? See https://shop.example/a-very-long-address-that-has-no-place-to-break',
      );
      const id = await latest(tenant);
      for (const type of ['messages', 'notes'] as const) {
        await tenant.client.call(`connect.${type}.create`, {
          path: { id },
          body: { text: `Of ${type}`, echoId: type },
        });
      }
      await visit(async ({ page: other, complaints }) => {
        const inbox = await openInbox(other.context(), tenant);
        await expectUsable(inbox, 'inbox-list');
        await inbox.goto(`${platform.url}/console/${slugOf(tenant.orgId)}/inbox/${id}`);
        await expectUsable(inbox, 'inbox-conversation');
        await inbox.goto(`${platform.url}/console/${slugOf(tenant.orgId)}/websites`);
        await expectUsable(inbox, 'websites');
        expect(complaints).toEqual([]);
      });
    });
  });
});
