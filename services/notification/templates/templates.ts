import { z } from 'zod';
import { htmlPart, subjectPart, textPart } from '../../../messaging/templates/content.ts';
import type { Starter, TemplateKind } from '../../../messaging/templates/kind.ts';
import { TemplateModel, TemplateVersionModel } from '../../../models/notification/template.ts';

const name = { name: 'name', required: true, sample: 'Grace' };
const orderId = { name: 'orderId', required: true, sample: 'A-1001' };

/** Ready-made templates that an organization can begin with. */
const starters: Record<string, Starter> = {
  'order-received': {
    name: 'Order received',
    description: 'Confirms that an order has arrived.',
    category: 'transactional',
    subject: 'Order {{ orderId }} received',
    text: 'Hello {{ name }}, thank you for your order {{ orderId }}. We will write again when it is on its way.',
    variables: [name, orderId],
  },
  'order-shipped': {
    name: 'Order shipped',
    description: 'Tells that an order is on its way, with a link to follow it.',
    category: 'transactional',
    subject: 'Order {{ orderId }} is on its way',
    text: 'Hello {{ name }}, your order {{ orderId }} is on its way. Follow it here: {{ trackingUrl }}',
    variables: [name, orderId, { name: 'trackingUrl', required: true, sample: 'https://example.com/track/A-1001' }],
  },
  appointment: {
    name: 'Appointment reminder',
    description: 'Reminds of an appointment.',
    category: 'transactional',
    subject: 'Your appointment on {{ date }}',
    text: 'Hello {{ name }}, we look forward to seeing you on {{ date }} at {{ time }}.',
    variables: [
      name,
      { name: 'date', required: true, sample: '2 March' },
      { name: 'time', required: true, sample: '10:30' },
    ],
  },
  code: {
    name: 'One-time code',
    description: 'Sends a code that confirms a login.',
    category: 'transactional',
    subject: 'Your code',
    text: '{{ code }} is your code. It is valid for ten minutes. Do not share it.',
    variables: [{ name: 'code', required: true, sample: '123456' }],
  },
};

const maxParameters = 20;

/** Provider options in addition to the text. */
export const optionsPart = z.strictObject({
  /** A template that WhatsApp has approved; each of its parameters is a Liquid template. */
  whatsapp: z
    .strictObject({
      name: z.string().regex(/^[a-z0-9_]{1,512}$/, 'Must be the name of an approved template, such as order_shipped.'),
      language: z.string().regex(/^[a-z]{2,3}(?:_[A-Z]{2})?$/, 'Must be a WhatsApp language, such as de or en_US.'),
      parameters: z.array(z.string().min(1).max(1024)).max(maxParameters).default([]),
    })
    .optional(),
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
