import { describe, expect, test } from '@jest/globals';
import { Blob, Face } from 'harfbuzzjs';
import { readSlice, slicesFor } from '../../../services/billing/invoices/pdf/faces.ts';
import { decodeWoff2 } from '../../../services/billing/invoices/pdf/woff2.ts';

const letters = ['A', 'ő', 'Ω', 'Я', 'ạ', 'ع', 'א', 'ไ', 'ह', 'ব', 'த', 'က', 'ភ', 'ა', 'Ա', 'አ', '漢', 'か', '한'];

describe('the fonts of invoices', () => {
  test.each(letters)('have %s, in a file of its script', (letter) => {
    const [slice] = slicesFor(letter.codePointAt(0)!, letter);
    const font = new Face(new Blob(new Uint8Array(decodeWoff2(readSlice(slice!))).buffer));
    expect([...font.collectUnicodes()]).toContain(letter.codePointAt(0));
    expect(font.upem).toBe(1000);
  });

  test('write Han characters as the rest of the text is written', () => {
    const familyOf = (text: string) => slicesFor('直'.codePointAt(0)!, text).next().value!.family;
    expect([familyOf('直'), familyOf('直す'), familyOf('直하다')]).toEqual([
      'noto-sans-sc',
      'noto-sans-jp',
      'noto-sans-kr',
    ]);
  });

  test('are refused when they are cut off, damaged or something else', () => {
    const file = readSlice(slicesFor(65, 'A').next().value!);
    for (const length of [0, 10, 60, 200, file.length - 100]) {
      expect(() => decodeWoff2(file.subarray(0, length))).toThrow();
    }
    expect(() => decodeWoff2(Buffer.from('no font at all, only some text'))).toThrow('not a WOFF2 font');
    const collection = Buffer.from(file);
    collection.write('ttcf', 4, 'latin1');
    expect(() => decodeWoff2(collection)).toThrow('not contain a single TrueType');
  });
});
