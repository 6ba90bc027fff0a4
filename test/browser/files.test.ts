import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { quarters } from '../integration/storage/images/test-images.ts';
import { withBrowser } from '../support/browser.ts';
import { type Client, clientOf } from '../support/client.ts';
import { type Platform, startPlatform } from '../support/platform.ts';
import { createTenant, databaseUrlOf, slugOf, type Tenant } from '../support/tenants.ts';
import { createUser } from '../support/user-client.ts';
import { expectUsable } from './pages-browser.ts';

// Each page is looked at in many sizes, which takes a while on a busy machine.
jest.setTimeout(240_000);

describe('the files of the console', () => {
  const visit = withBrowser();
  let platform: Platform;
  let tenant: Tenant;
  let client: Client;
  let files: string;
  let session: { cookies: { name: string; value: string; url: string }[]; origins: [] };

  beforeAll(async () => {
    platform = await startPlatform();
    const databaseUrl = await databaseUrlOf(platform);
    tenant = await createTenant(databaseUrl);
    client = clientOf({ url: platform.url, ...tenant });
    const { sessionToken } = await createUser(databaseUrl, { orgId: tenant.orgId });
    session = { cookies: [{ name: 'platform_session', value: sessionToken, url: platform.url }], origins: [] };
    files = `${platform.url}/console/${slugOf(tenant.orgId)}/files`;
  });

  const newBucket = async (name: string, choices: object = {}) => {
    const bucket = `${name}-${slugOf(tenant.orgId).slice(0, 40)}`;
    await client.call('storage.buckets.create', { body: { name: bucket, ...choices } });
    return bucket;
  };
  const open = async (page: Page, path: string) => {
    await page.context().addCookies(session.cookies);
    await page.goto(files + path);
  };
  const keysOf = async (bucketName: string) =>
    (await client.call('storage.objects.list', { path: { bucketName }, query: {} })).data.map(({ key }) => key);
  const textFile = (name: string, text = name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
  const row = (page: Page, name: string) => page.locator('.uploads li', { hasText: name });

  test('are uploaded several at a time, with a question where a name exists', async () => {
    const bucket = await newBucket('several');
    await visit(async ({ page, complaints }) => {
      await open(page, `/buckets/${bucket}?prefix=notes/`);
      const input = page.locator('input[type=file]');
      await input.setInputFiles(['a.txt', 'b <i>.txt', 'c.txt', 'd.txt'].map((name) => textFile(name)));
      await page.getByText('4 of 4 uploaded').waitFor();
      // The list has them without a reload.
      await page.locator('#file-list').getByRole('link', { name: 'd.txt' }).waitFor();
      expect(await keysOf(bucket)).toEqual(['notes/a.txt', 'notes/b <i>.txt', 'notes/c.txt', 'notes/d.txt']);

      await input.setInputFiles([textFile('a.txt', 'a longer text')]);
      await row(page, 'Already there').waitFor();
      await page.getByRole('button', { name: 'Replace a.txt' }).click();
      await page.getByText('5 of 5 uploaded').waitFor();
      const { data } = await client.call('storage.objects.list', {
        path: { bucketName: bucket },
        query: { prefix: 'notes/a' },
      });
      expect(data).toMatchObject([{ size: 'a longer text'.length }]);
      await page.getByRole('button', { name: 'Close uploads' }).click();
      expect(await page.locator('.uploads').isVisible()).toBe(false);
      // The browser reports the status of the question, which is a refusal.
      expect(complaints.filter((complaint) => !complaint.includes('409'))).toEqual([]);
    });
  });

  test('are dropped on the page with their folders', async () => {
    const bucket = await newBucket('dropped');
    await visit(async ({ page, complaints }) => {
      await open(page, `/buckets/${bucket}`);
      await page.evaluate(`(() => {
        const transfer = new DataTransfer();
        transfer.items.add(new File(['dropped'], 'dropped.txt', { type: 'text/plain' }));
        dispatchEvent(new DragEvent('dragover', { dataTransfer: transfer, cancelable: true }));
        dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, cancelable: true }));
      })()`);
      await page.getByText('1 of 1 uploaded').waitFor();
      expect(await keysOf(bucket)).toEqual(['dropped.txt']);
      expect(complaints).toEqual([]);
    });
  });

  test('are sent again after a lost connection, and not stored when cancelled', async () => {
    const bucket = await newBucket('lost');
    await visit(async ({ page }) => {
      await open(page, `/buckets/${bucket}`);
      await page.route('**/v1/objects/**', (route) => route.abort('connectionreset'), { times: 1 });
      await page.locator('input[type=file]').setInputFiles([textFile('resumed.txt')]);
      await row(page, 'Connection lost').waitFor();
      await page.getByText('1 of 1 uploaded').waitFor();
      expect(await keysOf(bucket)).toEqual(['resumed.txt']);

      await page.route('**/v1/objects/**', () => undefined);
      await page.locator('input[type=file]').setInputFiles([textFile('cancelled.txt')]);
      await row(page, 'cancelled.txt').waitFor();
      await page.getByRole('button', { name: 'Cancel cancelled.txt' }).click();
      await page.getByText('1 of 1 uploaded').waitFor();
      expect(await row(page, 'cancelled.txt').count()).toBe(0);
      expect(await keysOf(bucket)).toEqual(['resumed.txt']);
    });
  });

  test('that the bucket does not allow are refused with the reason', async () => {
    const bucket = await newBucket('pictures', { allowedMimeTypes: ['image/*'], maxObjectBytes: 5000 });
    await visit(async ({ page }) => {
      await open(page, `/buckets/${bucket}`);
      const png = { name: 'fake.png', mimeType: 'image/png', buffer: Buffer.from('no picture') };
      const large = { name: 'large.png', mimeType: 'image/png', buffer: Buffer.alloc(5001) };
      await page.locator('input[type=file]').setInputFiles([textFile('a.txt'), png, large]);
      await row(page, 'accepts only image/*').waitFor();
      await row(page, 'must be at most 5000 bytes').waitFor();
      await page.getByText('0 of 3 uploaded').waitFor();
      expect(await page.locator('.uploads li[data-state=failed]').count()).toBe(3);
      expect(await keysOf(bucket)).toEqual([]);
    });
  });

  test('are uploaded, replaced and deleted without a script', async () => {
    const bucket = await newBucket('plain');
    const options = { javaScriptEnabled: false };
    await visit(async ({ page, complaints }) => {
      await open(page, `/buckets/${bucket}?prefix=a%20b/`);
      const upload = async (text: string, replaces = false) => {
        await page.locator('input[type=file]').setInputFiles([textFile('räder.txt', text)]);
        if (replaces) await page.getByLabel('Replace a file').check();
        await page.getByRole('button', { name: 'Upload' }).click();
      };
      await upload('first');
      await page.getByText('a b/räder.txt is uploaded.').waitFor();
      await upload('second');
      await page.getByText('A file with this name exists.').waitFor();
      await upload('the third', true);
      await page.getByText('a b/räder.txt is uploaded.').waitFor();
      const { data } = await client.call('storage.objects.list', { path: { bucketName: bucket }, query: {} });
      expect(data).toMatchObject([{ key: 'a b/räder.txt', size: 9 }]);
      await page.getByRole('button', { name: 'Upload' }).click();
      expect(await keysOf(bucket)).toHaveLength(1);

      await page.getByLabel('Select räder.txt').check();
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('button', { name: 'Delete 1 file' }).click();
      await page.getByText('Files deleted.').waitFor();
      expect(await keysOf(bucket)).toEqual([]);
      // The browser reports the status of the refusal.
      expect(complaints.filter((complaint) => !complaint.includes('400'))).toEqual([]);
    }, options);
  });

  test('have pages that everybody can use', async () => {
    const bucket = await newBucket('looks', { public: true });
    const empty = await newBucket('empty');
    const picture = await (await quarters(80, 40)).png().toBuffer();
    const long = `${'a-very-long-name-without-a-space-'.repeat(6)}.txt`;
    await visit(async ({ page, complaints }) => {
      await open(page, `/buckets/${bucket}`);
      const photo = { name: 'photo.png', mimeType: 'image/png', buffer: picture };
      await page.locator('input[type=file]').setInputFiles([photo, textFile(long), textFile('a.txt')]);
      await page.getByText('3 of 3 uploaded').waitFor();
      await page.locator('#file-list').getByRole('link', { name: 'photo.png' }).waitFor();
      await page.getByLabel('Select a.txt').check();
      await expectUsable(page, 'files-folder');
      await page.getByRole('link', { name: 'Tiles' }).click();
      await page.getByLabel('Select a.txt').check();
      await page.locator('.bulk').waitFor();
      const thumbnail = "document.querySelector('.thumb img').decode()";
      await page.evaluate(thumbnail);
      await expectUsable(page, 'files-tiles');
      // A tile is one link, which the keyboard reaches after its box.
      await page.getByLabel('Select photo.png').focus();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.waitForURL(/file\?key=photo\.png/);
      const pages = [
        ['', 'files-buckets'],
        ['/new', 'files-new-bucket'],
        [`/buckets/${empty}`, 'files-empty'],
        [`/buckets/${bucket}/settings`, 'files-settings'],
        [`/buckets/${bucket}/file?key=photo.png&w=40`, 'files-image'],
        [`/buckets/${bucket}/file?key=${long}`, 'files-text'],
        [`/buckets/${bucket}/file/settings?key=${long}`, 'files-file-settings'],
        [`/buckets/${bucket}/folder`, 'files-new-folder'],
      ] as const;
      for (const [path, name] of pages) {
        await page.goto(files + path);
        await expectUsable(page, name);
      }
      await page.goto(`${files}/buckets/${bucket}/file?key=photo.png&w=40`);
      const width = `(async () => {
        const image = document.querySelector('.shot img');
        await image.decode();
        return image.naturalWidth;
      })()`;
      expect(await page.evaluate(width)).toBe(40);
      expect(complaints).toEqual([]);
    });
  });
});
