import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { z } from 'zod';
import { createSession } from '../../services/connect/widget/create-session.ts';
import { createWidgetMessage } from '../../services/connect/widget/messages.ts';
import { beginRecovery } from '../../services/identity/accounts/recovery.ts';
import { register } from '../../services/identity/accounts/register.ts';
import { contactValue } from '../../services/identity/contact-rules.ts';
import { createInvitation } from '../../services/identity/create-invitation.ts';
import { sendMail } from '../../services/mail/messages/send.ts';
import { sendNotification } from '../../services/mail/messages/send-notification.ts';
import { writeSettings } from '../../services/mail/sender-settings.ts';
import { createSuppression } from '../../services/mail/suppressions.ts';
import { testTemplate } from '../../services/mail/templates/templates.actions.ts';
import { mail } from '../../services/notification/providers/providers.ts';

const takes = (schema: z.ZodType) => (address: string) => schema.safeParse(address).success;

function takesContact(address: string): boolean {
  try {
    return contactValue('email', address) !== '';
  } catch {
    return false;
  }
}

const bodyOf = ({ schemas }: { schemas: () => { input: { body: { shape: object } } } }) =>
  schemas().input.body.shape as Record<string, z.ZodType>;
const { user } = createSession.schemas().input.body.shape;

const inputs: Record<string, (address: string) => boolean> = {
  registration: takes(bodyOf(register).email!),
  recovery: takes(bodyOf(beginRecovery).email!),
  contact: takesContact,
  invitation: takes(bodyOf(createInvitation).email!),
  mail: takes(bodyOf(sendMail).to!),
  replies: takes(bodyOf(writeSettings).replyTo!),
  test: takes(bodyOf(testTemplate).to!),
  notification: takes(bodyOf(sendNotification).to!),
  channel: (address) => mail.addressOf(address) !== null,
  suppression: takes(bodyOf(createSuppression).address!),
  message: takes(bodyOf(createWidgetMessage).email!),
  visitor: (email) => user.safeParse({ id: 'C-1', email }).success,
};

const answers = (address: string) =>
  Object.fromEntries(Object.entries(inputs).map(([name, is]) => [name, is(address)]));
const all = (answer: boolean) => Object.fromEntries(Object.keys(inputs).map((name) => [name, answer]));

test.each([
  'ada@example.com',
  'a&b@example.com',
  'ivan@xn--80ak6aa92e.xn--p1ai',
  'jos\u00e9@b\u00fccher.example',
  'ada@example.com.',
  '\u200eada@example.com',
])('every endpoint takes %j', (address) => {
  expect(answers(address)).toEqual(all(true));
});

test.each([
  'a..b@x.example',
  '.a@x.example',
  'a.@x.example',
  'a@x',
  'a@-x.example',
  'a@x-.example',
  'a@x..example',
  '"a b"@x.example',
  'a@[127.0.0.1]',
  'a\u0000@x.example',
  'a@x.example\r\nBcc: b@x.example',
  `a@${'x'.repeat(60)}.${'y'.repeat(60)}.${'z'.repeat(60)}.${'w'.repeat(60)}.example.com`,
])('no endpoint takes %j', (address) => {
  expect(answers(address)).toEqual(all(false));
});

test('what one endpoint takes, all take', () => {
  const part = fc.string({ unit: fc.constantFrom(...'ab1.-_@&"< \u0000\u00e9\u0430\u200b'), maxLength: 6 });
  const made = fc.tuple(part, part).map(([local, domain]) => `${local}@${domain}.example`);
  fc.assert(
    fc.property(fc.oneof(fc.emailAddress(), made), (address) => {
      const given = answers(address);
      expect(given).toEqual(all(given.registration!));
    }),
    { numRuns: 300 },
  );
});
