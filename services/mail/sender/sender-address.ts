import { settings } from '../../../lib/settings.ts';

export type SenderAddress = { name: string; address: string };

/** MAIL_FROM in its parts: `Example <no-reply@example.com>`, or the address alone. */
export function senderAddress(text: string = settings.MAIL_FROM): SenderAddress {
  const [, name, address] = /^([^<>]+)<([^<>]+)>$/.exec(text) ?? [];
  if (name === undefined || address === undefined) return { name: '', address: text };
  return { name: name.trim().replace(/^"(.*)"$/, '$1'), address };
}
