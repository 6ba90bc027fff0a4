import type { z } from 'zod';
import { decrypt, encrypt } from '../../../lib/encryption.ts';
import type { Category, RenderedContent } from '../../../messaging/templates/content.ts';
import type { OutgoingNotification } from '../providers/provider.ts';
import type { optionsPart } from '../templates/kind.ts';

/** The content of a notification. It may contain a login code, so it is stored encrypted. */
export type NotificationContent = Pick<OutgoingNotification, 'category' | 'subject' | 'text' | 'html' | 'whatsapp'>;

/** The options were validated when the template was stored; the provider refuses an empty parameter. */
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
