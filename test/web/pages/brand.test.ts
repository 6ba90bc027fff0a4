import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { contrast } from '../../../web/theme.ts';
import { mailboxToken } from '../../support/mailbox.ts';
import { expectPage, visitorOf } from '../../support/pages.ts';
import { type Platform, startNode, startPlatform } from '../../support/platform.ts';
import { until } from '../../support/until.ts';

const folder = mkdtempSync(join(tmpdir(), 'brand-'));
const logo = join(folder, 'logo.svg');
const picture = '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>';
let platform: Platform;

beforeAll(async () => {
  writeFileSync(logo, picture);
  const env = { BRAND_NAME: 'Acme & Sons', BRAND_LOGO: logo, BRAND_COLOR: '#ffcc00', DEV_MAILBOX: 'yes' };
  platform = await startPlatform({ env });
});
afterAll(async () => {
  await platform.stop();
  rmSync(folder, { recursive: true });
});

describe('a platform with a brand', () => {
  test('shows its name and logo on pages, and serves the logo', async () => {
    const visitor = visitorOf(platform.url);
    const page = await visitor.get('/self-service/login/browser');
    expectPage(page, 200);
    expect(page.text).toContain('<title>Log in · Acme &amp; Sons</title>');
    expect(page.text).toContain('<img src="/self-service/logo" alt="Acme &amp; Sons">');
    const { status, headers, text } = await visitor.get('/self-service/logo');
    expect({ status, type: headers['content-type'], text }).toEqual({
      status: 200,
      type: 'image/svg+xml',
      text: picture,
    });
    expect(headers['content-security-policy']).toContain("default-src 'none'");
  });

  test('has buttons of its colour that can be read in both modes', async () => {
    const { text } = await visitorOf(platform.url).get('/self-service/style.css');
    const [, light, dark] = /--accent:light-dark\((#[0-9a-f]{6}),(#[0-9a-f]{6})\)/.exec(text)!;
    const [, fill] = /--fill:light-dark\((#[0-9a-f]{6}),/.exec(text)!;
    expect(dark).toBe('#ffcc00');
    expect(contrast(light!, '#ffffff')).toBeGreaterThanOrEqual(4.5);
    expect(contrast(fill!, '#ffffff')).toBeGreaterThanOrEqual(4.5);
  });

  test('says its name in mails', async () => {
    const visitor = visitorOf(platform.url);
    const path = '/self-service/recovery/browser';
    await visitor.postFrom(path, '/self-service/recovery', { email: platform.firstRun.adminEmail });
    await until(async () => /Acme &amp; Sons/.test((await openFirst()) ?? ''));

    async function openFirst(): Promise<string | undefined> {
      const { text } = await visitor.get(`/dev/mailbox?token=${mailboxToken(platform)}`);
      const [, message] = /href="(\/dev\/mailbox\/[^"]+)"/.exec(text) ?? [];
      return message && (await visitor.get(message)).text;
    }
  });
});

test('a logo that cannot be read fails the start, and the message names the setting', async () => {
  const node = startNode({ env: { BRAND_LOGO: join(folder, 'missing.png') } });
  expect(await node.exited).not.toBe(0);
  expect(node.output()).toContain('BRAND_LOGO cannot be read');
  await node.stop();
});
