import { decrypt, encrypt } from '../../../lib/encryption.ts';
import type { RenderedContent } from '../../../messaging/templates/content.ts';
import type { OutgoingNotification } from '../providers/provider.ts';
import { renderedOptions } from '../templates/kind.ts';

/** What a notification says. It may hold a code that logs in, so it is stored sealed. */
export type NotificationContent = Pick<OutgoingNotification, 'subject' | 'text' | 'html' | 'whatsapp'>;

export function contentOf({ subject = '', text = '', html = '', options }: RenderedContent): NotificationContent {
  const { whatsapp = null } = renderedOptions.parse(options ?? {});
  return { subject, text, html, whatsapp };
}

const purpose = 'notification.content';

export function sealContent(content: NotificationContent): string {
  return encrypt(purpose, JSON.stringify(content));
}

export function openContent(sealed: string): NotificationContent {
  return JSON.parse(decrypt(purpose, sealed)) as NotificationContent;
}
