import type { InvoiceStatus } from '../../../models/billing/invoice.ts';

/** From which statuses an invoice gets to each; every other step is refused. A draft is opened by its number alone. */
export const formerStatuses = {
  paid: ['open', 'uncollectible'],
  void: ['open', 'uncollectible'],
  uncollectible: ['open'],
} as const satisfies Partial<Record<InvoiceStatus, InvoiceStatus[]>>;

export type SettledStatus = keyof typeof formerStatuses;
