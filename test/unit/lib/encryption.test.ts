import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';

const folder = mkdtempSync(join(tmpdir(), 'encryption-'));
process.env.DATA_DIR = folder;
const { decrypt, encrypt } = await import('../../../lib/security/encryption.ts');

afterAll(() => rmSync(folder, { recursive: true }));

describe('what is stored encrypted', () => {
  test('comes back as it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => expect(decrypt('mail', encrypt('mail', text))).toBe(text)),
    );
  });

  test('never looks the same twice', () => {
    expect(encrypt('mail', 'secret')).not.toBe(encrypt('mail', 'secret'));
  });

  test('cannot be read for another purpose, nor after a change of any byte', () => {
    const stored = encrypt('mail', 'secret');
    expect(() => decrypt('chat', stored)).toThrow();
    const bytes = Buffer.from(stored, 'base64');
    for (let place = 0; place < bytes.length; place += 1) {
      const changed = Buffer.from(bytes);
      changed[place] = changed[place]! ^ 1;
      expect(() => decrypt('mail', changed.toString('base64'))).toThrow();
    }
  });

  test('has its key in DATA_DIR, readable by its owner alone, and the same for the next process', async () => {
    const stored = encrypt('mail', 'secret');
    expect(statSync(join(folder, 'secret-key')).mode & 0o777).toBe(0o600);
    jest.resetModules();
    const again = await import('../../../lib/security/encryption.ts');
    expect(again.decrypt('mail', stored)).toBe('secret');
  });
});
