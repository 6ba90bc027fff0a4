import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ServiceBroker } from 'moleculer';
import type { InvoiceOrder, Issuer } from '../../../services/billing/invoices/issue-invoice.ts';
import { actionsOf } from '../../support/actions-of.ts';
import { connectOwnDatabase, type OwnDatabase } from '../../support/own-database.ts';
import { textsOf } from '../../unit/billing/pdf-text.ts';

process.env.SECRET_KEY = 'the secret key of the tests of invoices';

const { setClock } = await import('../../../lib/data/clock.ts');
const { newId } = await import('../../../lib/data/ids.ts');
const { InvoiceModel } = await import('../../../models/billing/invoice.ts');
const { default: billing } = await import('../../../services/billing/billing.service.ts');
const { invoiceId, issueInvoice, reopenStaleDrafts, settleInvoice } = await import(
  '../../../services/billing/invoices/issue-invoice.ts'
);
const { pdfLink } = await import('../../../services/billing/invoices/invoices.ts');

/** The actions alone, over a database of their own. */
const broker = new ServiceBroker({ logger: false, validator: false });
let database: OwnDatabase;
let restoreClock = (): void => undefined;

beforeAll(async () => {
  database = await connectOwnDatabase(InvoiceModel);
  broker.createService({ name: 'billing', actions: actionsOf(billing, 'invoices.') as never });
  await broker.start();
});

afterAll(async () => {
  restoreClock();
  await broker.stop();
  await database.close();
});

const minute = 60_000;
let prefixes = 0;
/** An issuer whose numbers begin anew, so that tests do not see one another's. */
function newIssuer(changes: Partial<Issuer> = {}): Issuer {
  prefixes += 1;
  const seller = { name: 'Seller', address: ['Street 1'], taxId: 'DE1' };
  return { seller, prefix: `T${prefixes}`, taxRate: null, ...changes };
}

function order(changes: Partial<InvoiceOrder> = {}): InvoiceOrder {
  return {
    orgId: newId('org'),
    key: 'sub:2026-01-01',
    currency: 'eur',
    buyer: { name: 'Buyer', address: ['Road 2'], taxId: null },
    lines: [{ description: 'Pro, monthly', quantity: 1, unitAmount: 4900, period: null }],
    ...changes,
  };
}

function at(time: string): void {
  restoreClock();
  restoreClock = setClock(() => new Date(time));
}

const year = (): number => new Date().getUTCFullYear();
const reader = (orgId: string, scopes = ['billing.read']) => ({ type: 'application', id: newId('app'), orgId, scopes });
type Listed = { invoiceId: string; number: string; status: string; pdfUrl: string; amount: number; paidAt: string };
type List = { invoices: Listed[]; nextCursor: string | null };
const list = (orgId: string, query: object = {}, caller: object = reader(orgId)): Promise<List> =>
  broker.call('billing.invoices.list', { path: { orgId }, query }, { meta: { caller } });
const readPdf = (pdfUrl: string, change: (url: URL) => void = () => undefined) => {
  const url = new URL(pdfUrl);
  change(url);
  const query = Object.fromEntries(url.searchParams);
  return callPdf(url.pathname.split('/')[3]!, query);
};
type File = { fileName: string; base64: string };
const callPdf = (invoiceId: string, query: object, caller?: object): Promise<File> =>
  broker.call('billing.invoices.read-pdf', { path: { invoiceId }, query }, { meta: { caller } });

describe('an invoice that is issued', () => {
  test('is open, numbered, and says what was sold by whom to whom', async () => {
    const issuer = newIssuer({ taxRate: { name: 'VAT', rate: '19' } });
    const invoice = await issueInvoice(order({ lines: [{ ...order().lines[0]!, quantity: 3 }] }), issuer);
    expect(invoice).toMatchObject({
      number: `${issuer.prefix}-${year()}-000001`,
      status: 'open',
      seller: issuer.seller,
      buyer: { name: 'Buyer' },
      lines: [{ description: 'Pro, monthly', quantity: 3, unitAmount: 4900, amount: 14700, period: null }],
      taxes: [{ name: 'VAT', rate: '19', net: 12353, amount: 2347 }],
      taxBehavior: 'inclusive',
      amount: 14700,
      paidAt: null,
    });
  });

  test('stays as it is when it is issued again, whatever is asked for then', async () => {
    const issuer = newIssuer();
    const first = order();
    const invoice = await issueInvoice(first, issuer);
    const other = { ...first, lines: [{ ...first.lines[0]!, unitAmount: 1 }] };
    expect(await issueInvoice(other, newIssuer())).toEqual(invoice);
    expect(await issueInvoice(order(), issuer)).toMatchObject({ sequence: 2 });
  });

  test.each<[string, Partial<InvoiceOrder>]>([
    ['no lines', { lines: [] }],
    ['a currency there is none of', { currency: 'EUR' }],
    ['half a cent', { lines: [{ ...order().lines[0]!, unitAmount: 0.5 }] }],
    ['a quantity of 0', { lines: [{ ...order().lines[0]!, quantity: 0 }] }],
    ['credits beyond the rest', { lines: [{ ...order().lines[0]!, unitAmount: -1 }] }],
    ['more than can be counted', { lines: [{ ...order().lines[0]!, unitAmount: 2 ** 52, quantity: 4 }] }],
  ])('is refused with %s, and takes no number', async (_what, changes) => {
    const issuer = newIssuer();
    await expect(issueInvoice(order(changes), issuer)).rejects.toThrow(RangeError);
    expect(await issueInvoice(order(), issuer)).toMatchObject({ sequence: 1 });
  });

  test('has the number of its year, and no earlier time than the number before', async () => {
    const issuer = newIssuer();
    at('2027-12-31T23:59:59.999Z');
    expect(await issueInvoice(order(), issuer)).toMatchObject({ number: `${issuer.prefix}-2027-000001` });
    at('2028-01-01T00:00:00.000Z');
    expect(await issueInvoice(order(), issuer)).toMatchObject({ number: `${issuer.prefix}-2028-000001` });
    at('2027-12-31T23:58:29.000Z');
    const late = await issueInvoice(order(), issuer);
    expect(late.number).toBe(`${issuer.prefix}-2027-000002`);
    expect(late.issuedAt?.toISOString()).toBe('2027-12-31T23:59:59.999Z');
    restoreClock();
  });
});

describe('the numbers of an issuer', () => {
  test('have no gap and none twice when many are taken at once', async () => {
    const issuer = newIssuer();
    const orders = Array.from({ length: 60 }, (_, place) => order({ key: `period ${place % 40}`, orgId: 'org_one' }));
    const invoices = await Promise.all(orders.map((one) => issueInvoice(one, issuer)));
    const sequences = new Set(invoices.map(({ sequence }) => sequence));
    expect([...sequences].sort((one, other) => one - other)).toEqual(
      Array.from({ length: 40 }, (_, place) => place + 1),
    );
    expect(new Set(invoices.map(({ _id }) => _id)).size).toBe(40);
  });

  test('are given to drafts that were cut off, and to nothing else', async () => {
    const issuer = newIssuer();
    const [begun, fresh] = [order(), order()];
    for (const one of [begun, fresh]) {
      await issueInvoice(one, issuer);
      const draft = { status: 'draft' as const, number: null, issuedAt: null, sequence: 0 };
      const _id = invoiceId(one.orgId, one.key);
      await InvoiceModel.updateOne({ orgId: one.orgId, _id }, { $set: { ...draft, series: _id } });
    }
    const createdAt = new Date(Date.now() - 10 * minute);
    await InvoiceModel.updateOne({ orgId: begun.orgId }, { $set: { createdAt } });
    expect(await reopenStaleDrafts(new Date(Date.now() - 5 * minute), issuer)).toBe(1);
    expect(await InvoiceModel.findOne({ orgId: begun.orgId }).lean()).toMatchObject({ status: 'open', sequence: 1 });
    expect(await InvoiceModel.findOne({ orgId: fresh.orgId }).lean()).toMatchObject({ status: 'draft', number: null });
  });
});

describe('the status of an invoice', () => {
  const settle = async (...steps: Parameters<typeof settleInvoice>[1][]) => {
    const invoice = await issueInvoice(order(), newIssuer());
    const changed: boolean[] = [];
    for (const step of steps) changed.push(await settleInvoice(invoice, step));
    const { status, ...rest } = (await InvoiceModel.findOne({ orgId: invoice.orgId }).lean())!;
    return { changed, status, rest, invoice };
  };

  test('becomes paid once, and stays it', async () => {
    const { changed, status } = await settle('paid', 'paid', 'void', 'uncollectible');
    expect([changed, status]).toEqual([[true, false, false, false], 'paid']);
  });

  test('becomes uncollectible, and may be paid after all', async () => {
    const { changed, status } = await settle('uncollectible', 'uncollectible', 'paid');
    expect([changed, status]).toEqual([[true, false, true], 'paid']);
  });

  test('becomes void for good', async () => {
    const { changed, status, rest } = await settle('void', 'paid', 'uncollectible');
    expect([changed, status, rest.paidAt]).toEqual([[true, false, false], 'void', null]);
  });

  test('is as old as its last change', async () => {
    const invoice = await issueInvoice(order(), newIssuer());
    const becomes = async (status: Parameters<typeof settleInvoice>[1], time: string) => {
      at(time);
      await settleInvoice(invoice, status);
      return (await InvoiceModel.findOne({ orgId: invoice.orgId }).lean())?.updatedAt?.toISOString();
    };
    expect(await becomes('uncollectible', '2031-01-01T00:00:00.000Z')).toBe('2031-01-01T00:00:00.000Z');
    expect(await becomes('paid', '2031-01-02T00:00:00.000Z')).toBe('2031-01-02T00:00:00.000Z');
    expect(await becomes('void', '2031-01-03T00:00:00.000Z')).toBe('2031-01-02T00:00:00.000Z');
    restoreClock();
  });

  test('changes nothing of what was invoiced', async () => {
    const { rest, invoice } = await settle('paid');
    const { paidAt, status, ...former } = invoice;
    expect(rest).toEqual({ ...former, paidAt: expect.any(Date), updatedAt: expect.any(Date) });
    await InvoiceModel.updateOne({ orgId: invoice.orgId }, { $set: { amount: 1, lines: [], currency: 'usd' } });
    expect(await InvoiceModel.findOne({ orgId: invoice.orgId }).lean()).toMatchObject({
      amount: 4900,
      currency: 'eur',
    });
  });

  test('of another organization’s invoice does not change', async () => {
    const invoice = await issueInvoice(order(), newIssuer());
    expect(await settleInvoice({ ...invoice, orgId: newId('org') }, 'void')).toBe(false);
  });
});

describe('GET /v1/orgs/:orgId/invoices', () => {
  test('lists the newest first, page by page, each once', async () => {
    const [orgId, issuer] = [newId('org'), newIssuer()];
    for (let place = 1; place <= 5; place += 1) await issueInvoice(order({ orgId, key: `${place}` }), issuer);
    await issueInvoice(order(), issuer);
    const first = await list(orgId, { limit: '3' });
    const second = await list(orgId, { limit: '3', cursor: first.nextCursor });
    const numbers = [...first.invoices, ...second.invoices].map(({ number }) => Number(number.slice(-6)));
    expect(new Set(numbers)).toEqual(new Set([1, 2, 3, 4, 5]));
    expect([first.invoices.length, second.nextCursor]).toEqual([3, null]);
  });

  test('shows an invoice as the interface says', async () => {
    const orgId = newId('org');
    const invoice = await issueInvoice(order({ orgId }), newIssuer());
    await settleInvoice(invoice, 'paid', { paidAt: new Date('2026-01-02T03:04:05.678Z') });
    expect((await list(orgId)).invoices).toEqual([
      {
        invoiceId: expect.stringMatching(/^ivc_[0-9a-z]{26}$/),
        number: invoice.number,
        status: 'paid',
        amount: 4900,
        currency: 'eur',
        createdAt: invoice.createdAt.toISOString(),
        updatedAt: expect.any(String),
        issuedAt: invoice.issuedAt?.toISOString(),
        dueAt: null,
        paidAt: '2026-01-02T03:04:05.678Z',
        pdfUrl: expect.stringContaining(`/v1/invoices/${invoice._id}/pdf?expires=`),
      },
    ]);
  });

  test('is empty for an organization without invoices', async () => {
    expect(await list(newId('org'))).toEqual({ invoices: [], nextCursor: null });
  });

  test.each<[string, object, (orgId: string) => object | undefined, number, string]>([
    ['a wrong limit', { limit: '0' }, reader, 400, 'INPUT_INVALID'],
    ['an unknown parameter', { page: '2' }, reader, 400, 'INPUT_INVALID'],
    ['a cursor of another list', { cursor: 'abcdefgh' }, reader, 400, 'CURSOR_INVALID'],
    ['no credential', {}, () => undefined, 401, 'CREDENTIAL_REQUIRED'],
    ['no permission', {}, (orgId) => reader(orgId, ['mail.read']), 403, 'PERMISSION_DENIED'],
    ['another organization', {}, () => reader(newId('org')), 404, 'NOT_FOUND'],
  ])('refuses %s', async (_what, query, callerOf, code, type) => {
    const orgId = newId('org');
    const answer = broker.call(
      'billing.invoices.list',
      { path: { orgId }, query },
      { meta: { caller: callerOf(orgId) } },
    );
    await expect(answer).rejects.toMatchObject({ code, type });
  });
});

describe('GET /v1/invoices/:invoiceId/pdf', () => {
  const issued = async (): Promise<Listed> => {
    const one = order({ buyer: { name: 'Łódź 東京 שלום', address: [], taxId: null } });
    await issueInvoice(one, newIssuer());
    return (await list(one.orgId)).invoices[0]!;
  };

  test('gives the invoice to whoever has the link', async () => {
    const { pdfUrl, number } = await issued();
    const { fileName, base64 } = await readPdf(pdfUrl);
    expect(fileName).toBe(`invoice-${number}.pdf`);
    const text = textsOf(Buffer.from(base64, 'base64')).join('');
    for (const expected of [number, 'Seller', 'Łódź', '東京', 'םולש']) expect(text).toContain(expected);
  });

  test('makes many at once', async () => {
    const { pdfUrl } = await issued();
    const files = await Promise.all(Array.from({ length: 10 }, () => readPdf(pdfUrl)));
    expect(new Set(files.map(({ base64 }) => base64)).size).toBe(1);
  });

  test.each<[string, (url: URL) => void]>([
    ['a later expiry', (url) => url.searchParams.set('expires', `${Number(url.searchParams.get('expires')) + 1}`)],
    ['an expiry that is no number', (url) => url.searchParams.set('expires', 'Infinity')],
    ['another signature', (url) => url.searchParams.set('signature', 'A'.repeat(43))],
    ['an empty signature', (url) => url.searchParams.set('signature', '')],
  ])('is refused with %s', async (_what, change) => {
    const { pdfUrl } = await issued();
    await expect(readPdf(pdfUrl, change)).rejects.toMatchObject({ code: 403, type: 'PERMISSION_DENIED' });
  });

  test('is refused for another invoice than the link is for', async () => {
    const [one, other] = [await issued(), await issued()];
    const change = (url: URL) => {
      url.pathname = new URL(other.pdfUrl).pathname;
    };
    await expect(readPdf(one.pdfUrl, change)).rejects.toMatchObject({ code: 403 });
  });

  test('gives the invoice to a credential that may read it', async () => {
    const one = order();
    const { _id } = await issueInvoice(one, newIssuer());
    expect(await callPdf(_id, {}, reader(one.orgId))).toMatchObject({ base64: expect.stringMatching(/^JVBERi/) });
  });

  test.each<[string, (orgId: string) => object | undefined, number, string]>([
    ['no credential', () => undefined, 401, 'CREDENTIAL_REQUIRED'],
    ['no permission', (orgId) => reader(orgId, ['mail.read']), 403, 'PERMISSION_DENIED'],
    ['another organization’s credential', () => reader(newId('org')), 404, 'NOT_FOUND'],
  ])('is refused without a link and with %s', async (_what, callerOf, code, type) => {
    const one = order();
    const { _id } = await issueInvoice(one, newIssuer());
    await expect(callPdf(_id, {}, callerOf(one.orgId))).rejects.toMatchObject({ code, type });
  });

  test('is unknown where there is none, for a credential as for a link', async () => {
    const orgId = newId('org');
    await expect(callPdf('ivc_none', {}, reader(orgId))).rejects.toMatchObject({ code: 404, type: 'NOT_FOUND' });
    await expect(readPdf(pdfLink('ivc_none'))).rejects.toMatchObject({ code: 404, type: 'NOT_FOUND' });
  });

  test('is refused with a wrong link, also to a credential that may read it', async () => {
    const one = order();
    const { _id } = await issueInvoice(one, newIssuer());
    const query = { expires: '9999999999', signature: 'A'.repeat(43) };
    await expect(callPdf(_id, query, reader(one.orgId))).rejects.toMatchObject({ code: 403 });
  });

  test('is refused after an hour', async () => {
    const { pdfUrl } = await issued();
    const expires = Number(new URL(pdfUrl).searchParams.get('expires')) * 1000;
    at(new Date(expires).toISOString());
    await expect(readPdf(pdfUrl)).rejects.toMatchObject({ code: 403 });
    at(new Date(expires - 1).toISOString());
    await expect(readPdf(pdfUrl)).resolves.toMatchObject({ fileName: expect.any(String) });
    restoreClock();
  });
});
