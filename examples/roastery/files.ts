import { crc32, deflateSync } from 'node:zlib';
import { type Organization, type Step, uniqueName, valuesOf } from './organization.ts';

type File = { key: string; mimeType: string; content: string | Buffer };

const coffees = [
  { name: 'Yirgacheffe', colour: [166, 94, 46] },
  { name: 'Huila', colour: [122, 62, 36] },
  { name: 'Decaf', colour: [92, 107, 79] },
] as const;

/** Creates a public bucket and uploads the labels, photographs and price list of the roastery. */
export async function uploadFiles(organization: Organization): Promise<Step[]> {
  const { client } = organization;
  const bucket = uniqueName(organization, 'roastery');
  const buckets = await valuesOf(client.list('/v1/buckets', {}), ({ name }) => name);
  const isPresent = buckets.has(bucket);
  if (!isPresent) await client.post('/v1/buckets', { body: { name: bucket, public: true } });
  const objects = client.list('/v1/buckets/{bucketName}/objects', { path: { bucketName: bucket } });
  const keys = await valuesOf(objects, ({ key }) => key);
  const files = filesOfRoastery();
  const missing = files.filter(({ key }) => !keys.has(key));
  for (const { key, mimeType, content } of missing) {
    await client.upload({ bucket, key, mimeType, file: new Blob([content], { type: mimeType }) });
  }
  return [
    { what: 'bucket', total: 1, added: isPresent ? 0 : 1, where: `GET /v1/buckets/${bucket}` },
    { what: 'files', total: files.length, added: missing.length, where: `GET /v1/buckets/${bucket}/objects` },
  ];
}

function filesOfRoastery(): File[] {
  const labels = coffees.map(({ name, colour }) => ({
    key: `labels/${name.toLowerCase()}.svg`,
    mimeType: 'image/svg+xml',
    content: labelOf(name, `rgb(${colour.join(',')})`),
  }));
  const swatches = coffees.map(({ name, colour }) => ({
    key: `roasts/${name.toLowerCase()}.png`,
    mimeType: 'image/png',
    content: pngOf(240, 160, colour),
  }));
  const prices = 'Yirgacheffe 250 g  13.50 EUR\nHuila 250 g        11.90 EUR\nDecaf 500 g        21.50 EUR\n';
  return [...labels, ...swatches, { key: 'price-list.txt', mimeType: 'text/plain', content: prices }];
}

function labelOf(name: string, colour: string): string {
  return (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 160">' +
    `<rect width="240" height="160" rx="12" fill="${colour}"/>` +
    `<text x="120" y="88" font-size="28" font-family="serif" text-anchor="middle" fill="#fff">${name}</text></svg>`
  );
}

/** Encodes a vertical gradient as PNG: 8-bit RGB, no filter. */
function pngOf(width: number, height: number, colour: readonly number[]): Buffer {
  const rows = Array.from({ length: height }, (_, row) => {
    const pixel = colour.map((channel) => Math.round(channel * (1 - row / (2 * height))));
    return Buffer.concat([Buffer.of(0), Buffer.alloc(width * 3, Buffer.from(pixel))]);
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  const pixels = deflateSync(Buffer.concat(rows));
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]);
}

/** Encodes a chunk: length, type, data and the checksum of type and data. */
function chunk(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, checksum]);
}
