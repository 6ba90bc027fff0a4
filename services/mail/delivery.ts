import type { Logger, ServiceBroker } from 'moleculer';
import { now } from '../../lib/data/clock.ts';
import { asciiDomainOf } from '../../lib/net/sender-address.ts';
import { DeliveryError, type DeliveryKind } from '../../messaging/delivery/deliverer.ts';
import { createDelivery, type Delivery } from '../../messaging/delivery/delivery.ts';
import { deliveryMetrics } from '../../messaging/delivery/metrics.ts';
import type { Claim } from '../../messaging/delivery/queue.ts';
import { createRefunds } from '../../messaging/delivery/refunds.ts';
import { deferWhileSuspended } from '../../messaging/delivery/suspension.ts';
import { TemplateError } from '../../messaging/templates/liquid.ts';
import { renderVersion, versionOf } from '../../messaging/templates/rendering.ts';
import { turnOf } from '../../messaging/templates/turns.ts';
import { type Feedback, isSystemMail, type MessageDocument, MessageModel } from '../../models/mail/message.ts';
import { readAttachments } from './messages/attachments.ts';
import { type Body, mailWake, openBody, sealBody } from './messages/store.ts';
import { suppressAfter } from './suppression-store.ts';
import { unsubscribeUrlOf } from './suppressions.ts';
import { mailTemplates } from './templates/kind.ts';
import { connections, type OutgoingMail, type Transport } from './transports/transport.ts';
import { withUnsubscribeLink } from './unsubscribe-link.ts';

/** The delivery limits of mail. One organization can use all SMTP connections but one. */
export const mailDelivery: DeliveryKind<MessageDocument> = {
  label: 'A mail',
  model: MessageModel,
  wake: mailWake,
  metrics: deliveryMetrics('mail', 'Mails', MessageModel),
  preparing: { places: 16, share: 1 },
  sending: { places: connections, share: connections - 1 },
};

/**
 * Refunds the quota unit of a message that failed through the platform's fault; the platform's own mail is not charged.
 */
export const mailRefunds = createRefunds(MessageModel, 'mail.sendsPerMonth', ({ lot }) => lot !== undefined);

type Caller = Pick<ServiceBroker, 'call'>;

/**
 * Sends the stored messages through a transport, whose mail server is the only connection. `owner` names the process in
 * leases.
 */
export function createMailDelivery(transport: Transport, broker: Caller, logger: Logger, owner?: string): Delivery {
  return createDelivery(
    mailDelivery,
    {
      connection: 'smtp',
      async prepare(claim) {
        // The platform's own mail, such as invoices, continues.
        if (!isSystemMail(claim)) await deferWhileSuspended(broker, claim.orgId);
        const mail = await composeOutgoing(claim, broker);
        return () => send(transport, mail).catch((error) => noteBounce(claim, error));
      },
      deadLetterFields: (claim, failure, reason) => ({
        ...mailRefunds.deadFields(claim, failure),
        ...(failure === 'bounced' && bouncedFields(claim, reason)),
      }),
      onDeadLetter: async (claim, failure) => {
        await mailRefunds
          .settle(broker, claim, failure)
          .catch((error) => logger.warn('Refund failed; the sweep will retry', { messageId: claim._id, error }));
      },
    },
    logger,
    owner,
  );
}

async function send(transport: Transport, mail: OutgoingMail): Promise<Partial<MessageDocument>> {
  await transport.send(mail);
  const { subject, html, text } = mail;
  const body = { ...(html !== undefined && { html }), ...(text !== undefined && { text }) };
  return { subject, sentAt: now(), sealedBody: transport.keepsBody ? sealBody(body) : null };
}

/** Suppresses the address of a mail that bounced while it was sent. Runs again if the outcome is not stored. */
async function noteBounce(claim: MessageDocument, error: unknown): Promise<never> {
  const isBounce = error instanceof DeliveryError && error.failure === 'bounced';
  if (isBounce) await suppressAfter(claim, 'bounced');
  throw error;
}

function bouncedFields({ feedback }: MessageDocument, detail: string): Pick<MessageDocument, 'status' | 'feedback'> {
  const note: Feedback = { type: 'bounced', isPermanent: true, detail, at: now() };
  return { status: 'bounced', feedback: [...feedback, note] };
}

export type Outbox = { stop: () => Promise<void> };

/** Delivers in the background. Stopping waits for mails in flight. */
export function startOutbox(transport: Transport, broker: Caller, logger: Logger): Outbox {
  const stopping = new AbortController();
  const running = createMailDelivery(transport, broker, logger).run(stopping.signal);
  return {
    async stop() {
      stopping.abort();
      await running;
      transport.close();
    },
  };
}

async function composeOutgoing(claim: Claim<MessageDocument>, broker: Caller): Promise<OutgoingMail> {
  const { _id, orgId, from, replyTo, to, category, attachments, locale } = claim;
  const content = await contentOf(claim, broker);
  const unsubscribeUrl = category === 'marketing' ? unsubscribeUrlOf(claim) : null;
  return {
    id: _id,
    messageId: messageIdOf(claim),
    from,
    replyTo,
    to,
    ...(unsubscribeUrl === null ? content : withUnsubscribeLink(content, unsubscribeUrl, locale)),
    attachments: await readAttachments(broker, orgId, attachments),
    unsubscribeUrl,
    isAutomatic: isSystemMail(claim),
  };
}

/** The Message-ID, in the sender's domain. */
export function messageIdOf({ _id, from }: Pick<MessageDocument, '_id' | 'from'>): string {
  return `${_id}@${asciiDomainOf(from.address)}`;
}

/** Renders the message's version of its template; the platform's own mail was rendered when it was stored. */
async function contentOf(claim: Claim<MessageDocument>, broker: Caller): Promise<Body & { subject: string }> {
  const { orgId, templateId, templateVersion, locale, sealedBody, subject } = claim;
  if (sealedBody === null) throw new DeliveryError('faulty', 'The mail has no stored text.');
  const body = openBody(sealedBody);
  if (!('variables' in body)) return { subject, ...body };
  const name = { orgId, templateId: templateId ?? '', version: templateVersion ?? 0 };
  const version = await versionOf(mailTemplates, name);
  if (!version) throw new DeliveryError('faulty', 'The template was deleted before the mail was sent.');
  const variables = {
    // A getter, so that the link is signed only for a template that uses it.
    get unsubscribeUrl(): string {
      return unsubscribeUrlOf(claim);
    },
    ...body.variables,
  };
  try {
    const rendered = await renderVersion(await turnOf(broker, orgId), version, {
      locale: locale ?? undefined,
      variables,
    });
    const { html, text } = rendered;
    return {
      subject: rendered.subject ?? '',
      ...(html !== undefined && { html }),
      ...(text !== undefined && { text }),
    };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    throw new DeliveryError('faulty', `The template cannot be rendered: ${error.message}`.slice(0, 200));
  }
}
