import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { PrintedInvoice } from '../../../services/billing/invoices/pdf/printed-invoice.ts';
import { renderInvoice } from '../../../services/billing/invoices/pdf/render-invoice.ts';
import { anyCodePoint } from '../../support/code-points.ts';
import { propertyCases } from '../../support/property-cases.ts';
import { pageCount, textsOf } from './pdf-text.ts';

const day = (text: string): Date => new Date(`${text}T00:00:00.000Z`);
const invoice: PrintedInvoice = {
  number: '2026-000042',
  status: 'paid',
  currency: 'eur',
  seller: { name: 'Müller & Söhne GmbH', address: ['Königsallee 1', '40212 Düsseldorf'], taxId: 'DE123456789' },
  buyer: { name: 'Buyer', address: [], taxId: null },
  lines: [
    {
      description: 'Pro, monthly',
      quantity: 1,
      unitAmount: 4900,
      amount: 4900,
      period: { start: day('2026-01-31'), end: day('2026-02-28') },
    },
    { description: 'Credit for unused time', quantity: 2, unitAmount: -1500, amount: -3000, period: null },
  ],
  taxes: [{ name: 'VAT', rate: '19', net: 1597, amount: 303 }],
  amount: 1900,
  createdAt: day('2026-01-31'),
  issuedAt: day('2026-01-31'),
  dueAt: day('2026-02-14'),
  paidAt: day('2026-02-01'),
};

const textsWith = async (changes: Partial<PrintedInvoice>): Promise<string[]> =>
  textsOf(await renderInvoice({ ...invoice, ...changes })).map((text) => text.replaceAll('\u00a0', ' '));

/** What stands where the buyer's name does, whichever runs it took: between "To" and the table. */
async function printedName(name: string): Promise<string> {
  const texts = await textsWith({ buyer: { name, address: [], taxId: null } });
  return texts.slice(texts.indexOf('To') + 1, texts.indexOf('Description')).join('');
}

describe('the PDF of an invoice', () => {
  test('says what was sold to whom, for how much and with which tax', async () => {
    const texts = await textsWith({});
    expect(texts).toEqual(
      expect.arrayContaining([
        ...['Invoice', '2026-000042', 'Paid', '2026-01-31', '2026-02-01'],
        ...['Müller & Söhne GmbH', 'Königsallee 1', '40212 Düsseldorf', 'Tax ID DE123456789', 'Buyer'],
        ...['Pro, monthly', '2026-01-31 to 2026-02-27', 'EUR 49.00'],
        ...['Credit for unused time', '2', '-EUR 15.00', '-EUR 30.00'],
        ...['Without tax', 'EUR 15.97', 'VAT 19 %', 'EUR 3.03', 'Total', 'EUR 19.00', 'Page 1 of 1 · 2026-000042'],
      ]),
    );
    expect(texts).not.toContain('Due');
    expect(await textsWith({ taxBehavior: 'inclusive' })).toContain('Prices include all taxes.');
    // As it was printed before that was kept.
    expect(texts).not.toContain('Prices include all taxes.');
  });

  test('tells what is still to be paid, what is void and what is only a draft', async () => {
    expect(await textsWith({ status: 'open', paidAt: null })).toEqual(
      expect.arrayContaining(['To be paid', 'Due', '2026-02-14']),
    );
    expect(await textsWith({ status: 'void', paidAt: null })).toContain('Void');
    const draft = await textsWith({ status: 'draft', number: null, issuedAt: null, paidAt: null });
    expect(draft).toContain('Draft of an invoice');
    expect(draft).not.toContain('Number');
  });

  test('has the decimals of its currency', async () => {
    expect(await textsWith({ currency: 'jpy', amount: 1900 })).toContain('JPY 1,900');
    expect(await textsWith({ currency: 'kwd', amount: 1900 })).toContain('KWD 1.900');
  });

  test('is the same bytes each time', async () => {
    const [first, second] = [await renderInvoice(invoice), await renderInvoice(invoice)];
    expect(first.equals(second)).toBe(true);
    expect(first.subarray(0, 5).toString()).toBe('%PDF-');
  });

  test('goes on over as many pages as it takes, each with the head of the table', async () => {
    const lines = Array.from({ length: 60 }, (_, place) => ({ ...invoice.lines[0]!, description: `Line ${place}.` }));
    const file = await renderInvoice({ ...invoice, lines });
    const texts = textsOf(file);
    const count = pageCount(file);
    expect(count).toBeGreaterThan(2);
    expect(texts.filter((text) => text === 'Description').length).toBeGreaterThanOrEqual(count - 1);
    expect(texts.filter((text) => /^Line \d+\.$/.test(text)).length).toBe(60);
    expect(texts).toContain(`Page ${count} of ${count} · 2026-000042`);
  });

  test('breaks a description between words, and a word that is too long', async () => {
    const description = `${'word '.repeat(30)}${'x'.repeat(120)}`;
    const texts = await textsWith({ lines: [{ ...invoice.lines[0]!, description }] });
    const printed = texts.filter((text) => /^(?:(?:word ?)+|x+)$/.test(text));
    expect(printed.length).toBeGreaterThan(3);
    expect(printed.join('').replaceAll(' ', '')).toBe(description.replaceAll(' ', ''));
  });
});

describe('a name', () => {
  test.each([
    'Łódź Ångström Çelik Škoda',
    'Nguyễn Thị Hồng Đào',
    'Αθήνα Ωμέγα Ελλάδα',
    'Санкт-Петербург Київ Ђорђе',
    '東京都千代田区霞が関 鰯 株式会社',
    '北京市朝阳区建国路有限公司',
    '臺北市 龍騰 偺 有限公司',
    '서울특별시 주식회사 한글',
    'प्रिया क्षत्रिय हिन्दी विक्रेता',
    'บริษัท น้ำใจไทย จำกัด (มหาชน) กรุงเทพฯ',
    'ՀԱՅԱՍՏԱՆ Երևան',
    'საქართველო თბილისი',
    'বাংলা ট্রেডিং',
    'தமிழ் நிறுவனம்',
    'తెలుగు సంస్థ',
    'ಕರ್ನಾಟಕ',
    'മലയാളം',
    'ગુજરાતી',
    'ਪੰਜਾਬੀ',
    'ශ්‍රී ලංකා',
    'አዲስ አበባ',
    'မြန်မာ ရန်ကုန်',
    'ភ្នំពេញ',
    'ລາວ ວຽງຈັນ',
    'ACME 東京 Ελλάδα हिन्दी ไทย',
  ])('%s is printed and can be copied', async (name) => expect(await printedName(name)).toBe(name.normalize('NFC')));

  test('that is written from right to left is in the order of its glyphs', async () => {
    expect(await printedName('שלום')).toBe('םולש');
    expect(await printedName('النور')).toBe('رونلا');
  });

  test('in two directions keeps the order in which a reader reads it', async () => {
    expect(await printedName('ACME שלום 12')).toBe('ACME 12 םולש');
    expect(await printedName('שלום ACME')).toBe('ACME םולש');
    expect(await printedName('שלום (ACME)')).toBe('(ACME) םולש');
  });

  test('cannot turn the text around it', async () => {
    expect(await printedName('abc\u202edef\u202c\u2066ghi\u200f')).toBe('abcdefghi');
  });

  test('in characters that no font has shows their code points and can still be copied', async () => {
    expect(await printedName('Party 🎉 Inc.')).toBe('Party 🎉 Inc.');
    expect(await printedName('𓀀')).toBe('𓀀');
    expect(await printedName('👩‍👩‍👧')).toBe('👩‍👩‍👧');
  });

  test('of nothing that can be seen is left out', async () => {
    expect(await printedName('\u200b\u00ad')).toBe('');
  });

  test('in any alphabet can be copied as it was', async () => {
    const alphabets = [
      'abcxyzäöüßøłžő',
      'αβγδωάήΔΩ',
      'абвгдяёїЂ',
      'あいうカタカナ東京漢字',
      '한글서울김이박',
      'กขคงจฉนมยรลวสอะา',
      'कखगघचछजटडतदनपबमयरलवसह',
      'কখগঘচছজটডতদনপবমযরলসহ',
      'აბგდევზთ',
      'ԱԲԳԴաբգդ',
    ];
    const word = fc.constantFrom(...alphabets).chain((alphabet) => {
      const letter = fc.constantFrom(...Array.from(alphabet));
      return fc.array(letter, { minLength: 1, maxLength: 6 }).map((letters) => letters.join(''));
    });
    const name = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' '));
    await fc.assert(
      fc.asyncProperty(name, async (text) => expect(await printedName(text)).toBe(text)),
      { numRuns: propertyCases(5, 150) },
    );
  });

  test('of any characters at all makes a file', async () => {
    const text = fc.string({ unit: anyCodePoint, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(text, async (name) => {
        const file = await renderInvoice({ ...invoice, buyer: { name, address: [name], taxId: name } });
        expect(pageCount(file)).toBe(1);
      }),
      { numRuns: propertyCases(5, 150) },
    );
  });
});
