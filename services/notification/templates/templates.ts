import { z } from 'zod';
import { htmlPart, subjectPart, textPart } from '../../../messaging/templates/content.ts';
import type { TemplateKind } from '../../../messaging/templates/kind.ts';
import { TemplateModel, TemplateVersionModel } from '../../../models/notification/template.ts';
import { starters } from './starters.ts';

const maxParameters = 20;

/** Provider options in addition to the text. */
export const optionsPart = z.strictObject({
  /** A template that WhatsApp has approved; each of its parameters is a Liquid template. */
  whatsapp: z
    .strictObject({
      name: z
        .string()
        .regex(/^[a-z0-9_]{1,512}$/, 'Must be the name of an approved template, such as order_shipped.')
        .describe('The name of the approved template.'),
      language: z
        .string()
        .regex(/^[a-z]{2,3}(?:_[A-Z]{2})?$/, 'Must be a WhatsApp language, such as de or en_US.')
        .describe('The language of the approved template, such as `de` or `en_US`.'),
      parameters: z
        .array(z.string().min(1).max(1024))
        .max(maxParameters)
        .default([])
        .describe('The values of its parameters, each a Liquid template.'),
    })
    .optional()
    .describe('A template that WhatsApp has approved, for messages outside of a conversation.'),
});

export const templateKind: TemplateKind = {
  service: 'notification',
  path: '/v1/notifications/templates',
  permissions: { read: 'notification.read', write: 'notification.templates.write' },
  limit: 'notificationTemplates',
  templates: TemplateModel,
  versions: TemplateVersionModel,
  parts: { subject: subjectPart, text: textPart, html: htmlPart, options: optionsPart },
  required: ['text'],
  builtIn: [],
  starters,
  example: {
    subject: 'Order {{ orderId }}',
    text: 'Hello {{ name }}, your order {{ orderId }} is on its way.',
    variables: [
      { name: 'name', required: true, sample: 'Grace' },
      { name: 'orderId', required: true, sample: 'A-1001' },
    ],
  },
};
