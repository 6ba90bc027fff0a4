import type { z } from 'zod';
import { settlementInput, settlementOutput, settleStored } from '../../../lib/clients/quota.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { decrypt, encrypt } from '../../../lib/security/encryption.ts';
import type { Category, RenderedContent } from '../../../messaging/templates/content.ts';
import { NotificationModel } from '../../../models/notification/notification.ts';
import type { OutgoingNotification } from '../providers/provider.ts';
import type { optionsPart } from '../templates/templates.ts';

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

/** `notification.quota.settle`, called by billing after a crash: which notifications were stored with their reservation. */
export const settleQuota = defineAction({
  summary: 'Count the notifications that were stored with reservations of quota',
  permission: 'internal',
  input: settlementInput,
  output: settlementOutput,
  async handler({ body: { orgId, keys } }) {
    const found = await NotificationModel.find({ orgId, _id: { $in: keys } }, { _id: 1 }).lean();
    return settleStored(keys, new Set(found.map(({ _id }) => _id)));
  },
});
