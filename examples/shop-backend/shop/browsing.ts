import { pages, products } from './catalogue.ts';
import { byCustomer, type Draft, day, type Life, minute } from './happening.ts';

const formShare = 0.15;

/** Visits to the website: a few pages each, days apart. */
export function browse({ customer, random, until }: Life, from: number): Draft[] {
  const drafts: Draft[] = [];
  for (let at = from; at < until; at += random.between(3, 20) * day + random.between(0, 600) * minute) {
    const pageCount = random.between(1, 4);
    for (let index = 0; index < pageCount; index += 1) {
      const path = random.happens(0.5) ? `/products/${random.pick(products).sku.toLowerCase()}` : random.pick(pages);
      drafts.push(byCustomer(customer, 'page.viewed', at + index * 2 * minute, 'web', { path, title: titleOf(path) }));
    }
  }
  return drafts;
}

function titleOf(path: string): string {
  return path === '/' ? 'Home' : (path.split('/').at(-1) ?? path);
}

/**
 * Some customers use the contact form without signing in: the shop knows a visitor id and an email, and the platform
 * matches the visitor with the customer by email.
 */
export function writeAsVisitor({ customer, random }: Life, from: number): Draft[] {
  if (!random.happens(formShare)) return [];
  const at = from + random.between(5, 40) * day;
  const visitor = { type: 'visitor', id: `V-${customer.id.slice(2)}` };
  const payload = { channel: 'web', direction: 'inbound', email: customer.email, text: 'Do you ship to an office?' };
  return [
    { eventName: 'page.viewed', at, actor: visitor, channel: 'web', payload: { path: '/contact', title: 'Contact' } },
    { eventName: 'message.received', at: at + 3 * minute, actor: visitor, channel: 'web', payload },
  ];
}
