import { listInvoices } from './list-invoices.ts';
import { readInvoicePdf } from './read-invoice-pdf.ts';

export const invoiceActions = {
  'invoices.list': listInvoices,
  'invoices.read-pdf': readInvoicePdf,
};
