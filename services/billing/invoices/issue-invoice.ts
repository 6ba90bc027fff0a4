import { isDuplicateKey } from '../../../lib/database-errors.ts';
import { insertIfAbsent } from '../../../lib/insert-unless-there.ts';
import { type InvoiceDocument, InvoiceModel } from '../../../models/billing/invoice.ts';
import { now } from '../clock.ts';
import { composeDraft, type InvoiceOrder } from './compose.ts';
import { currentIssuer, type Issuer } from './issuer.ts';
import { formerStatuses, type SettledStatus } from './status.ts';

const numberDigits = 6;

/**
 * Creates the invoice of an order and gives it the next number of the issuer's year (UTC), such as `2026-000001`.
 * Idempotent, also after a crash at any point: the same number and content.
 *
 * @throws RangeError for an order that cannot be one; see {@link composeDraft}.
 */
export async function issueInvoice(order: InvoiceOrder, issuer: Issuer = currentIssuer()): Promise<InvoiceDocument> {
  const draft = composeDraft(order, issuer);
  await insertIfAbsent<InvoiceDocument>(InvoiceModel, draft);
  return await openInvoice(draft, issuer);
}

const maxBatchSize = 1000;

/**
 * Opens the drafts that were created before `before` and never opened, of every organization, oldest first. Returns how
 * many it opened.
 */
export async function reopenStaleDrafts(before: Date, issuer: Issuer = currentIssuer()): Promise<number> {
  const drafts = await InvoiceModel.find({ status: 'draft', createdAt: { $lt: before } })
    .setOptions({ acrossTenants: true, sort: { createdAt: 1 } })
    .select({ orgId: 1 })
    .limit(maxBatchSize)
    .lean<Named[]>();
  for (const draft of drafts) await openInvoice(draft, issuer);
  return drafts.length;
}

type Named = Pick<InvoiceDocument, '_id' | 'orgId'>;

/** Drafts are opened one after another in this process, so that only other nodes compete for a number. */
let opening: Promise<unknown> = Promise.resolve();

function openInvoice(named: Named, issuer: Issuer): Promise<InvoiceDocument> {
  const opened = opening.then(() => takeNumber(named, issuer));
  opening = opened.catch(() => undefined);
  return opened;
}

/**
 * Numbers are unique and without gaps, even after a crash. The unique index on series and sequence gives a number to
 * one invoice only. An invoice takes a number only after it has read the previous one or lost it to a duplicate key.
 */
async function takeNumber({ _id, orgId }: Named, { prefix }: Issuer): Promise<InvoiceDocument> {
  for (;;) {
    const at = now();
    const series = `${prefix && `${prefix}-`}${at.getUTCFullYear()}`;
    const last = await InvoiceModel.findOne({ series })
      .setOptions({ acrossTenants: true, sort: { sequence: -1 } })
      .select({ sequence: 1, issuedAt: 1 })
      .lean<Pick<InvoiceDocument, 'sequence' | 'issuedAt'>>();
    const sequence = (last?.sequence ?? 0) + 1;
    const number = `${series}-${String(sequence).padStart(numberDigits, '0')}`;
    // Nodes' clocks differ, but a later number is of no earlier time.
    const issuedAt = last?.issuedAt && last.issuedAt > at ? last.issuedAt : at;
    const change = { status: 'open' as const, series, sequence, number, issuedAt, updatedAt: at };
    if (await tookNumber({ _id, orgId }, change)) return await readInvoice({ _id, orgId });
  }
}

/** Returns false when another invoice took the number first. */
async function tookNumber({ _id, orgId }: Named, change: Partial<InvoiceDocument>): Promise<boolean> {
  try {
    await InvoiceModel.updateOne({ orgId, _id, status: 'draft' }, { $set: change });
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

/**
 * Moves an invoice to its next status and changes nothing else. Idempotent: a repeated transition has no effect.
 *
 * @returns whether this call changed the status; false also when the present status does not allow the transition.
 */
export async function settleInvoice(
  { _id, orgId }: Named,
  status: SettledStatus,
  payment: Partial<Pick<InvoiceDocument, 'paidAt' | 'paymentReference'>> = {},
): Promise<boolean> {
  const paid = status === 'paid' ? { paidAt: now(), ...payment } : {};
  const { matchedCount } = await InvoiceModel.updateOne(
    { orgId, _id, status: { $in: formerStatuses[status] } },
    { $set: { status, ...paid, updatedAt: now() } },
  );
  return matchedCount === 1;
}

async function readInvoice({ _id, orgId }: Named): Promise<InvoiceDocument> {
  const invoice = await InvoiceModel.findOne({ orgId, _id }).lean<InvoiceDocument>();
  if (!invoice) throw new Error(`The invoice ${_id} is gone.`);
  return invoice;
}
