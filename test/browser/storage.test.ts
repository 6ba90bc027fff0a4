import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { quarters } from '../integration/storage/images/test-images.ts';
import { withBrowser } from '../support/browser.ts';
import { type Client, clientOf } from '../support/client.ts';
import { type Platform, startPlatform } from '../support/platform.ts';
import { storageUrlOf } from '../support/storage-client.ts';
import { createTenant, databaseUrlOf, type Tenant } from '../support/tenants.ts';

const shop = `<!doctype html><title>A shop</title>
<form><input type="file" name="file"><input name="key"><input name="public" value="true"></form>`;

describe('a page of another origin', () => {
  const visit = withBrowser();
  let site: Server;
  let origin: string;
  let platform: Platform;
  let storageUrl: string;
  let tenant: Tenant;
  let client: Client;

  beforeAll(async () => {
    site = createServer((_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(shop));
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    platform = await startPlatform({ env: { CORS_ORIGINS: origin } });
    tenant = await createTenant(await databaseUrlOf(platform));
    client = clientOf({ url: platform.url, ...tenant });
    storageUrl = await storageUrlOf(platform.url);
  });
  afterAll(() => void site.close());

  /** Runs a script in a page. It is a text, because these files have no types for the globals of a page. */
  const run = <T>(page: Page, script: string, given: object): Promise<T> =>
    page.evaluate(`(async (given) => { ${script} })(${JSON.stringify(given)})`);

  const picture = async () => ({
    name: 'räder 1.png',
    mimeType: 'image/png',
    buffer: await (await quarters(80, 40)).png().toBuffer(),
  });

  test('uploads a form that a person has filled in, and shows the picture in the size it wants', async () => {
    await visit(async ({ page, complaints }) => {
      await page.goto(origin);
      await page.setInputFiles('input[type=file]', await picture());
      await page.fill('input[name=key]', 'fahrräder/1.png');
      const stored = await run<{ url: string; mimeType: string; key: string }>(
        page,
        `const body = new FormData(document.querySelector('form'));
        const answer = await fetch(given.url + '/v1/upload', { method: 'POST', headers: given.headers, body });
        return await answer.json();`,
        { url: storageUrl, headers: { authorization: `Bearer ${tenant.apiKey}`, 'x-tenant-id': tenant.orgId } },
      );
      expect(stored).toMatchObject({ key: 'fahrräder/1.png', mimeType: 'image/png', public: true });
      const shown = await run(
        page,
        `const image = new Image();
        image.src = given.src;
        await image.decode();
        return [image.naturalWidth, image.naturalHeight];`,
        { src: `${stored.url}?w=40&f=auto` },
      );
      expect(shown).toEqual([40, 20]);
      expect(complaints).toEqual([]);
    });
  });

  test('puts a file to a signed address, and reads it by another', async () => {
    const { orgId: bucket } = tenant;
    const about = { bucket, key: 'signed/räder.png', mimeType: 'image/png' };
    const { uploadUrl, headers } = await client.call('storage.presign.upload', { body: about });
    await visit(async ({ page, complaints }) => {
      await page.goto(origin);
      await page.setInputFiles('input[type=file]', await picture());
      const put = await run<{ status: number; size: number }>(
        page,
        `const [body] = document.querySelector('input[type=file]').files;
        const answer = await fetch(given.url, { method: 'PUT', headers: given.headers, body });
        return { status: answer.status, ...(await answer.json()) };`,
        { url: uploadUrl, headers },
      );
      expect(put).toMatchObject({ status: 200, size: (await picture()).buffer.length });
      const download = await client.call('storage.presign.download', { body: { bucket, key: about.key } });
      const read = await run(page, 'return (await (await fetch(given.url)).blob()).size;', { url: download.url });
      expect(read).toBe(put.size);
      expect(complaints).toEqual([]);
    });
  });

  test('opens a link that another site has added a parameter to, and shows its text in the right characters', async () => {
    const text = 'Grüße, 日本語 🚲';
    const files: [key: string, bytes: string | Buffer][] = [
      ['utf-8.txt', text],
      ['long.txt', `${'a'.repeat(5000)}${text}`],
      ['marked.txt', `\ufeff${text}`],
    ];
    for (const [key, bytes] of files) {
      await client.send('PUT', `${storageUrl}/v1/objects/${tenant.orgId}/${key}`, bytes, {
        'content-type': 'text/plain',
      });
      await visit(async ({ page, complaints }) => {
        await page.goto(`${storageUrl}/cdn/${tenant.orgId}/${key}?fbclid=IwAR0&utm_source=a`);
        expect(await page.evaluate('document.characterSet')).toBe('UTF-8');
        expect(await page.locator('body').textContent()).toContain(text);
        expect(complaints).toEqual([]);
      });
    }
  });

  test('shows a text of an old encoding in the one that was declared', async () => {
    const address = `${storageUrl}/v1/objects/${tenant.orgId}/cities.txt`;
    // A browser that guesses reads it as another.
    const bytes = Buffer.from('Bucure\xbati', 'latin1');
    await client.send('PUT', address, bytes, { 'content-type': 'text/plain; charset=iso-8859-16' });
    await visit(async ({ page }) => {
      await page.goto(`${storageUrl}/cdn/${tenant.orgId}/cities.txt`);
      expect(await page.locator('body').textContent()).toBe('București');
    });
  });

  test('reads why it was refused, where it may read the object', async () => {
    const names = { named: [origin], unnamed: ['https://other.example.com'] };
    for (const [kind, corsOrigins] of Object.entries(names)) {
      const name = `${tenant.orgId.replace('_', '-')}-${kind}`.slice(-63);
      await client.call('storage.buckets.create', { body: { name, public: true, corsOrigins } });
      const read = `try {
        const answer = await fetch(given.url, { headers: given.headers });
        return { status: answer.status, error: (await answer.json()).error, id: answer.headers.has('x-request-id') };
      } catch (error) {
        return { refused: error.name };
      }`;
      const asked: [url: string, status: number, error: string, headers?: object][] = [
        [`${storageUrl}/cdn/${name}/none.txt`, 404, 'NOT_FOUND'],
        [`${storageUrl}/cdn/${name}/none.txt?w=x`, 400, 'INPUT_INVALID'],
        [`${storageUrl}/v1/objects/${name}/none.txt`, 401, 'CREDENTIAL_REQUIRED'],
        [`${storageUrl}/v1/objects/${name}/none.txt`, 401, 'CREDENTIAL_INVALID', { authorization: 'Bearer x' }],
      ];
      await visit(async ({ page }) => {
        await page.goto(origin);
        for (const [url, status, error, headers = {}] of asked) {
          const expected = kind === 'named' ? { status, error, id: true } : { refused: 'TypeError' };
          expect({ url, ...(await run<object>(page, read, { url, headers })) }).toEqual({ url, ...expected });
        }
      });
    }
  });

  test('runs nothing of a page or a drawing that was uploaded', async () => {
    const script = '<script>document.title = "ran"</script>';
    const files: [key: string, type: string, content: string][] = [
      ['page.html', 'text/html', `<!doctype html><title>Uploaded</title>${script}`],
      ['drawing.svg', 'image/svg+xml', `<svg xmlns="http://www.w3.org/2000/svg"><title>Drawn</title>${script}</svg>`],
    ];
    for (const [key, type, content] of files) {
      const headers = { 'content-type': type };
      await client.send('PUT', `${storageUrl}/v1/objects/${tenant.orgId}/${key}`, content, headers);
      await visit(async ({ page }) => {
        const saved = page.waitForEvent('download');
        await page.goto(`${storageUrl}/cdn/${tenant.orgId}/${key}`).catch(() => undefined);
        expect((await saved).suggestedFilename()).toBe(key);
        expect(await page.title()).toBe('');
      });
    }
  });
});
