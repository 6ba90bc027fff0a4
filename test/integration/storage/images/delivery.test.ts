import { describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { counterAt } from '../../../../services/billing/quota/shapes.ts';
import { encodeKey } from '../../../../services/storage/content/object-key.ts';
import type { Client } from '../../../support/client.ts';
import type { ErrorBody } from '../../../support/http.ts';
import { sharedPlatform } from '../../../support/shared-platform.ts';
import { type StorageClient, storageOf } from '../../../support/storage-client.ts';
import { newTenantClient } from '../../../support/tenant-client.ts';
import { databaseUrlOf, withDatabase } from '../../../support/tenants.ts';
import { eventually } from '../../../support/until.ts';
import { animation, nameOf, noise, pixelsOf, pngOfSize, quarters } from './test-images.ts';

type Party = { client: Client & { orgId: string }; storage: StorageClient; bucket: string };

/** An organization with its default bucket, which is public. */
async function newParty(): Promise<Party> {
  const client = await newTenantClient();
  return { client, storage: await storageOf(client), bucket: client.orgId };
}

const picture = async (width = 40, height = 20) => await (await quarters(width, height)).png().toBuffer();

/** GET /cdn/:bucket/*key, as a browser asks. */
function get({ storage, bucket }: Party, key: string, query = '', headers: Record<string, string> = {}) {
  return fetch(`${storage.url}/cdn/${bucket}/${encodeKey(key)}${query}`, { headers });
}

async function imageOf(response: Response) {
  expect({ status: response.status, text: response.ok ? '' : await response.text() }).toEqual({
    status: 200,
    text: '',
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const { width, height, pages, pageHeight } = await sharp(bytes, { animated: true }).metadata();
  return { bytes, type: response.headers.get('content-type'), width, height: pageHeight ?? height, pages: pages ?? 1 };
}

async function refusalOf(response: Response) {
  const { error, details = [] } = (await response.json()) as ErrorBody & { details?: { path: string }[] };
  return { status: response.status, error, paths: details.map(({ path }) => path) };
}

const derivativesOf = async ({ bucket: orgId }: Party) =>
  await withDatabase(await databaseUrlOf(await sharedPlatform()), (database) =>
    database.collection<{ _id: string; orgId: string; size: number }>('storage_derivatives').find({ orgId }).toArray(),
  );

/** The images of an organization whose file is stored, or about to be, and whose document is not. */
const pendingUploadsOf = async ({ bucket: orgId }: Party) =>
  await withDatabase(await databaseUrlOf(await sharedPlatform()), (database) =>
    database.collection('storage_uploads').countDocuments({ orgId, state: 'open' }),
  );

/** Sets the used bandwidth; the plan free has five gigabytes. */
async function setBandwidth({ bucket: orgId }: Party, gigabytes: number): Promise<void> {
  const { _id } = counterAt(orgId, 'storage.bandwidthGbPerMonth', new Date());
  const quiet = { _id, orgId, held: 0 };
  await eventually(async () => {
    const { matchedCount } = await withDatabase(await databaseUrlOf(await sharedPlatform()), (database) =>
      database
        .collection<{ _id: string; orgId: string; held: number }>('billing_counters')
        .updateOne(quiet, { $set: { used: gigabytes * 1_000_000_000 }, $inc: { revision: 1 } }),
    );
    expect(matchedCount).toBe(1);
  });
}

describe('a transformed image', () => {
  test('has the size and the type that its address asks for', async () => {
    const party = await newParty();
    await party.storage.put(party.bucket, 'photos/a b.png', await picture());
    const wanted: [query: string, width: number, height: number, type: string][] = [
      ['?w=20', 20, 10, 'png'],
      ['?h=5', 10, 5, 'png'],
      ['?w=20&h=20', 20, 20, 'png'],
      ['?w=300&h=300&fit=cover', 20, 20, 'png'],
      ['?w=30&h=30&dpr=3', 20, 20, 'png'],
      ['?w=30&h=30&fit=contain', 30, 30, 'png'],
      ['?w=10&h=20&fit=fill', 10, 20, 'png'],
      ['?w=20&h=20&fit=inside', 20, 10, 'png'],
      ['?w=20&h=20&fit=outside', 40, 20, 'png'],
      ['?w=10&dpr=2', 20, 10, 'png'],
      ['?w=10&dpr=1.5', 15, 8, 'png'],
      ['?w=4000', 40, 20, 'png'],
      ['?f=webp', 40, 20, 'webp'],
      ['?f=avif&w=20', 20, 10, 'avif'],
      ['?f=jpeg&q=10', 40, 20, 'jpeg'],
      ['?f=png&q=10', 40, 20, 'png'],
    ];
    for (const [query, width, height, type] of wanted) {
      const response = await get(party, 'photos/a b.png', query);
      const extension = type === 'jpeg' ? 'jpg' : type;
      expect(response.headers.get('content-disposition')).toBe(`inline; filename="a b.${extension}"`);
      expect({ query, ...(await imageOf(response)) }).toMatchObject({ query, width, height, type: `image/${type}` });
    }
    const { corners } = await pixelsOf((await imageOf(await get(party, 'photos/a b.png', '?w=20'))).bytes);
    expect(corners.map(nameOf)).toEqual(['red', 'green', 'blue', 'white']);
  });

  test('is an animated WebP where the source is an animated GIF', async () => {
    const party = await newParty();
    await party.storage.put(party.bucket, 'a.gif', await animation('gif'));
    const image = await imageOf(await get(party, 'a.gif', '?w=20'));
    expect(image).toMatchObject({ type: 'image/webp', width: 20, height: 10, pages: 3 });
  });

  test('has the format that the browser takes where the address says auto, and says that it depends on it', async () => {
    const party = await newParty();
    await party.storage.put(party.bucket, 'a.png', await picture());
    const typeFor = async (accept: string) => {
      const response = await get(party, 'a.png', '?f=auto', { accept });
      expect(response.headers.get('vary')).toMatch(/(^|, )Accept(,|$)/);
      return (await imageOf(response)).type;
    };
    expect(await typeFor('image/avif,image/webp,*/*')).toBe('image/avif');
    expect(await typeFor('image/webp,*/*')).toBe('image/webp');
    expect(await typeFor('*/*')).toBe('image/png');
    const plain = await get(party, 'a.png', '?w=20', { accept: 'image/avif,image/webp' });
    expect(plain.headers.get('vary') ?? '').not.toContain('Accept');
    expect((await imageOf(plain)).type).toBe('image/png');
  });

  test('is cached like the object, and answers validators and ranges', async () => {
    const party = await newParty();
    const { body } = await party.storage.put(party.bucket, 'a.png', await picture());
    const whole = await get(party, 'a.png', '?w=20');
    const { bytes } = await imageOf(whole);
    const etag = whole.headers.get('etag')!;
    expect(whole.headers.get('cache-control')).toBe('public, max-age=60');
    expect(etag).not.toContain(body.sha256);
    expect((await get(party, 'a.png', '?w=20', { 'if-none-match': etag })).status).toBe(304);
    const part = await get(party, 'a.png', '?w=20', { range: 'bytes=1-3', 'if-range': etag });
    expect(part.status).toBe(206);
    expect(Buffer.from(await part.arrayBuffer())).toEqual(bytes.subarray(1, 4));
    const versioned = await get(party, 'a.png', `?w=20&v=${body.version}`);
    expect(versioned.headers.get('cache-control')).toContain('immutable');
    const head = await fetch(whole.url, { method: 'HEAD' });
    expect([head.headers.get('etag'), head.headers.get('content-length')]).toEqual([etag, String(bytes.length)]);
  });

  test('is made of the new bytes once its object was replaced, and of none when that was deleted', async () => {
    const party = await newParty();
    await party.storage.put(party.bucket, 'a.png', await picture(40, 20));
    expect(await imageOf(await get(party, 'a.png', '?w=20'))).toMatchObject({ width: 20, height: 10 });
    await party.storage.put(party.bucket, 'a.png', await picture(40, 40));
    expect(await imageOf(await get(party, 'a.png', '?w=20'))).toMatchObject({ width: 20, height: 20 });
    await party.storage.remove(party.bucket, 'a.png');
    expect((await get(party, 'a.png', '?w=20')).status).toBe(404);
  });

  test('is made once for many who ask for the same at once, also in other words', async () => {
    const party = await newParty();
    await party.storage.put(party.bucket, 'a.png', await noise(800, 600).png().toBuffer());
    const queries = ['?w=400', '?w=200&dpr=2', '?w=400&fit=fill', '?w=400&q=80', '?w=400&f=png&q=3'];
    const responses = await Promise.all(Array.from({ length: 40 }, (_, at) => get(party, 'a.png', queries[at % 5])));
    const tags = await Promise.all(responses.map(async (one) => [(await imageOf(one)).width, one.headers.get('etag')]));
    expect(new Set(tags.map(String)).size).toBe(1);
    await eventually(async () => expect(await derivativesOf(party)).toHaveLength(1));
  });

  test('counts as bandwidth and not as storage', async () => {
    const party = await newParty();
    const { body } = await party.storage.put(party.bucket, 'a.png', await noise(300, 300).png().toBuffer());
    const sent = (await imageOf(await get(party, 'a.png', '?w=200'))).bytes.length;
    await eventually(async () => {
      const usage = await party.client.call('storage.usage.read', { query: {} });
      expect(usage.data).toEqual([{ bucket: party.bucket, objectCount: 1, usedBytes: body.size }]);
      expect(usage.storage.usedGb).toBeCloseTo(body.size / 1e9, 12);
      expect(usage.bandwidth.usedGb).toBeCloseTo(sent / 1e9, 12);
    });
  });
});

describe('an image that is not made', () => {
  test('is not made by HEAD, which says its type alone', async () => {
    const party = await newParty();
    await party.storage.put(party.bucket, 'a.png', await picture());
    const url = `${party.storage.url}/cdn/${party.bucket}/a.png?w=20&f=webp`;
    const heads = await Promise.all([1, 2, 3].map(() => fetch(url, { method: 'HEAD' })));
    expect(heads.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(heads[0]!.headers.get('content-type')).toBe('image/webp');
    expect(heads[0]!.headers.get('content-length')).toBeNull();
    expect(heads[0]!.headers.get('etag')).toBeNull();
    // One that is asked for by GET afterwards is stored after any that HEAD had made.
    await imageOf(await get(party, 'a.png', '?w=10'));
    await eventually(async () => expect(await derivativesOf(party)).toHaveLength(1));
    await imageOf(await get(party, 'a.png', '?w=20&f=webp'));
    const known = await fetch(url, { method: 'HEAD' });
    expect(known.headers.get('content-length')).not.toBeNull();
  });

  test('is not made where its organization has no bandwidth left, while objects are still answered 304', async () => {
    const party = await newParty();
    const { body } = await party.storage.put(party.bucket, 'a.png', await picture());
    await imageOf(await get(party, 'a.png', '?w=20'));
    await eventually(async () => expect(await derivativesOf(party)).toHaveLength(1));
    await setBandwidth(party, 5);
    for (const width of [21, 22, 23]) {
      expect(await refusalOf(await get(party, 'a.png', `?w=${width}`))).toMatchObject({
        status: 402,
        error: 'PLAN_LIMIT_EXCEEDED',
      });
    }
    const refused = await get(party, 'a.png', '?w=20', { origin: 'https://shop.example.com' });
    expect(refused.status).toBe(402);
    expect(refused.headers.get('access-control-allow-origin')).toBe('*');
    expect((await get(party, 'a.png', '', { 'if-none-match': `"${body.sha256}"` })).status).toBe(304);
    await setBandwidth(party, 1);
    // It is stored after any image that was made before.
    await imageOf(await get(party, 'a.png', '?w=30'));
    await eventually(async () => {
      const ids = (await derivativesOf(party)).map(({ _id }) => _id);
      expect(ids.map((id) => /_(\d+)x/.exec(id)?.[1]).sort()).toEqual(['20', '30']);
    });
  });
});

describe('the refusal of a transformation', () => {
  test('names the parameter', async () => {
    const party = await newParty();
    await party.storage.put(party.bucket, 'a.png', await picture());
    const wrong: [query: string, parameter: string][] = [
      ['?w=0', 'w'],
      ['?w=4097', 'w'],
      ['?w=-1', 'w'],
      ['?w=1.5', 'w'],
      ['?w=1e3', 'w'],
      ['?w=', 'w'],
      ['?w=1&w=2', 'w'],
      ['?h=%00', 'h'],
      ['?w=2049&dpr=2', 'w'],
      ['?h=4096&dpr=1.01', 'h'],
      ['?dpr=4', 'dpr'],
      ['?dpr=0.5', 'dpr'],
      ['?q=0', 'q'],
      ['?q=101', 'q'],
      ['?fit=zoom', 'fit'],
      ['?f=gif', 'f'],
      ['?f=svg', 'f'],
      ['?w=20&blur=3', 'blur'],
      ['?f=webp&utm_source=x', 'utm_source'],
      ['?fit=cover&W=5', 'W'],
    ];
    for (const [query, parameter] of wrong) {
      const refusal = await refusalOf(await get(party, 'a.png', query));
      expect({ query, ...refusal }).toEqual({
        query,
        status: 400,
        error: 'INPUT_INVALID',
        paths: [`query.${parameter}`],
      });
    }
    expect(await derivativesOf(party)).toEqual([]);
  });

  test('is 400 for what is no image, is damaged or too large, and 404 for what is not public', async () => {
    const party = await newParty();
    const { storage, bucket } = party;
    const jpeg = await noise(200, 200).jpeg().toBuffer();
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>';
    await storage.put(bucket, 'a.txt', 'a text');
    await storage.put(bucket, 'a.svg', svg);
    await storage.put(bucket, 'cut.jpg', jpeg.subarray(0, jpeg.length / 2));
    await storage.put(bucket, 'bomb.png', pngOfSize(10_000, 10_000));
    for (const key of ['a.txt', 'a.svg', 'cut.jpg', 'bomb.png']) {
      // The second time it is remembered.
      for (const _time of [1, 2]) {
        const refusal = await refusalOf(await get(party, key, '?h=20&f=webp'));
        expect({ key, ...refusal }).toEqual({ key, status: 400, error: 'INPUT_INVALID', paths: ['query.h'] });
      }
    }
    await storage.upload([
      ['key', 'private.png'],
      ['public', 'false'],
      ['file', { name: 'a.png', bytes: await picture() }],
    ]);
    for (const key of ['private.png', 'none.png']) expect((await get(party, key, '?w=20')).status).toBe(404);
    expect(await derivativesOf(party)).toEqual([]);
  });

  test('of a thousand sizes at once is 429 with a time to wait, and others still have theirs made', async () => {
    const [greedy, modest] = [await newParty(), await newParty()];
    await greedy.storage.put(greedy.bucket, 'a.jpg', await noise(1200, 60).jpeg().toBuffer());
    await modest.storage.put(modest.bucket, 'a.png', await picture());
    const many = Array.from({ length: 1000 }, async (_, at) => {
      const response = await get(greedy, 'a.jpg', `?w=${at + 1}`);
      await response.arrayBuffer();
      return { status: response.status, wait: response.headers.get('retry-after') };
    });
    await Promise.race(many);
    expect(await imageOf(await get(modest, 'a.png', '?w=20'))).toMatchObject({ width: 20 });
    const answers = await Promise.all(many);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.every(({ wait }) => Number(wait) > 0)).toBe(true);
    const made = answers.filter(({ status }) => status === 200).length;
    expect(made + refused.length).toBe(1000);
    // Images are stored after they are sent, and those beyond the limit are evicted after each batch is stored.
    await eventually(async () => {
      expect(await pendingUploadsOf(greedy)).toBe(0);
      expect((await derivativesOf(greedy)).length).toBeLessThanOrEqual(Math.min(made, 200));
    });
  });
});
