import { asciiDomain, normalizeEmail } from '../format/email-address.ts';
import { settings } from '../settings/settings.ts';

export type SenderAddress = { name: string; address: string };

/** The sender address of organizations' mail, which differs from the sender of the platform's own mail. */
export function tenantAddress(own: string = senderAddress().address): string {
  const configured = settings.MAIL_TENANT_FROM;
  if (configured !== undefined && normalizeEmail(configured) !== normalizeEmail(own)) return configured;
  const [, name = '', domain = ''] = /^(.*)@(.*)$/.exec(own) ?? [];
  return `${name.toLowerCase() === 'messages' ? 'customers' : 'messages'}@${domain}`;
}

/** Parses MAIL_FROM: `Example <no-reply@example.com>`, or a bare address. */
export function senderAddress(text: string = settings.MAIL_FROM): SenderAddress {
  const [, name, address] = /^([^<>]+)<([^<>]+)>$/.exec(text) ?? [];
  if (name === undefined || address === undefined) return { name: '', address: text };
  return { name: name.trim().replace(/^"(.*)"$/, '$1'), address };
}

/** The domains of which the operator allows an organization to send mail, in their normal form. */
export function senderDomains(orgId: string): string[] {
  return settings.MAIL_SENDER_DOMAINS.flatMap((entry) => {
    const [domain = '', only] = entry.split('=');
    return only === undefined || only === orgId ? [domain] : [];
  });
}

/** The domain of an address in ASCII (RFC 5891), as Message-IDs and headers in ASCII require. */
export function asciiDomainOf(address: string): string {
  const domain = address.slice(address.lastIndexOf('@') + 1);
  if (isVisibleAscii(domain)) return domain;
  const encoded = asciiDomain(domain);
  return isVisibleAscii(encoded) ? encoded : 'localhost';
}

const isVisibleAscii = (text: string): boolean => /^[\x21-\x7e]+$/.test(text);
