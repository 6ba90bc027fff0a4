import type { z } from 'zod';
import { decrypt, encrypt } from '../../../lib/encryption.ts';
import type { Category, RenderedContent } from '../../../messaging/templates/content.ts';
import type { OutgoingNotification } from '../providers/provider.ts';
import type { optionsPart } from '../templates/kind.ts';

/** What a notification says. It may hold a code that logs in, so it is stored sealed. */
export type NotificationContent = Pick<OutgoingNotification, 'category' | 'subject' | 'text' | 'html' | 'whatsapp'>;

/** The options were validated when the template was stored; an empty parameter is left to the provider to refuse. */
export function contentOf(category: Category, rendered: RenderedContent): NotificationContent {
  const { subject = '', text = '', html = '', options } = rendered;
  const { whatsapp = null } = (options ?? {}) as z.output<typeof optionsPart>;
  return { category, subject, text, html, whatsapp };
}

const purpose = 'notification.content';

export function sealContent(content: NotificationContent): string {
  return encrypt(purpose, JSON.stringify(content));
}

export function openContent(sealed: string): NotificationContent {
  return JSON.parse(decrypt(purpose, sealed)) as NotificationContent;
}
