import type { Starter } from '../../../messaging/templates/kind.ts';

const name = { name: 'name', required: true, sample: 'Grace' };
const orderId = { name: 'orderId', required: true, sample: 'A-1001' };

/** Ready-made templates that an organization can begin with. */
export const starters = {
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
} satisfies Record<string, Starter>;
