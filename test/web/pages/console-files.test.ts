import { beforeAll, describe, expect, test } from '@jest/globals';
import { quarters } from '../../integration/storage/images/test-images.ts';
import { type Answer, send } from '../../support/http.ts';
import { expectPage, expectRedirect, flowOf, newVisitor, type Visitor, wordsOf } from '../../support/pages.ts';
import { type StorageClient, storageOf } from '../../support/storage-client.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { slugOf } from '../../support/tenants.ts';
import { decodeEntities } from '../../support/user-agent.ts';
import { newUserClient } from '../../support/user-client.ts';

let tenant: Awaited<ReturnType<typeof newTenantClient>>;
let storage: StorageClient;
let browser: Visitor;
/** A member, who may read and upload, but neither delete nor change buckets. */
let member: Visitor;
let files: string;
let bucket: string;
let page: string;

beforeAll(async () => {
  tenant = await newTenantClient({ plan: 'pro' });
  storage = await storageOf(tenant);
  browser = await newVisitor((await newUserClient({ orgId: tenant.orgId })).sessionToken);
  files = `/console/${slugOf(tenant.orgId)}/files`;
  bucket = await newBucket('main');
  page = `${files}/buckets/${bucket}`;
  member = await newVisitor((await newUserClient({ orgId: tenant.orgId, role: 'member' })).sessionToken);
});

async function newBucket(name: string, choices: object = {}): Promise<string> {
  const full = `${name}-${slugOf(tenant.orgId).slice(0, 40)}`;
  await tenant.call('storage.buckets.create', { body: { name: full, ...choices } });
  return full;
}

const put = async (key: string, text: string, to = bucket, type = 'text/plain') =>
  expect((await storage.put(to, key, text, { 'content-type': type })).status).toBe(200);
const objectsOf = async (bucketName = bucket, prefix = '') =>
  (await tenant.call('storage.objects.list', { path: { bucketName }, query: { prefix } })).data;
const keysOf = async (bucketName?: string, prefix?: string) =>
  (await objectsOf(bucketName, prefix)).map(({ key }) => key);
const readBucket = (bucketName: string) => tenant.call('storage.buckets.read', { path: { bucketName } });
const fileOf = (key: string, below = '', to = bucket) =>
  `${files}/buckets/${to}/file${below}?${new URLSearchParams({ key })}`;
/** The signed address of the upload form of a page. */
const formOf = ({ text }: Answer): string =>
  decodeEntities(/<form class="drop" method="post" action="([^"]*)"/.exec(text)![1]!);

/** Sends an upload form as a browser does, and gives the path that it leads back to. */
async function upload(address: string, name: string, text: string, replace = false): Promise<Answer> {
  const form = new FormData();
  if (replace) form.append('replace', 'on');
  form.append('file', new Blob([text], { type: 'text/plain' }), name);
  const encoded = new Response(form);
  const { origin, pathname, search } = new URL(address);
  return send(origin, {
    method: 'POST',
    path: pathname + search,
    headers: { 'content-type': encoded.headers.get('content-type')! },
    body: new Uint8Array(await encoded.arrayBuffer()),
  });
}

const pathBack = ({ status, headers }: Answer): string => {
  expect(status).toBe(303);
  const { origin, pathname, search } = new URL(String(headers.location));
  expect(origin).toBe(browser.url);
  return pathname + search;
};

describe('the buckets of an organization', () => {
  test('are listed with their files, their access and what they use of the plan', async () => {
    const shown = await browser.get(files);
    expectPage(shown, 200, /Files .* Storage .* of .* Traffic this month .* Private/);
    expect(shown.text).toContain(`href="${page}"`);
  });

  test('teach the first step where there is none', async () => {
    const other = await newTenantClient();
    const visitor = await newVisitor((await newUserClient({ orgId: other.orgId })).sessionToken);
    const shown = await visitor.get(`/console/${slugOf(other.orgId)}/files`);
    expectPage(shown, 200, /No buckets yet .* Create bucket/);
    expect(wordsOf(shown)).toContain(`-H "x-tenant-id: ${other.orgId}"`);
    expect(wordsOf(shown)).toContain(`curl -sS ${storage.url}/v1/buckets`);
  });

  test('are created with their choices, once also when the form is sent again', async () => {
    const name = `made-${slugOf(tenant.orgId).slice(0, 40)}`;
    const fields = {
      flow: flowOf(await browser.get(`${files}/new`)),
      name,
      public: 'on',
      allowedMimeTypes: 'image/*\napplication/pdf',
      maxObjectBytes: '0.5',
      cacheControl: 'public, max-age=60',
      corsOrigins: 'https://shop.example.com',
      expiry: '7 tmp/\n30',
    };
    const created = `${files}/buckets/${name}?done=created`;
    expectRedirect(await browser.post(`${files}/new`, fields), created);
    expectRedirect(await browser.post(`${files}/new`, fields), created);
    expectPage(await browser.get(created), 200, /Bucket created/);
    expect(await readBucket(name)).toMatchObject({
      public: true,
      allowedMimeTypes: ['image/*', 'application/pdf'],
      maxObjectBytes: 500_000,
      cacheControl: 'public, max-age=60',
      corsOrigins: ['https://shop.example.com'],
      expiry: [
        { prefix: 'tmp/', days: 7 },
        { prefix: '', days: 30 },
      ],
    });
  });

  test('are refused at the field that is wrong; what was typed stays, and nothing is created', async () => {
    const before = (await tenant.call('storage.buckets.list', { query: {} })).data;
    const valid = { name: 'valid-name', maxObjectBytes: '', cacheControl: 'kept', corsOrigins: '*', expiry: '' };
    const refusals = [
      [{ ...valid, name: ' ' }, 400, /Enter a name/],
      [{ ...valid, name: 'No Name' }, 400, /lower-case letters, digits and dashes/],
      [{ ...valid, name: bucket }, 409, /taken/],
      [{ ...valid, maxObjectBytes: 'large' }, 400, /Enter a number such as 20/],
      [{ ...valid, allowedMimeTypes: 'pictures' }, 400, /type such as image\/png/],
      [{ ...valid, cacheControl: 'kept;' }, 400, /Must be a Cache-Control header/],
      [{ ...valid, corsOrigins: 'shop' }, 400, /Enter origins such as/],
      [{ ...valid, expiry: 'tmp/ 7' }, 400, /Begin each line with a number of days/],
      [{ ...valid, expiry: '99999' }, 400, /Must be at most 3650/],
    ] as const;
    for (const [fields, status, words] of refusals) {
      const answer = await browser.postFrom(`${files}/new`, `${files}/new`, fields);
      expectPage(answer, status, words);
      expect(answer.text).toContain('value="kept');
    }
    const stale = await browser.post(`${files}/new`, { ...valid, flow: 'none' });
    expectPage(stale, 400, /open for too long/);
    expect((await tenant.call('storage.buckets.list', { query: {} })).data).toEqual(before);
  });
});

describe('the settings of a bucket', () => {
  test('are changed, and shown as they are', async () => {
    const name = await newBucket('settings', { maxObjectBytes: 10_485_760 });
    const settings = `${files}/buckets/${name}/settings`;
    const shown = await browser.get(settings);
    expect(shown.text).toContain('value="10.48576"');
    const fields = { maxObjectBytes: '10.48576', allowedMimeTypes: 'text/*', corsOrigins: '', public: 'on' };
    expectRedirect(await browser.postFrom(settings, settings, fields), `${settings}?done=saved`);
    expect(await readBucket(name)).toMatchObject({
      public: true,
      maxObjectBytes: 10_485_760,
      allowedMimeTypes: ['text/*'],
      corsOrigins: [],
      expiry: [],
    });
    const wrong = await browser.postFrom(settings, settings, { ...fields, allowedMimeTypes: 'x' });
    expectPage(wrong, 400, /type such as image\/png/);
    expect(await readBucket(name)).toMatchObject({ allowedMimeTypes: ['text/*'] });
  });

  test('delete it only when its name is typed', async () => {
    const name = await newBucket('to-delete');
    await put('a.txt', 'a', name);
    const settings = `${files}/buckets/${name}/settings`;
    const wrong = await browser.postFrom(settings, `${settings}/delete`, { confirm: 'another' });
    expectPage(wrong, 400, new RegExp(`Enter ${name} exactly`));
    expect(await keysOf(name)).toEqual(['a.txt']);
    expectRedirect(await browser.postFrom(settings, `${settings}/delete`, { confirm: name }), `${files}?done=deleted`);
    expect((await browser.get(settings)).status).toBe(404);
  });
});

describe('a folder', () => {
  test('has its folders and files, found by the beginning of a name, page by page', async () => {
    const name = await newBucket('listed');
    await Promise.all(['b.txt', 'a/deep/c.txt', 'a/<b>.txt', 'a/zebra.txt'].map((key) => put(key, key, name)));
    const root = `${files}/buckets/${name}`;
    const shown = await browser.get(root);
    expectPage(shown, 200, /Name Type Size Changed a Folder .* b\.txt .* text\/plain 5 bytes/);
    expect(shown.text).toContain(`href="${root}?prefix=a%2F"`);
    const folder = await browser.get(`${root}?prefix=a/`);
    expectPage(folder, 200, /deep Folder .* <b>\.txt .* zebra\.txt/);
    expect(folder.text).not.toContain('<b>.txt');
    const found = await browser.get(`${root}?prefix=a/&search=ze`);
    expectPage(found, 200, /zebra\.txt/);
    expect(wordsOf(found)).not.toContain('deep');
    expectPage(await browser.get(`${root}?search=nothing`), 200, /No file here begins with “ nothing ”/);
    expectPage(await browser.get(`${root}?cursor=wrong`), 400);
    expectPage(await browser.get(`${root}?prefix=none/`), 200, /No files here yet .* -F 'key=none\/hello\.txt'/);

    const fragment = await browser.get(`${root}?fragment=list`);
    expect(fragment.text).not.toContain('<html');
    expect(fragment.text).toContain('b.txt');

    const many = Array.from({ length: 51 }, (_, index) => `many/${String(index).padStart(2, '0')}.txt`);
    for (const key of many) await put(key, 'x', name);
    const first = await browser.get(`${root}?prefix=many/`);
    expect(wordsOf(first)).not.toContain('50.txt');
    const next = decodeEntities(/href="([^"]*)" rel="next"/.exec(first.text)![1]!);
    expectPage(await browser.get(next), 200, /50\.txt .* First page/);
  });

  test('has its files as tiles too, which the links of the list keep', async () => {
    const name = await newBucket('tiles', { public: true });
    const root = `${files}/buckets/${name}`;
    const picture = await (await quarters(80, 40)).png().toBuffer();
    expect((await storage.put(name, 'a/1.png', picture, { 'content-type': 'image/png' })).status).toBe(200);
    expect((await storage.put(name, 'a/2.png', picture, { 'content-type': 'image/png' })).status).toBe(200);
    await tenant.call('storage.objects.update', {
      path: { bucket: name, key: 'a/2.png' },
      headers: {},
      body: { public: false },
    });
    await put('a/<b>.txt', 'x', name);
    await put('a/deep/c.txt', 'x', name);
    const list = await browser.get(`${root}?prefix=a/`);
    const href = `${root}?prefix=a%2F&view=tiles`;
    expect(decodeEntities(list.text)).toContain(`href="${href}" aria-label="Tiles"`);
    expect(list.text).not.toContain('class="tile');
    const tiles = await browser.get(href);
    expectPage(tiles, 200, /deep .*1\.png \d+ bytes 2\.png \d+ bytes <b>\.txt 1 byte/);
    expect(tiles.text).not.toMatch(/<table|<b>\.txt/);
    const text = decodeEntities(tiles.text);
    // A variant is made of a public image only.
    const { url } = (await objectsOf(name, 'a/1'))[0]!;
    expect(text.match(/<img [^>]*loading="lazy"/g)).toHaveLength(1);
    const [, source = ''] = /<img src="([^"]*)" alt=""/.exec(text)!;
    expect(source).toMatch(new RegExp(`^${url}\\?w=240&h=180&dpr=2&fit=cover&f=webp$`));
    expect((await fetch(source)).headers.get('content-type')).toBe('image/webp');
    const kept = [
      `${root}?prefix=a%2Fdeep%2F&view=tiles`,
      `${root}?view=tiles`,
      `${root}/folder?prefix=a%2F&view=tiles`,
      `${root}?prefix=a%2F`,
    ];
    for (const one of kept) expect(text).toContain(`href="${one}"`);
    expect(text).toContain('<input type="hidden" name="view" value="tiles">');
    const fragment = /data-src="([^"]*)"/.exec(text)?.[1];
    expect((await browser.get(fragment!)).text).toContain('class="tile');
    expectRedirect(
      await browser.get(`${root}/folder?prefix=a/&view=tiles&name=new`),
      `${root}?prefix=a%2Fnew%2F&view=tiles`,
    );
    expectPage(await browser.get(`${root}?view=tiles&prefix=none/`), 200, /No files here yet/);
  });

  test('shows tiles without thumbnails where the bucket may not be embedded', async () => {
    const name = await newBucket('own-tiles', { public: true, corsOrigins: [] });
    const picture = await (await quarters(80, 40)).png().toBuffer();
    expect((await storage.put(name, '1.png', picture, { 'content-type': 'image/png' })).status).toBe(200);
    const shown = await browser.get(`${files}/buckets/${name}?view=tiles`);
    expectPage(shown, 200, /1\.png/);
    expect(shown.text).not.toContain('<img src="http');
  });

  test('deletes files that were chosen among the tiles, and shows tiles again', async () => {
    await put('t/1.txt', 'x');
    const chosen = { prefix: 't/', view: 'tiles', 'chosen.1.txt': 'on' };
    const question = await browser.postFrom(`${page}?prefix=t/&view=tiles`, `${page}/delete`, chosen);
    expect(decodeEntities(question.text)).toContain(`href="${page}?prefix=t%2F&view=tiles"`);
    const confirmed = { flow: flowOf(question), ...chosen, confirm: 'on' };
    const back = `${page}?prefix=t%2F&view=tiles&done=files-deleted`;
    expectRedirect(await browser.post(`${page}/delete`, confirmed), back);
    expect(await keysOf(bucket, 't/')).toEqual([]);
    expect((await member.get(`${page}?view=tiles`)).text).not.toContain('class="pick"');
  });

  test('is opened before it has files', async () => {
    expectPage(await browser.get(`${page}/folder?prefix=a/`), 200, /New folder/);
    expectPage(await browser.get(`${page}/folder?prefix=a/&name=%20`), 200, /Enter a name/);
    expectRedirect(await browser.get(`${page}/folder?prefix=a/&name=b%20c`), `${page}?prefix=a%2Fb+c%2F`);
  });

  test('deletes the chosen files once that is confirmed', async () => {
    await Promise.all(['x/1.txt', 'x/<2>.txt', 'x/3.txt'].map((key) => put(key, key)));
    const chosen = { prefix: 'x/', 'chosen.1.txt': 'on', 'chosen.<2>.txt': 'on' };
    const from = `${page}?prefix=x/`;
    const question = await browser.postFrom(from, `${page}/delete`, chosen);
    expectPage(question, 200, /Delete 2 files\? .* x\/1\.txt x\/<2>\.txt Delete 2 files/);
    expect(await keysOf(bucket, 'x/')).toHaveLength(3);
    const confirmed = { flow: flowOf(question), ...chosen, confirm: 'on' };
    expectRedirect(await browser.post(`${page}/delete`, confirmed), `${page}?prefix=x%2F&done=files-deleted`);
    expect(await keysOf(bucket, 'x/')).toEqual(['x/3.txt']);
    // A repetition finds nothing to delete.
    expectRedirect(await browser.post(`${page}/delete`, confirmed), `${page}?prefix=x%2F&done=files-deleted`);
    const none = await browser.post(`${page}/delete`, { flow: confirmed.flow, prefix: 'x/', confirm: 'on' });
    expectPage(none, 400, /Select the files to delete first/);
    const stale = await browser.post(`${page}/delete`, { ...confirmed, 'chosen.3.txt': 'on', flow: 'none' });
    expectPage(stale, 400, /open for too long/);
    expect(await keysOf(bucket, 'x/')).toEqual(['x/3.txt']);
  });
});

describe('an upload without a script', () => {
  test('stores the file in the folder, and asks before it replaces one', async () => {
    const address = formOf(await browser.get(`${page}?prefix=up/`));
    const stored = pathBack(await upload(address, 'ä <b>.txt', 'first'));
    expect(stored).toContain('prefix=up');
    expectPage(await browser.get(stored), 200, /up\/ä <b>\.txt is uploaded/);
    const refused = pathBack(await upload(address, 'ä <b>.txt', 'second'));
    expectPage(await browser.get(refused), 400, /A file with this name exists/);
    expect(await objectsOf(bucket, 'up/')).toMatchObject([{ key: 'up/ä <b>.txt', size: 5 }]);
    expectPage(await browser.get(pathBack(await upload(address, 'ä <b>.txt', 'the third', true))), 200, /is uploaded/);
    expect(await objectsOf(bucket, 'up/')).toMatchObject([{ key: 'up/ä <b>.txt', size: 9 }]);
  });

  test('is refused with the reason, and stores nothing', async () => {
    const strict = await newBucket('strict', { allowedMimeTypes: ['image/*'], maxObjectBytes: 10 });
    const at = `${files}/buckets/${strict}`;
    const address = formOf(await browser.get(at));
    const refusals = [
      ['a.txt', 'short', /whose type this bucket allows/],
      ['a.txt', 'longer than ten bytes', /larger than this bucket allows/],
      ['', 'no name', /choose a file/],
    ] as const;
    for (const [name, text, words] of refusals) {
      expectPage(await browser.get(pathBack(await upload(address, name, text))), 400, words);
    }
    expect(await keysOf(strict)).toEqual([]);
    expectPage(await browser.get(`${at}?refused=<b>`), 400, /Not uploaded\. Try again/);
  });

  test('needs the signature of a page: another one, a changed one or none is refused', async () => {
    const address = formOf(await browser.get(page));
    const { uploadUrl } = await tenant.call('storage.presign.upload', {
      body: { bucket, key: 'signed.txt', mimeType: 'text/plain' },
    });
    const other = `${storage.url}/v1/upload/form${new URL(uploadUrl).search}`;
    for (const wrong of [other, `${address}x`, `${storage.url}/v1/upload/form?signature=`]) {
      const answer = await upload(wrong, 'wrong.txt', 'x');
      expect(answer.status).toBe(401);
    }
    const asPut = await send(storage.url, {
      method: 'PUT',
      path: `/v1/objects/${bucket}/wrong.txt${new URL(address).search}`,
      headers: { 'content-type': 'text/plain' },
      body: 'x',
    });
    expect(asPut.status).toBe(401);
    expect(await keysOf(bucket, 'wrong')).toEqual([]);
  });
});

describe('the signing of uploads for the script', () => {
  const sign = (query: Record<string, string>, by = browser) => by.get(`${page}/sign?${new URLSearchParams(query)}`);

  test('gives an address that takes the file once', async () => {
    const { status, text } = await sign({ prefix: 's/', name: 'ü.txt', type: 'text/plain', size: '2', replace: '' });
    expect(status).toBe(200);
    const url = new URL(decodeEntities(/href="([^"]*)"/.exec(text)![1]!));
    const request = { method: 'PUT', path: url.pathname + url.search, headers: { 'content-type': 'text/plain' } };
    expect((await send(url.origin, { ...request, body: 'ab' })).status).toBe(200);
    expect((await send(url.origin, { ...request, body: 'ab' })).status).toBe(409);
    expect(await keysOf(bucket, 's/')).toEqual(['s/ü.txt']);
  });

  test('says that a file exists, unless it is to be replaced, and what the bucket refuses', async () => {
    await put('t/a.txt', 'abc');
    const about = { prefix: 't/', name: 'a.txt', type: 'text/plain', size: '2' };
    const present = await sign(about);
    expect([present.status, present.text]).toEqual([409, expect.stringContaining('data-size="3"')]);
    expect((await sign({ ...about, replace: 'on' })).status).toBe(200);
    const wrong = await sign({ ...about, name: '../a' });
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('data-kind="refused"')]);
    expect((await sign({ ...about, name: 'b.txt', size: 'x' })).status).toBe(400);
    const denied = await sign(about, member);
    expect([denied.status, denied.text]).toEqual([409, expect.stringContaining('storage.delete')]);
  });
});

describe('a file', () => {
  test('is shown with its facts, the beginning of a text, and its public address', async () => {
    const open = await newBucket('open', { public: true });
    const key = 'notes/<i>naïve.txt';
    await put(key, `<script>alert(1)</script>${'é'.repeat(9000)}`, open);
    const shown = await browser.get(fileOf(key, '', open));
    expectPage(
      shown,
      200,
      /<i>naïve\.txt Public .* The first 16\.4 KB\. .* Key .* Object ID .* SHA-256, also the ETag .* Metadata None/,
    );
    expect(shown.text).not.toContain('<script>alert');
    expect(wordsOf(shown)).not.toContain('\ufffd');
    const [{ url = '' } = {}] = await objectsOf(open);
    expect(wordsOf(shown)).toContain(url);
    expect((await browser.get(fileOf('notes/none.txt', '', open))).status).toBe(404);
    expect((await browser.get(fileOf('notes', '', open))).status).toBe(404);
    expect((await browser.get(`${page}/file`)).status).toBe(404);
  });

  test('of a public image has variants with their address, and refuses wrong parameters', async () => {
    const open = await newBucket('images', { public: true });
    const picture = await (await quarters(80, 40)).png().toBuffer();
    expect((await storage.put(open, 'a.png', picture, { 'content-type': 'image/png' })).status).toBe(200);
    const shown = await browser.get(`${fileOf('a.png', '', open)}&w=40&h=20&fit=cover&q=&f=webp`);
    expectPage(shown, 200, /Image variants/);
    const address = `${(await objectsOf(open))[0]!.url}?w=40&h=20&fit=cover&f=webp`;
    expect(decodeEntities(shown.text)).toContain(`<img src="${address}"`);
    const variant = await fetch(address);
    expect([variant.status, variant.headers.get('content-type')]).toEqual([200, 'image/webp']);
    expectPage(await browser.get(`${fileOf('a.png', '', open)}&w=x`), 400, /whole number from 1 to 4096/);
    expectPage(await browser.get(`${fileOf('a.png', '', open)}&fit=none`), 400, /Check the marked field/);
  });

  test('has signed links, each shown once, and a download under its name', async () => {
    await put('link/a b.txt', 'secret');
    const path = fileOf('link/a b.txt');
    const answer = await browser.postFrom(path, path, { lifetime: '300' });
    expectPage(answer, 200, /Copy the link now\. It is shown once/);
    const link = decodeEntities(/ id="signed-link">([^<]*)</.exec(answer.text)![1]!);
    expect(await (await fetch(link)).text()).toBe('secret');
    expect((await browser.get(path)).text).not.toContain('id="signed-link"');
    expectPage(await browser.postFrom(path, path, { lifetime: '86400' }), 400, /Choose one of the times/);
    expectPage(await browser.post(path, { lifetime: '300', flow: 'none' }), 400, /open for too long/);
    const download = await browser.get(fileOf('link/a b.txt', '/download'));
    expect(download.status).toBe(303);
    const saved = await fetch(String(download.headers.location));
    expect(saved.headers.get('content-disposition')).toMatch(/^attachment; filename="a b\.txt"/);
  });

  test('gets other metadata and access; wrong lines are refused', async () => {
    const open = await newBucket('meta', { public: true });
    await put('m.txt', 'm', open);
    const settings = fileOf('m.txt', '/settings', open);
    const saved = await browser.postFrom(settings, settings, { metadata: 'alt: A: <b>\n\n by:me ' });
    expectRedirect(saved, `${settings}&done=saved`);
    const changed = { public: false, metadata: { alt: 'A: <b>', by: 'me' } };
    expect(await objectsOf(open)).toMatchObject([changed]);
    const refusals = [
      ['alt A', /Line 1: write a name/],
      ['a: 1\na: 2', /Line 2: write a name/],
      ['Alt: x', /lower-case letters/],
    ] as const;
    for (const [metadata, words] of refusals) {
      expectPage(await browser.postFrom(settings, settings, { metadata, public: 'on' }), 400, words);
    }
    const inPrivate = fileOf('n.txt', '/settings');
    await put('n.txt', 'n');
    expectPage(await browser.postFrom(inPrivate, inPrivate, { metadata: '', public: 'on' }), 400, /is private/);
    expect(await objectsOf(open)).toMatchObject([changed]);
  });

  test('is moved, also to another bucket, and replaces a file only if that is chosen', async () => {
    const target = await newBucket('target');
    await put('move/a.txt', 'a');
    await put('b.txt', 'other', target);
    const settings = fileOf('move/a.txt', '/settings');
    const move = (fields: Record<string, string>) =>
      browser.postFrom(settings, fileOf('move/a.txt', '/move'), { toBucket: target, ...fields });
    expectPage(await move({ toKey: '' }), 400, /Enter a key/);
    expectPage(await move({ toKey: 'a//b' }), 400, /Must not begin or end with/);
    expectPage(await move({ toKey: 'b.txt' }), 409, /A file with this key exists/);
    expectPage(await move({ toKey: 'c.txt', toBucket: 'not-there' }), 404, /No bucket has this name/);
    expect([await keysOf(bucket, 'move/'), await objectsOf(target)]).toMatchObject([['move/a.txt'], [{ size: 5 }]]);
    expectRedirect(await move({ toKey: 'b.txt', replace: 'on' }), `${fileOf('b.txt', '', target)}&done=moved`);
    expect([await keysOf(bucket, 'move/'), await objectsOf(target)]).toMatchObject([[], [{ size: 1 }]]);
  });

  test('is replaced by a form, and deleted', async () => {
    await put('r/a.txt', 'old');
    const settings = fileOf('r/a.txt', '/settings');
    const back = pathBack(await upload(formOf(await browser.get(settings)), 'another name.txt', 'newer', true));
    expectPage(await browser.get(back), 200, /File replaced/);
    expect(await objectsOf(bucket, 'r/')).toMatchObject([{ key: 'r/a.txt', size: 5 }]);
    expectPage(await browser.post(fileOf('r/a.txt', '/delete'), { flow: 'none' }), 400, /open for too long/);
    expect(await keysOf(bucket, 'r/')).toEqual(['r/a.txt']);
    const deleted = await browser.postFrom(settings, fileOf('r/a.txt', '/delete'));
    expectRedirect(deleted, `${page}?prefix=r%2F&done=file-deleted`);
    expect(await keysOf(bucket, 'r/')).toEqual([]);
  });
});

describe('who may not', () => {
  test('change files sees them without the acts, and is refused by the name of the permission', async () => {
    await put('kept/a.txt', 'kept');
    const before = [await readBucket(bucket), await objectsOf(bucket, 'kept/')];
    const folder = await member.get(`${page}?prefix=kept/`);
    expectPage(folder, 200, /a\.txt/);
    expect(folder.text).not.toMatch(/type="checkbox"|chosen\./);
    expect((await member.get(files)).text).not.toContain(`${files}/new`);
    expectPage(await member.get(`${files}/new`), 200, /lacks storage\.buckets\.write/);
    const settings = await member.get(`${page}/settings`);
    expectPage(settings, 200, /lacks storage\.buckets\.write/);
    expect(settings.text).not.toContain('name="flow"');
    const ofFile = await member.get(fileOf('kept/a.txt', '/settings'));
    expectPage(ofFile, 200, /Save file/);
    expect(wordsOf(ofFile)).not.toMatch(/Move file|Delete file|Replace content/);

    // The token of the form that the member has is of the same kind: the permission is checked.
    const flow = flowOf(ofFile);
    const moved = await member.post(fileOf('kept/a.txt', '/move'), { flow, toBucket: bucket, toKey: 'x' });
    expectPage(moved, 403, /lacks the permission storage\.delete/);
    expectPage(
      await member.post(fileOf('kept/a.txt', '/delete'), { flow }),
      403,
      /lacks the permission storage\.delete/,
    );
    const replaced = pathBack(await upload(formOf(folder), 'a.txt', 'other', true));
    expectPage(await member.get(replaced), 400, /lacks the permission storage\.delete to replace/);
    // Tokens of an owner's forms are for the owner's session.
    const ofOwner = flowOf(await browser.get(`${page}/settings`));
    expect((await member.post(`${page}/settings`, { flow: ofOwner, public: 'on' })).status).toBe(400);
    expect([await readBucket(bucket), await objectsOf(bucket, 'kept/')]).toEqual(before);
  });

  test('change buckets is refused by the name of the permission once the right is taken away', async () => {
    const admin = await newUserClient({ orgId: tenant.orgId, role: 'admin' });
    const visitor = await newVisitor(admin.sessionToken);
    await put('kept/b.txt', 'kept');
    const flows = {
      settings: flowOf(await visitor.get(`${page}/settings`)),
      create: flowOf(await visitor.get(`${files}/new`)),
      chosen: flowOf(await visitor.get(`${page}?prefix=kept/`)),
    };
    const path = { slug: slugOf(tenant.orgId), userId: admin.userId };
    await tenant.call('identity.members.update', { path, body: { role: 'member' } });
    const before = [await readBucket(bucket), await objectsOf(bucket, 'kept/')];
    const lacks = /lacks the permission storage\.buckets\.write/;
    expectPage(await visitor.post(`${page}/settings`, { flow: flows.settings, public: 'on' }), 403, lacks);
    expectPage(await visitor.post(`${page}/settings/delete`, { flow: flows.settings, confirm: bucket }), 403, lacks);
    expectPage(await visitor.post(`${files}/new`, { flow: flows.create, name: 'not-made-at-all' }), 403, lacks);
    const chosen = { flow: flows.chosen, prefix: 'kept/', 'chosen.b.txt': 'on', confirm: 'on' };
    expectPage(await visitor.post(`${page}/delete`, chosen), 403, /lacks the permission storage\.delete/);
    expect([await readBucket(bucket), await objectsOf(bucket, 'kept/')]).toEqual(before);
  });

  test('see the organization finds nothing', async () => {
    const other = await newTenantClient();
    const visitor = await newVisitor((await newUserClient({ orgId: other.orgId })).sessionToken);
    await put('hidden.txt', 'hidden');
    expect((await visitor.get(files)).status).toBe(404);
    const own = `/console/${slugOf(other.orgId)}/files`;
    const key = 'key=hidden.txt';
    for (const below of [
      '',
      '/settings',
      `/file?${key}`,
      `/file/settings?${key}`,
      `/file/download?${key}`,
      '/sign?name=a',
    ]) {
      expect((await visitor.get(`${own}/buckets/${bucket}${below}`)).status).toBe(404);
    }
    const flow = flowOf(await visitor.get(`${own}/new`));
    for (const below of ['/settings', '/settings/delete', '/delete', `/file/delete?${key}`, `/file/move?${key}`]) {
      expect((await visitor.post(`${own}/buckets/${bucket}${below}`, { flow })).status).toBe(404);
    }
    expect(await keysOf(bucket, 'hidden')).toEqual(['hidden.txt']);
  });
});
