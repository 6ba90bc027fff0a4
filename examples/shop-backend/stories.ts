import { styleText } from 'node:util';
import type { Client, Story } from './platform/client.ts';
import { print } from './print.ts';
import type { Customer } from './shop/customers.ts';
import type { Shop } from './shop/shop.ts';

/** Event names: one customer for each of them yields five different stories. */
const telling = [
  'subscription.upgraded',
  'order.refunded',
  'ticket.opened',
  'payment.failed',
  'subscription.cancelled',
];

const lineWidth = 96;

/** Prints five stories: looked up by customer id, and every other one by the email that a support agent would have. */
export async function printStories(client: Client, shop: Shop): Promise<void> {
  for (const [place, customer] of chooseTelling(shop).entries()) {
    const isById = place % 2 === 0;
    const story = await (isById ? client.storyOfCustomer(customer.id) : client.resolveStory(customer.email));
    printStory(isById ? `customer ${customer.id}` : `resolve ${customer.email}`, story);
  }
}

function chooseTelling({ customers, history }: Shop): Customer[] {
  const seen = new Set<Customer>();
  for (const eventName of telling) {
    const ids = new Set(
      history.filter((happening) => happening.eventName === eventName).map(({ customerId }) => customerId),
    );
    const found = customers.find((customer) => ids.has(customer.id) && !seen.has(customer));
    if (found) seen.add(found);
  }
  return [...seen, ...customers.filter((customer) => !seen.has(customer))].slice(0, telling.length);
}

function printStory(askedFor: string, { title, summary, updatedAt }: Story): void {
  print();
  print(`${styleText('bold', title)}`);
  for (const line of wrap(summary)) print(`  ${line}`);
  print(styleText('dim', `  ${askedFor}, as of ${updatedAt}`));
}

function wrap(text: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    const isFull = line !== '' && line.length + 1 + word.length > lineWidth;
    if (isFull) lines.push(line);
    line = isFull || line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
