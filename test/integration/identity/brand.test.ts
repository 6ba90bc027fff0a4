import { beforeAll, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { idPattern, newId } from '../../../lib/data/ids.ts';
import { mebibyte } from '../../../lib/format/bytes.ts';
import { logoPrefix } from '../../../models/identity/organization-logo.ts';
import type { Client } from '../../support/client.ts';
import type { ErrorBody } from '../../support/http.ts';
import { newOperatorClient } from '../../support/operators.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { slugOf, type Tenant } from '../../support/tenants.ts';
import { eventually } from '../../support/until.ts';
import { newUserClient, type User } from '../../support/user-client.ts';
import { animation, noise, red, solid } from '../storage/images/test-images.ts';
import { inDatabase } from './me-stored.ts';

type Organization = { name: string; brand: { logoUrl: string | null; color: string | null }; updatedAt: string };
type Shop = { tenant: Client & Tenant; owner: Client & User; path: string };

let shop: Shop;
beforeAll(async () => {
  shop = await newShop();
});

async function newShop(): Promise<Shop> {
  const tenant = await newTenantClient();
  const owner = await newUserClient({ orgId: tenant.orgId });
  return { tenant, owner, path: `/organizations/${slugOf(tenant.orgId)}` };
}

const bytes = { 'content-type': 'application/octet-stream' };
const setLogo = (client: Client, image: Uint8Array | string, { path } = shop) =>
  client.send<Organization & ErrorBody>('PUT', `${path}/logo`, image, bytes);
const read = async ({ owner, path } = shop) => (await owner.send<Organization>('GET', path)).body;
const png = (width = 30, height = 20) => solid(width, height, red).png().toBuffer();

async function storedImages(orgId = shop.tenant.orgId): Promise<string[]> {
  const images = await inDatabase((database) =>
    database.collection<{ _id: string }>('identity_organization_logos').find({ orgId }).toArray(),
  );
  return images.map(({ _id }) => _id);
}

async function changes(): Promise<unknown[]> {
  const log = `${shop.path}/audit-log?action=organization.updated`;
  return (await shop.owner.send<{ data: unknown[] }>('GET', log)).body.data;
}

describe('the logo of an organization', () => {
  test('is none at first, and is set by the bytes of an image', async () => {
    expect(await read()).not.toHaveProperty('brand');
    const { status, body } = await setLogo(shop.owner, await png());
    expect(status).toBe(200);
    expect(body).toEqual(await read());
    const { logoUrl } = body.brand;
    const [, address, id] = /^(.*\/logo\/)(\w+)$/.exec(logoUrl!)!;
    expect(address).toBe(`${shop.owner.url}${shop.path}/logo/`);
    expect(id).toMatch(idPattern(logoPrefix));
    expect(await changes()).toMatchObject([
      { actor: { id: shop.owner.userId }, before: { logoId: null }, after: { logoId: id } },
    ]);
  });

  test('is served to everybody as a PNG that never changes, and that runs nothing', async () => {
    const { brand } = await read();
    const answer = await fetch(brand.logoUrl!);
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
      'cross-origin-resource-policy': 'cross-origin',
    });
    const { format, width, height } = await sharp(await answer.arrayBuffer()).metadata();
    expect({ format, width, height }).toEqual({ format: 'png', width: 30, height: 20 });
    const etag = answer.headers.get('etag')!;
    expect((await fetch(brand.logoUrl!, { headers: { 'if-none-match': etag } })).status).toBe(304);
  });

  test('stays as it is when the same image is sent again', async () => {
    const [before, acts] = [await read(), await changes()];
    expect((await setLogo(shop.owner, await png())).body).toEqual(before);
    expect([await changes(), await storedImages()]).toEqual([acts, [before.brand.logoUrl!.split('/').at(-1)]]);
  });

  test('has another address with another image, and the former is gone', async () => {
    const former = (await read()).brand.logoUrl!;
    const { status, body } = await setLogo(shop.owner, await png(20, 30));
    expect(status).toBe(200);
    expect(body.brand.logoUrl).not.toBe(former);
    const gone = await fetch(former);
    expect([gone.status, gone.headers.get('cache-control')]).toEqual([404, 'no-store']);
    expect(await storedImages()).toEqual([body.brand.logoUrl!.split('/').at(-1)]);
  });

  test.each([
    ['a JPEG', () => solid(900, 300, red).jpeg().toBuffer(), [480, 160]],
    ['a WebP', () => solid(100, 900, red).webp().toBuffer(), [27, 240]],
    ['an animated GIF', () => animation('gif'), [40, 20]],
    ['noise that no format compresses', () => noise(480, 240).webp().toBuffer(), [480, 240]],
  ])('is reduced to 480 × 240 pixels from %s', async (_what, image, size) => {
    const { status, body } = await setLogo(shop.owner, await image());
    expect(status).toBe(200);
    const { width, height, pages = 1 } = await sharp(await (await fetch(body.brand.logoUrl!)).arrayBuffer()).metadata();
    expect([width, height, pages]).toEqual([...size, 1]);
  });

  test('loses what the file held besides its pixels', async () => {
    const secret = 'a place that nobody should know';
    const image = await solid(30, 20, red)
      .jpeg()
      .withExif({ IFD0: { ImageDescription: secret } })
      .toBuffer();
    expect(image.includes(secret)).toBe(true);
    const { body } = await setLogo(shop.owner, image);
    expect(Buffer.from(await (await fetch(body.brand.logoUrl!)).arrayBuffer()).includes(secret)).toBe(false);
  });

  test.each([
    ['an SVG', '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>'],
    ['a page', '<!doctype html><script>alert(1)</script>'],
    ['nothing', ''],
    ['text', 'GIF89a but not an image'],
  ])('is not %s', async (_what, content) => {
    const before = [await read(), await storedImages(), await changes()];
    const { status, body } = await setLogo(shop.owner, content);
    expect({ status, error: body.error }).toEqual({ status: 400, error: 'INPUT_INVALID' });
    expect([await read(), await storedImages(), await changes()]).toEqual(before);
  });

  test('is not a damaged image, and not one of more than 512 KiB', async () => {
    const before = await read();
    const whole = await noise(200, 200).png().toBuffer();
    expect((await setLogo(shop.owner, whole.subarray(0, whole.length / 2))).body.error).toBe('INPUT_INVALID');
    const large = await setLogo(shop.owner, Buffer.alloc(mebibyte / 2 + 1));
    expect([large.status, large.body.error]).toEqual([413, 'BODY_TOO_LARGE']);
    expect(await read()).toEqual(before);
  });

  test('is set and removed by those with console.orgs.write only', async () => {
    const before = await read();
    const image = await png(12, 12);
    const member = await newUserClient({ orgId: shop.tenant.orgId, role: 'member' });
    const stranger = await newUserClient({ orgId: (await newTenantClient()).orgId });
    for (const [client, status] of [
      [member, 403],
      [stranger, 404],
    ] as const) {
      expect((await setLogo(client, image)).status).toBe(status);
      expect((await client.send('DELETE', `${shop.path}/logo`)).status).toBe(status);
    }
    const key = await newTenantClient({ scopes: ['console.orgs.read'] });
    expect((await setLogo(key, image, { ...shop, path: `/organizations/${slugOf(key.orgId)}` })).status).toBe(403);
    expect(await read()).toEqual(before);
  });

  test('is not served below the name of another organization', async () => {
    const other = await newShop();
    const id = (await read()).brand.logoUrl!.split('/').at(-1);
    expect((await other.owner.send('GET', `${other.path}/logo/${id}`)).status).toBe(404);
    expect((await other.owner.send('GET', `${other.path}/logo/${newId(logoPrefix)}`)).status).toBe(404);
  });

  test('is removed once', async () => {
    const { logoUrl } = (await read()).brand;
    expect((await shop.tenant.send('DELETE', `${shop.path}/logo`)).status).toBe(204);
    expect(await read()).not.toHaveProperty('brand.logoUrl', expect.any(String));
    expect((await fetch(logoUrl!)).status).toBe(404);
    expect(await storedImages()).toEqual([]);
    expect((await changes())[0]).toMatchObject({ after: { logoId: null } });
    const again = await shop.tenant.send('DELETE', `${shop.path}/logo`);
    expect([again.status, again.body.error]).toEqual([404, 'NOT_FOUND']);
  });

  test('is one of two that are set at the same time, and the other leaves nothing', async () => {
    const images = await Promise.all([png(11, 10), png(10, 11), png(10, 10)]);
    const answers = await Promise.all(images.map((image) => setLogo(shop.owner, image)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const { logoUrl } = (await read()).brand;
    expect((await fetch(logoUrl!)).status).toBe(200);
    expect(await storedImages()).toEqual([logoUrl!.split('/').at(-1)]);
  });

  test('is refused while the organization is suspended, and erased with it', async () => {
    const own = await newShop();
    const { logoUrl } = (await setLogo(own.owner, await png(), own)).body.brand;
    const operator = await newOperatorClient();
    const path = { orgId: own.tenant.orgId };
    await operator.call('identity.operator.organizations.suspend', { path, body: { reason: 'A reason' } });
    const refused = await fetch(logoUrl!);
    expect([refused.status, refused.headers.get('cache-control')]).toEqual([403, 'no-store']);
    const me = await own.owner.call('identity.me.read', {});
    expect(me).toMatchObject({ organizations: [{ suspension: expect.anything() }] });
    expect((me as { organizations: object[] }).organizations[0]).not.toHaveProperty('brand');
    await operator.call('identity.operator.organizations.restore', { path });
    expect((await fetch(logoUrl!)).status).toBe(200);
    const slug = slugOf(own.tenant.orgId);
    await own.owner.call('identity.organizations.delete', { path: { slug }, query: { confirm: slug } });
    expect((await fetch(logoUrl!)).status).toBe(404);
    await eventually(async () => expect(await storedImages(own.tenant.orgId)).toEqual([]));
  });
});

describe('the colour of an organization', () => {
  const setColor = (color: unknown, client: Client = shop.owner) =>
    client.send<Organization & ErrorBody>('PATCH', shop.path, { brand: { color } });

  test('is set, read in lower case, and removed', async () => {
    const { status, body } = await setColor('#0B57d0');
    expect([status, body.brand.color]).toEqual([200, '#0b57d0']);
    expect(await read()).toEqual(body);
    expect((await changes())[0]).toMatchObject({ before: { brandColor: null }, after: { brandColor: '#0b57d0' } });
    const acts = await changes();
    expect((await setColor('#0b57d0')).body).toEqual(body);
    expect((await shop.owner.send('PATCH', shop.path, { brand: {} })).body).toEqual(body);
    expect(await changes()).toEqual(acts);
    expect((await setColor(null)).body).not.toHaveProperty('brand.color', expect.any(String));
  });

  test('changes together with the name', async () => {
    const { body } = await shop.owner.send<Organization>('PATCH', shop.path, {
      name: 'Mugs',
      brand: { color: '#aa0000' },
    });
    expect(body).toMatchObject({ name: 'Mugs', brand: { color: '#aa0000' } });
    const [act] = await changes();
    expect(act).toMatchObject({ before: { brandColor: null }, after: { name: 'Mugs', brandColor: '#aa0000' } });
  });

  test.each(['red', '#fff', '#0b57d', '#0b57d00', '0b57d0', '#0b57d0;}', '', 7, {}])('is not %j', async (color) => {
    const before = await read();
    const { status, body } = await setColor(color);
    expect([status, body.details?.[0]?.path]).toEqual([400, 'body.brand.color']);
    expect(await read()).toEqual(before);
  });

  test('is changed by those with console.orgs.write only', async () => {
    const before = await read();
    expect((await setColor('#123456', await newUserClient({ orgId: shop.tenant.orgId, role: 'member' }))).status).toBe(
      403,
    );
    expect((await setColor('#123456', await newTenantClient())).status).toBe(404);
    expect(await read()).toEqual(before);
  });
});
