import mongoose from 'mongoose';
import { issueInvoice } from '../../../services/billing/invoices/issue-invoice.ts';

/*
 * Issues invoices for all the keys given, as a node of a pool would; says each when it is done. It goes through them in
 * strides of so many, without a divisor in common with their count, so that each node has an order of its own.
 */
const [url = '', dbName = '', orgId = '', count = '0', stride = '1'] = process.argv.slice(2);
await mongoose.connect(url, { dbName, maxPoolSize: 5 });
const keys = Array.from({ length: Number(count) }, (_, place) => `period ${(place * Number(stride)) % Number(count)}`);
for (const key of keys) {
  const buyer = { name: 'Buyer', address: [], taxId: null };
  const line = { description: key, quantity: 1, unitAmount: 100, period: null };
  const { number } = await issueInvoice({ orgId, key, currency: 'eur', buyer, lines: [line] });
  process.stdout.write(`${key} is ${number}\n`);
}
await mongoose.disconnect();
