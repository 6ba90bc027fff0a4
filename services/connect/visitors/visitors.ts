import { LRUCache } from 'lru-cache';
import { expireAfter } from '../../../lib/concurrency/ttl-cache.ts';
import {
  type BrokerContext,
  type CallContext,
  type Ctx,
  call,
  type PublishContext,
} from '../../../lib/contract/context.ts';
import { minute, now } from '../../../lib/data/clock.ts';
import { insertIfAbsent } from '../../../lib/data/collection.ts';
import { isDuplicateKey } from '../../../lib/data/database-errors.ts';
import { newId } from '../../../lib/data/ids.ts';
import { normalizeEmail } from '../../../lib/format/email-address.ts';
import { searchForm } from '../../../lib/format/search-form.ts';
import { type Networks, networkOf, networksOf } from '../../../lib/net/address.ts';
import { sign } from '../../../lib/security/encryption.ts';
import { type ConversationDocument, ConversationModel } from '../../../models/connect/conversation.ts';
import { type VisitorDocument, VisitorModel } from '../../../models/connect/visitor.ts';
import { findPresent } from '../conversations/conversations.ts';
import { announcePresence } from '../conversations/hints.ts';
import type { SignedIdentity } from './visit.ts';

type Signed = Pick<SignedIdentity, 'id' | 'email'>;

/** The identifiers of a signed identity in business context. */
export function identifiersOf({ id, email }: Signed): string[] {
  return [`id:${id}`, ...(email ? [`email:${normalizeEmail(email)}`] : [])];
}

/**
 * Links the signed id and email of a visitor to the customer who has one of them. If business context is unavailable,
 * the visitor is served anyway and the next session links them.
 */
export async function linkCustomer(ctx: CallContext & BrokerContext, orgId: string, identity: Signed): Promise<void> {
  const { id, email } = identity;
  const identifiers = [
    { type: 'id' as const, value: id },
    ...(email ? [{ type: 'email' as const, value: email }] : []),
  ];
  try {
    await call(ctx, 'context.customers.link', { body: { orgId, identifiers } });
  } catch (error) {
    ctx.broker.logger.warn('Visitor could not be linked to a customer; retried at the next session', { orgId, error });
  }
}

/**
 * How long a visitor counts as online after the last sign of the open widget; also the interval at which signs are
 * stored.
 */
const onlineFor = 2 * minute;
const touchEvery = minute;

/** The visitors that this process recorded within the interval, so that checks of idle streams write nothing. */
const noted = new LRUCache<string, true>({
  max: 20_000,
  ...expireAfter(touchEvery, () => now().getTime()),
});

export function isVisitorOnline({ lastSeenAt }: Pick<VisitorDocument, 'lastSeenAt'>): boolean {
  return now().getTime() - lastSeenAt.getTime() < onlineFor;
}

/**
 * Records that a visitor has the widget open, and publishes a presence change if a visitor who has written was offline.
 */
export async function recordVisitorSeen(ctx: PublishContext, orgId: string, visitorId: string): Promise<void> {
  if (noted.has(visitorId)) return;
  noted.set(visitorId, true);
  const previous = await VisitorModel.findOneAndUpdate(
    { orgId, _id: visitorId },
    { $set: { lastSeenAt: now() } },
    { returnDocument: 'before' },
  ).lean<VisitorDocument>();
  if (previous && !isVisitorOnline(previous)) await announcePresence(ctx, orgId, { visitorId, online: true });
}

type Found = Pick<VisitorDocument, 'orgId' | 'siteId' | 'name' | 'email' | 'locale' | 'network'>;

/** The name that agents see for a visitor without one. */
export const unnamed = 'Visitor';

/** The key by which searches find a name; null for a visitor without one. */
export const nameKeyOf = (customerName: string): string | null =>
  customerName === unnamed ? null : searchForm(customerName);

export const nameOf = ({ name, userId }: Pick<VisitorDocument, 'name' | 'userId'>): string => name ?? userId ?? unnamed;

/** The keyed hash of a request's network, so that the address is not stored; null for internal calls. */
export function networkHash({ meta: { client } }: Ctx): string | null {
  return client ? hashOfNetwork(client.address) : null;
}

/** The keyed hashes of a request's network and its wider range; null for internal calls. */
export function networkHashes({ meta: { client } }: Ctx): Networks | null {
  if (!client) return null;
  const { network, range } = networksOf(client.address);
  return { network: keyedHash(network), range: keyedHash(range) };
}

export function hashOfNetwork(address: string): string {
  return keyedHash(networkOf(address));
}

function keyedHash(network: string): string {
  return sign('connect.network', network);
}

/** Stores an anonymous visitor with the first message. Later values replace stored ones. */
export async function storeVisitor(visitorId: string, about: Found): Promise<VisitorDocument> {
  const { orgId, name, locale, network } = about;
  const newRecord = newVisitor(visitorId, visitorId, about);
  const { email } = newRecord;
  const found = await VisitorModel.findOne({ orgId, _id: visitorId }).lean<VisitorDocument>();
  if (!found) {
    await insertIfAbsent<VisitorDocument>(VisitorModel, newRecord);
    return newRecord;
  }
  const changed = {
    ...(name !== null && name !== found.name && { name }),
    ...(email !== null && email !== found.email && { email }),
    ...(locale !== null && locale !== found.locale && { locale }),
    ...(network !== null && network !== found.network && { network }),
  };
  const visitor = { ...found, ...changed };
  if (Object.keys(changed).length === 0) return visitor;
  await VisitorModel.updateOne({ orgId, _id: visitorId }, { $set: changed });
  if (changed.name) await renameConversations(visitor);
  return visitor;
}

/**
 * Stores the visitor of a signed identity, shared by all devices.
 *
 * @param id the id if the visitor is stored for the first time
 */
export async function storeIdentified(
  about: Found & { userId: string; identifiers: string[] },
  id: string = newId('vis'),
): Promise<VisitorDocument> {
  const { orgId, siteId, userId, identifiers, name, locale, network } = about;
  const person = `user:${userId}`;
  const newRecord: VisitorDocument = { ...newVisitor(id, person, about), userId, identifiers };
  const { email } = newRecord;
  if (await insertIfAbsent<VisitorDocument>(VisitorModel, newRecord)) return newRecord;
  const changes = { ...(name && { name }), email, ...(locale && { locale }), ...(network && { network }), identifiers };
  const changed = await VisitorModel.findOneAndUpdate(
    { orgId, siteId, person },
    { $set: { ...changes, lastSeenAt: now() } },
    { returnDocument: 'after' },
  ).lean<VisitorDocument>();
  if (!changed) return await storeIdentified(about, id);
  await renameConversations(changed);
  return changed;
}

/** Moves the conversations of an anonymous visitor to the person who signed in on the same device. */
export async function claimConversations(from: string, person: VisitorDocument): Promise<void> {
  const { orgId, _id: visitorId, siteId } = person;
  const begun = await ConversationModel.find({ orgId, visitorId: from, siteId })
    .sort({ ordinal: 1 })
    .lean<ConversationDocument[]>();
  for (const { _id } of begun) while (!(await adopt(_id, from, person)));
  if (begun.length > 0) await VisitorModel.deleteOne({ orgId, _id: from, userId: null });
  await renameConversations({ ...person, _id: visitorId });
}

/** False if the person concurrently began another conversation, which took the number. */
async function adopt(
  conversationId: string,
  from: string,
  { orgId, _id: visitorId }: VisitorDocument,
): Promise<boolean> {
  const present = await findPresent(orgId, visitorId);
  try {
    await ConversationModel.updateOne(
      { orgId, _id: conversationId, visitorId: from },
      { $set: { visitorId, ordinal: (present?.ordinal ?? 0) + 1, updatedAt: now() } },
    );
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

/** Updates the visitor's name and email in their conversations. */
async function renameConversations(visitor: VisitorDocument): Promise<void> {
  const { orgId, _id: visitorId, userId: customerId, identifiers } = visitor;
  const customerName = nameOf(visitor);
  const shown = { customerName, nameKey: nameKeyOf(customerName), customerId, identifiers };
  await ConversationModel.updateMany({ orgId, visitorId }, { $set: shown });
}

function newVisitor(_id: string, person: string, about: Found): VisitorDocument {
  const at = now();
  return {
    _id,
    person,
    ...about,
    email: about.email === null ? null : normalizeEmail(about.email),
    userId: null,
    identifiers: [],
    createdAt: at,
    lastSeenAt: at,
  };
}
