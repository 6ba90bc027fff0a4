import { z } from 'zod';
import { apiError } from '../../lib/errors.ts';
import { timestamp } from '../../lib/instant.ts';
import { pathText } from '../../lib/path-text.ts';
import { type CustomerDocument, CustomerModel } from '../../models/context/customer.ts';
import { IdentifierModel, identifierDocumentId } from '../../models/context/identifier.ts';
import { catchUpInTime, newWait, runExclusiveFor, settleRound } from './await-pending.ts';
import { findRoot, identifiersOfCustomer } from './customers.ts';
import { printable } from './event-input.ts';
import { currentFold, storedStory } from './stored-progress.ts';
import { type Identifier, identifierKey } from './story/identifiers.ts';

export const storyOutput = z
  .strictObject({
    customerId: z.string(),
    title: z.string(),
    summary: z.string(),
    updatedAt: timestamp,
  })
  .meta({ id: 'Story' });
export type Story = z.output<typeof storyOutput>;

export const exampleStory = {
  customerId: 'C-1042',
  title: 'Jean Bartik, new customer since March 2026, 1 open order',
  summary:
    'Jean Bartik (jean@example.com) became a customer on 2 March 2026. That day they placed 1 order (A-1001: Touring ' +
    'saddle) worth 129.90 EUR. They paid for it in full on 2 March 2026. As of 2 March 2026, their order is paid and ' +
    'still open.',
  updatedAt: '2026-03-02T09:31:12.000Z',
} satisfies z.input<typeof storyOutput>;

/** The customer in a path; ids that no event could carry are refused. */
export const customerPath = z.strictObject({ customerId: pathText(printable).min(1).max(256) });

/**
 * The customer an identifier names, after all events acknowledged so far that concern them are settled: so a story read
 * after an event was accepted always includes it. Does not wait for events that arrive during the read; otherwise a
 * busy customer could never be read. Null when no customer has the identifier.
 *
 * @throws UNAVAILABLE too many events were pending to settle them in time; settled ones stay so.
 */
export async function findSettledCustomer(
  orgId: string,
  identifier: Identifier,
  read = newWait(orgId),
): Promise<string | null> {
  const key = identifierKey(identifier);
  const seen = new Set<string>();
  let customer: string | null = null;
  for (;;) {
    // Settling an event may merge two customers, and then the other's events count as well.
    const named = await lookUp(orgId, key, customer);
    customer = named?.customer ?? null;
    const keys = [key, ...(named?.keys ?? [])];
    const unseen = [...new Set(keys)].filter((name) => !seen.has(name));
    if (unseen.length === 0 && read.awaited.length === 0) return customer;
    const isComplete = await runExclusiveFor(read, keys, () => settleRound(read, unseen));
    if (isComplete) for (const name of unseen) seen.add(name);
  }
}

/** A customer and all their identifiers. */
type Named = { customer: string; keys: string[] };

/**
 * The customer of an identifier; reads its previous customer (`before`) concurrently, because it is mostly the same.
 */
async function lookUp(orgId: string, key: string, before: string | null): Promise<Named | null> {
  const [pointer, sameAsBefore] = await Promise.all([
    IdentifierModel.findOne({ orgId, _id: identifierDocumentId(orgId, key) }).lean(),
    before === null ? null : findNamed(orgId, before),
  ]);
  if (!pointer) return null;
  return pointer.customer === before ? sameAsBefore : findNamed(orgId, pointer.customer);
}

async function findNamed(orgId: string, id: string): Promise<Named | null> {
  const [customer, keys] = await Promise.all([findRoot(orgId, id), identifiersOfCustomer(orgId, id)]);
  if (customer === null) return null;
  return { customer, keys: customer === id ? keys : await identifiersOfCustomer(orgId, customer) };
}

const withoutCheckpoints = { checkpoints: 0, 'previousFold.checkpoints': 0 } as const;

/**
 * The story of the one customer that identifiers lead to.
 *
 * @throws STORY_NOT_FOUND no customer, several customers, or one without events.
 * @throws UNAVAILABLE composing it takes longer than a read may; the progress is kept.
 */
export async function readStory(orgId: string, identifiers: Identifier[]): Promise<Story> {
  const read = newWait(orgId);
  for (;;) {
    const customer = await findOne(orgId, identifiers, read);
    const document = await CustomerModel.findOne({ orgId, _id: customer }, withoutCheckpoints).lean<CustomerDocument>();
    // Merged or erased since the lookup: look up the identifiers again.
    if (!document || document.mergedInto || document.erasing) continue;
    const current = currentFold(document);
    const story = current ? storedStory(current) : await catchUpInTime(read, customer);
    if (story) return story;
    if (current) throw apiError('STORY_NOT_FOUND');
  }
}

/** The one customer that identifiers lead to; throws STORY_NOT_FOUND for none and for several. */
export async function findOne(orgId: string, identifiers: Identifier[], read = newWait(orgId)): Promise<string> {
  const found = new Set<string>();
  for (const identifier of identifiers) {
    const customer = await findSettledCustomer(orgId, identifier, read);
    if (customer) found.add(customer);
  }
  const [customer] = found;
  if (!customer || found.size > 1) throw apiError('STORY_NOT_FOUND');
  return customer;
}
