import mongoose from 'mongoose';
import { issueInvoice } from '../../../services/billing/invoices/issue-invoice.ts';

/** Issues invoices for all the keys given, in an order of its own, as a node of a pool would; says each when it is done. */
const [url = '', dbName = '', orgId = '', count = '0'] = process.argv.slice(2);
await mongoose.connect(url, { dbName, maxPoolSize: 5 });
const keys = Array.from({ length: Number(count) }, (_, place) => `period ${place}`);
const shuffled = keys.map((key) => ({ key, rank: Math.random() })).sort((one, other) => one.rank - other.rank);
for (const { key } of shuffled) {
  const buyer = { name: 'Buyer', address: [], taxId: null };
  const line = { description: key, quantity: 1, unitAmount: 100, period: null };
  const { number } = await issueInvoice({ orgId, key, currency: 'eur', buyer, lines: [line] });
  process.stdout.write(`${key} is ${number}\n`);
}
await mongoose.disconnect();
