import type { Customer } from '../shop-backend/shop/customers.ts';
import { findIn, type Organization, type Step } from './organization.ts';

const name = 'Roastery: your coffee is on its way';
const template = {
  name,
  category: 'transactional',
  subject: 'Your {{ coffee }} is on its way',
  html:
    '<h1>Hello {{ name }}</h1><p>We roasted your {{ coffee }} this morning and handed it to the carrier.</p>' +
    '<p>Let it rest for a few days before you open the bag.</p>',
  text: 'Hello {{ name }},\nwe roasted your {{ coffee }} this morning and handed it to the carrier.',
  variables: [
    { name: 'name', required: true, sample: 'Ada' },
    { name: 'coffee', required: true, sample: 'Yirgacheffe' },
  ],
  publish: true,
} as const;
const mailed = 6;

/** Creates and publishes a mail template, and sends mails by it to the first customers. */
export async function sendMails({ client }: Organization, customers: Customer[]): Promise<Step[]> {
  const found = await findIn(client.list('/v1/mail/templates', {}), (present) => present.name === name);
  const body = { ...template, variables: [...template.variables] };
  const { id: templateId } = found ?? (await client.post('/v1/mail/templates', { body }));
  const recipients = customers.slice(0, mailed);
  let added = 0;
  for (const { email: to, firstName } of recipients) {
    const sent = client.list('/v1/mail/messages', { query: { to } });
    if (await findIn(sent, (mail) => mail.templateId === templateId)) continue;
    const variables = { name: firstName, coffee: 'Yirgacheffe' };
    // Two runs at the same time send one mail.
    const idempotencyKey = `roastery:${templateId}:${to}`;
    await client.post('/v1/mail/send', { body: { to, templateId, variables }, idempotencyKey });
    added += 1;
  }
  return [
    { what: 'mail template', total: 1, added: found ? 0 : 1, where: `GET /v1/mail/templates/${templateId}` },
    { what: 'mails', total: recipients.length, added, where: 'the mailbox' },
  ];
}
