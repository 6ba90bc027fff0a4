import { createHmac } from 'node:crypto';
import type { Schemas } from 'platform-sdk';
import type { Customer } from '../shop-backend/shop/customers.ts';
import { findIn, type Organization, type Step, valuesOf } from './organization.ts';

const name = 'Roastery shop';
const origin = 'https://roastery.example.com';

/** Each conversation: the question of the customer, and the answer of the roastery if there is one. */
const conversations = [
  { question: 'How long does the Yirgacheffe keep after roasting?', answer: 'About six weeks in the closed bag.' },
  { question: 'Can I change the address of an order that has not left yet?', answer: null },
];

/**
 * Adds a website with a chat widget, on which two customers have written.
 *
 * @param agentId - the member to whom the conversations are assigned; null leaves them unassigned.
 */
export async function openWebsite(
  organization: Organization,
  customers: Customer[],
  agentId: string | null,
): Promise<Step[]> {
  const { client, console } = organization;
  const found = await findIn(client.list('/v1/connect/sites', {}), (site) => site.name === name);
  const body = { name, allowedOrigins: [origin], greeting: 'Questions about coffee? Write to us.' };
  const site = found ?? (await client.post('/v1/connect/sites', { body }));
  const { siteId } = site;
  const written = client.list('/v1/conversations', { query: { siteId } });
  const known = await valuesOf(written, ({ customerId }) => customerId ?? '');
  const missing = conversations.flatMap((conversation, index) => {
    const customer = customers[index];
    return customer && !known.has(customer.id) ? [{ ...conversation, customer }] : [];
  });
  if (missing.length > 0) {
    const secret = await makeSecret(organization, siteId);
    for (const one of missing) await converse(organization, { siteId, secret, agentId, ...one });
  }
  return [
    { what: 'website', total: 1, added: found ? 0 : 1, where: `${console}/websites` },
    { what: 'conversations', total: conversations.length, added: missing.length, where: `${console}/inbox` },
  ];
}

/** Makes the secret that signs the identities of customers. A repetition after an interrupted run gets the same one. */
async function makeSecret({ client }: Organization, siteId: string): Promise<string> {
  const idempotencyKey = `roastery:secret:${siteId}`;
  const path = { siteId };
  return (await client.post('/v1/connect/sites/{siteId}/secret', { path, idempotencyKey })).secret;
}

type Conversation = {
  siteId: string;
  secret: string;
  agentId: string | null;
  customer: Customer;
  question: string;
  answer: string | null;
};

/** Writes as the widget on a page does, and answers as an application. The echo ids make a repetition the same message. */
async function converse({ client, connection }: Organization, conversation: Conversation): Promise<void> {
  const { siteId, secret, agentId, customer, question, answer } = conversation;
  const { tenantId } = connection;
  const user = identityOf(customer);
  const userHash = createHmac('sha256', secret).update([user.id, user.email, user.issuedAt].join('\n')).digest('hex');
  const session: Schemas['WidgetSession'] = await client.post('/v1/widget/sessions', {
    body: { tenantId, siteId, user, userHash, locale: 'en' },
    headers: { origin, authorization: '' },
  });
  const { conversationId } = await client.post('/v1/widget/messages', {
    body: { text: question, echoId: `roastery-${customer.id}` },
    headers: { origin, authorization: `Bearer ${session.visitorToken}` },
  });
  const path = { id: conversationId };
  if (agentId !== null) await client.patch('/v1/conversations/{id}', { path, body: { assigneeId: agentId } });
  if (answer === null) return;
  await client.post('/v1/conversations/{id}/messages', {
    path,
    body: { text: answer, echoId: `roastery-answer-${customer.id}` },
  });
}

function identityOf({ id, email, firstName, lastName }: Customer) {
  return { id, email, name: `${firstName} ${lastName}`, issuedAt: new Date().toISOString() };
}
