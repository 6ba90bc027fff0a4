import { asciiDomain, normalizeEmail } from '../../../lib/email-address.ts';
import { settings } from '../../../lib/settings.ts';

export type SenderAddress = { name: string; address: string };

/** The address that organizations' mail is sent from: another than the platform's own mail has. */
export function tenantAddress(own: string = senderAddress().address): string {
  const chosen = settings.MAIL_TENANT_FROM;
  if (chosen !== undefined && normalizeEmail(chosen) !== normalizeEmail(own)) return chosen;
  const [, name = '', domain = ''] = /^(.*)@(.*)$/.exec(own) ?? [];
  return `${name.toLowerCase() === 'messages' ? 'customers' : 'messages'}@${domain}`;
}

/** MAIL_FROM in its parts: `Example <no-reply@example.com>`, or the address alone. */
export function senderAddress(text: string = settings.MAIL_FROM): SenderAddress {
  const [, name, address] = /^([^<>]+)<([^<>]+)>$/.exec(text) ?? [];
  if (name === undefined || address === undefined) return { name: '', address: text };
  return { name: name.trim().replace(/^"(.*)"$/, '$1'), address };
}

/** The domain of an address in ASCII (RFC 5891): a Message-ID and a header in ASCII have no other. */
export function asciiDomainOf(address: string): string {
  const domain = address.slice(address.lastIndexOf('@') + 1);
  if (isVisibleAscii(domain)) return domain;
  const encoded = asciiDomain(domain);
  return isVisibleAscii(encoded) ? encoded : 'localhost';
}

const isVisibleAscii = (text: string): boolean => /^[\x21-\x7e]+$/.test(text);
