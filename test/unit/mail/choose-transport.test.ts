import { describe, expect, test } from '@jest/globals';
import { senderAddress } from '../../../lib/net/sender-address.ts';
import { Secret } from '../../../lib/security/secret.ts';
import { StartError } from '../../../lib/settings/start-error.ts';
import { chooseTransport, isMailOff } from '../../../services/mail/transports/choose-transport.ts';
import { isMailboxInUse } from '../../../web/mailbox-page.ts';

const logger = { info: () => undefined };
const smtp = new Secret('smtp://127.0.0.1:1');
const nats = new Secret('nats://127.0.0.1:1');
const mongo = new Secret('mongodb://127.0.0.1:1');
const nothing = {
  SMTP_URL: undefined,
  NATS_URL: undefined,
  MONGO_URL: undefined,
  DEV_MAILBOX: false,
  isPublic: false,
};

describe('mail', () => {
  test.each([
    ['leaves by SMTP_URL', { SMTP_URL: smtp }, false],
    ['leaves by SMTP_URL in a pool', { SMTP_URL: smtp, NATS_URL: nats }, false],
    ['leaves by SMTP_URL although DEV_MAILBOX is yes', { SMTP_URL: smtp, NATS_URL: nats, DEV_MAILBOX: true }, false],
    ['leaves by SMTP_URL with a database elsewhere', { SMTP_URL: smtp, MONGO_URL: mongo }, false],
    ['leaves by SMTP_URL where others are served', { SMTP_URL: smtp, isPublic: true }, false],
    ['stays here in one process', {}, true],
    ['stays here in a pool that asks for it', { NATS_URL: nats, MONGO_URL: mongo, DEV_MAILBOX: true }, true],
    ['stays here with a database elsewhere, when asked', { MONGO_URL: mongo, DEV_MAILBOX: true }, true],
  ])('%s', (_how, asked, staysHere) => {
    const choice = { ...nothing, ...asked };
    const transport = chooseTransport(logger, choice)!;
    expect(isMailboxInUse(choice)).toBe(staysHere);
    expect(transport.keepsBody).toBe(staysHere);
    transport.close();
  });

  test.each([
    ['a pool', { NATS_URL: nats }],
    ['a node with a database elsewhere', { MONGO_URL: mongo }],
  ])('keeps %s from starting that has neither', (_what, asked) => {
    const choose = () => chooseTransport(logger, { ...nothing, ...asked });
    expect(choose).toThrow(StartError);
    expect(choose).toThrow(/SMTP_URL.*DEV_MAILBOX=yes/);
  });

  test.each([
    ['one process', {}],
    ['a node with a mailbox that was asked for', { MONGO_URL: mongo, DEV_MAILBOX: true }],
  ])('keeps %s from starting without a mail server where others are served', (_what, asked) => {
    const choice = { ...nothing, ...asked, isPublic: true };
    expect(() => chooseTransport(logger, choice)).toThrow(/^SMTP_URL must be set .* or to none/);
    expect(isMailboxInUse(choice)).toBe(false);
  });

  test.each([
    ['in one process', {}],
    ['in a pool', { NATS_URL: nats, MONGO_URL: mongo }],
    ['where others are served', { isPublic: true }],
  ])('that is turned off %s has no transport and no mailbox', (_where, asked) => {
    const choice = { ...nothing, ...asked, SMTP_URL: 'none' as const };
    expect(chooseTransport(logger, choice)).toBeNull();
    expect(isMailboxInUse(choice)).toBe(false);
    expect(isMailOff(choice)).toBe(true);
  });

  test.each([
    ['Platform <no-reply@localhost>', { name: 'Platform', address: 'no-reply@localhost' }],
    ['"Mugs, Blue" <mail@example.com>', { name: 'Mugs, Blue', address: 'mail@example.com' }],
    ['no-reply@example.com', { name: '', address: 'no-reply@example.com' }],
  ])('from %s has the parts of that sender', (text, parts) => {
    expect(senderAddress(text)).toEqual(parts);
  });
});
