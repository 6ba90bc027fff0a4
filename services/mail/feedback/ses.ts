import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { apiError } from '../../../lib/errors.ts';
import { exampleInstant } from '../../../lib/examples.ts';
import { settings } from '../../../lib/settings.ts';
import { applyReport, type Report } from './apply.ts';
import { confirmSubscription, type FetchText, fetchAmazonText, verifySns } from './sns.ts';

const recipient = z.object({ emailAddress: z.string(), diagnosticCode: z.string().optional() });

/** The used fields of an Amazon SES notification or event, whose kind is in one of two fields. */
const notice = z.object({
  notificationType: z.string().optional(),
  eventType: z.string().optional(),
  mail: z.object({
    headers: z.array(z.object({ name: z.string(), value: z.string() })).optional(),
    tags: z.record(z.string(), z.array(z.string())).optional(),
  }),
  bounce: z.object({ bounceType: z.string(), bouncedRecipients: z.array(recipient) }).optional(),
  complaint: z
    .object({ complainedRecipients: z.array(recipient), complaintFeedbackType: z.string().nullish() })
    .optional(),
});

/**
 * POST /v1/mail/feedback/ses: reports of Amazon SES through an SNS topic. Verifies the signature, accepts only the
 * topics of MAIL_SES_TOPICS, and confirms their subscriptions automatically.
 */
export const receiveSes = defineAction({
  rest: 'POST /v1/mail/feedback/ses',
  summary: 'Receive bounces and complaints of Amazon SES',
  permission: 'public',
  input: { body: z.string() },
  takes: 'text',
  limits: { bodyBytes: 300 * 1024, fromServers: true },
  output: z.strictObject({ received: z.literal(true) }),
  errors: ['NOT_FOUND', 'WEBHOOK_INVALID'],
  example: {
    body: JSON.stringify({ Type: 'Notification', Timestamp: exampleInstant, Message: '{"notificationType":"Bounce"}' }),
    output: { received: true },
  },
  async handler({ body }) {
    if (settings.MAIL_SES_TOPICS.length === 0) throw apiError('NOT_FOUND');
    await handleSes(body, settings.MAIL_SES_TOPICS, fetchAmazonText);
    return { received: true as const };
  },
});

/** Verifies and applies an SNS message. `fetchText` is injected in tests. */
export async function handleSes(body: string, topics: string[], fetchText: FetchText): Promise<void> {
  const message = await verifySns(body, topics, fetchText);
  if (message.Type === 'SubscriptionConfirmation')
    await confirmSubscription(message.SubscribeURL, message.TopicArn, fetchText);
  if (message.Type !== 'Notification') return;
  for (const report of reportsOf(message.Message)) await applyReport(report);
}

function reportsOf(text: string): Report[] {
  const { data } = notice.safeParse(parseJson(text));
  const messageId = data && (tagOf(data.mail.tags) ?? headerOf(data.mail.headers));
  if (!data || !messageId) return [];
  const kind = data.notificationType ?? data.eventType;
  if (kind === 'Bounce' && data.bounce) {
    const isPermanent = data.bounce.bounceType === 'Permanent';
    return data.bounce.bouncedRecipients.map(({ emailAddress, diagnosticCode = '' }) => ({
      messageId,
      recipient: addressOf(emailAddress),
      type: 'bounced',
      isPermanent,
      detail: diagnosticCode,
    }));
  }
  if (kind !== 'Complaint' || !data.complaint) return [];
  const { complainedRecipients, complaintFeedbackType } = data.complaint;
  return complainedRecipients.map(({ emailAddress }) => ({
    messageId,
    recipient: addressOf(emailAddress),
    type: 'complained',
    // `not-spam`: the recipient reports that the mail was not spam.
    isPermanent: complaintFeedbackType !== 'not-spam',
    detail: complaintFeedbackType ?? '',
  }));
}

/** Parses JSON; other text is a notice for people, such as the first message of a topic. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const tagOf = (tags: Record<string, string[]> | undefined): string | undefined => tags?.['message-id']?.[0];

function headerOf(headers: { name: string; value: string }[] | undefined): string | undefined {
  return headers?.find(({ name }) => name.toLowerCase() === 'x-message-id')?.value.trim();
}

/** Extracts the address from `Grace <grace@example.com>` or from a bare address. */
const addressOf = (text: string): string => /<([^<>]+)>\s*$/.exec(text)?.[1] ?? text;

declare module '../../../lib/calls.ts' {
  interface Calls {
    'mail.feedback.ses': typeof receiveSes;
  }
}
