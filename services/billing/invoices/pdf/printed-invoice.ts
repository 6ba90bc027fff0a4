import type { InvoiceDocument } from '../../../../models/billing/invoice.ts';

/** The fields of an invoice that are printed. */
export type PrintedInvoice = Pick<
  InvoiceDocument,
  | 'number'
  | 'status'
  | 'currency'
  | 'seller'
  | 'buyer'
  | 'lines'
  | 'taxes'
  | 'taxBehavior'
  | 'amount'
  | 'createdAt'
  | 'issuedAt'
  | 'dueAt'
  | 'paidAt'
>;

/** The printed part of an invoice, as plain data for another thread. */
export function toPrinted(invoice: InvoiceDocument): PrintedInvoice {
  const { number, status, currency, seller, buyer, lines, taxes, taxBehavior, amount } = invoice;
  const { createdAt, issuedAt, dueAt, paidAt } = invoice;
  const dates = { createdAt, issuedAt, dueAt, paidAt };
  return {
    number,
    status,
    currency,
    seller,
    buyer,
    lines,
    taxes,
    amount,
    ...dates,
    ...(taxBehavior && { taxBehavior }),
  };
}
