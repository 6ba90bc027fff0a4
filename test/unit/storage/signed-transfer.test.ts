import { describe, expect, test } from '@jest/globals';
import { setClock } from '../../../lib/data/clock.ts';
import { readSignature, signTransfer } from '../../../services/storage/transfers/signed-transfer.ts';

const upload = {
  method: 'PUT' as const,
  orgId: 'org_1',
  bucket: 'assets',
  key: 'a/b c.txt',
  type: 'text/plain',
  size: 3,
  isPublic: true,
  mayReplace: false,
};
const request = { method: 'PUT' as const, bucket: upload.bucket, key: upload.key };

const signatureOf = (url: string): string => new URL(url).searchParams.get('signature')!;
const invalid = expect.objectContaining({ type: 'SIGNATURE_INVALID' });

describe('a signed transfer', () => {
  test('gives back what was signed, and leads to the object', () => {
    const { url, expiresAt } = signTransfer(upload, 60);
    expect(new URL(url).pathname).toBe('/v1/objects/assets/a/b%20c.txt');
    const read = readSignature({ ...request, signature: signatureOf(url) });
    expect(read).toMatchObject({ ...upload, expiresAt: expiresAt.getTime() });
  });

  test.each([
    ['method', { method: 'GET' as const }],
    ['bucket', { bucket: 'other' }],
    ['key', { key: 'a/b' }],
  ])('is refused for another %s', (_name, change) => {
    const signature = signatureOf(signTransfer(upload, 60).url);
    expect(() => readSignature({ ...request, signature, ...change })).toThrow(invalid);
  });

  test.each(['orgId', 'bucket', 'key', 'type', 'size', 'isPublic', 'mayReplace', 'expiresAt', 'id', 'method'])(
    'is refused when its %s was changed',
    (field) => {
      const [text, mac] = signatureOf(signTransfer(upload, 60).url).split('.');
      const read = JSON.parse(Buffer.from(text!, 'base64url').toString()) as Record<string, unknown>;
      const former = read[field];
      const changed = { ...read, [field]: typeof former === 'number' ? former + 1000 : `${former}x` };
      const forged = Buffer.from(JSON.stringify(changed)).toString('base64url');
      expect(() => readSignature({ ...request, signature: `${forged}.${mac}` })).toThrow(invalid);
    },
  );

  test.each(['', '.', 'a', 'a.b', 'a.b.c', '..'])('is refused when it is %j', (signature) => {
    expect(() => readSignature({ ...request, signature })).toThrow(invalid);
  });

  test('is refused once it has expired, to the millisecond', () => {
    const { url, expiresAt } = signTransfer(upload, 60);
    const signature = signatureOf(url);
    const back = setClock(() => new Date(expiresAt.getTime() - 1));
    expect(readSignature({ ...request, signature })).toMatchObject({ key: upload.key });
    setClock(() => expiresAt);
    expect(() => readSignature({ ...request, signature })).toThrow(invalid);
    back();
  });
});
