import { settings } from '../../../lib/settings.ts';
import { isSigned, sign } from '../../../lib/signature.ts';
import type { MessageDocument } from '../../../models/mail/message.ts';

const purpose = 'mail.unsubscribe.1';

/** The claims of an unsubscribe token. It never expires, because mail is kept for years. */
export type Subscription = { orgId: string; address: string; messageId: string };

export const unsubscribePath = '/mail/unsubscribe';

/** The URL that unsubscribes the recipient of a message from the organization's marketing mail. */
export function unsubscribeUrlOf({ orgId, to, _id }: Pick<MessageDocument, 'orgId' | 'to' | '_id'>): string {
  const text = Buffer.from(JSON.stringify([orgId, to, _id])).toString('base64url');
  return `${settings.PUBLIC_URL}${unsubscribePath}/${text}.${sign(purpose, text)}`;
}

/** Verifies a token; null if the platform did not sign it. */
export function readUnsubscribeToken(token: string): Subscription | null {
  const [text = '', signature = '', ...rest] = token.split('.');
  if (rest.length > 0 || !isSigned(purpose, text, signature)) return null;
  const [orgId = '', address = '', messageId = ''] = JSON.parse(Buffer.from(text, 'base64url').toString()) as string[];
  return { orgId, address, messageId };
}
