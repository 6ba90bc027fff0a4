import type { Logger, Service, ServiceBroker, ServiceSchema } from 'moleculer';
import { unlessMailDisabled } from '../../../lib/clients/mail.ts';
import { type BrokerContext, type CallContext, type CallInput, type Ctx, call } from '../../../lib/contract/context.ts';
import { isError } from '../../../lib/contract/errors.ts';
import type { Operation } from '../../../lib/contract/idempotency.ts';
import { minute, now } from '../../../lib/data/clock.ts';
import { type MailedTokenDocument, MailedTokenModel } from '../../../models/identity/mailed-token.ts';
import { type UserDocument, UserModel } from '../../../models/identity/user.ts';
import { languageFor, languageOfRecipient } from '../users.ts';
import {
  confirmContactLink,
  confirmRegistrationLink,
  loginLink,
  type MailedLink,
  openToken,
  recoveryLink,
  resetLink,
  storeMailedToken,
} from './mailed-tokens.ts';

type SystemMail = CallInput<'mail.system.send'>['body'];
type Content = SystemMail extends infer M ? (M extends SystemMail ? Pick<M, 'template' | 'variables'> : never) : never;

/**
 * Stores a link and has it mailed. The answer does not wait for the mail: whether the address has an account is looked
 * up only then, so that the response time does not reveal it. The next sweep mails links that a crash or an outage of
 * the mail service left unsent.
 */
export async function mailLink(ctx: Ctx, link: MailedLink, operation?: Operation): Promise<void> {
  const stored = await storeMailedToken(ctx, link, operation);
  if (stored) void tryToMail(ctx, stored);
}

/** Notifies the owner of an account of a completed change. A mail that cannot be sent does not undo the change. */
export async function mailNotice(ctx: Ctx, notice: { key: string; to: string } & Content): Promise<void> {
  try {
    const language = await languageOfRecipient(notice.to, ctx.meta);
    await unlessMailDisabled(call(ctx, 'mail.system.send', { body: { ...notice, orgId: null, language } }));
  } catch (error) {
    ctx.broker.logger.error('Notice could not be mailed', { requestId: ctx.requestID, error });
  }
}

const lookEvery = minute;
const timers = new WeakMap<Service, NodeJS.Timeout>();

/** Mails due links while the service runs. Every node polls: a link is one mail, however often it is queued. */
export const accountMails: Partial<ServiceSchema> = {
  started(this: Service) {
    const look = () => void sendDueMails(this.broker);
    timers.set(this, setInterval(look, lookEvery).unref());
  },
  stopped(this: Service) {
    clearInterval(timers.get(this));
  },
};

/** Queues every due link at the mail service; never throws. */
export async function sendDueMails(broker: ServiceBroker): Promise<void> {
  try {
    const due = { mailDueAt: { $lte: now() }, expiresAt: { $gt: now() } };
    const links = await MailedTokenModel.find(due).lean<MailedTokenDocument[]>();
    for (const link of links) await tryToMail({ broker, call: broker.call.bind(broker) }, link);
  } catch (error) {
    broker.logger.warn('Due mails could not be read; will retry', { error });
  }
}

async function tryToMail(ctx: CallContext & BrokerContext, link: MailedTokenDocument): Promise<void> {
  try {
    await mail(ctx, link);
  } catch (error) {
    logFailure(ctx.broker.logger, link, error);
    // The mail service will never accept this address.
    if (isError(error, 'INPUT_INVALID')) await forget(link).catch(() => undefined);
  }
}

function logFailure(logger: Logger, { kind, _id }: MailedTokenDocument, error: unknown): void {
  logger.warn('Link could not be mailed; will retry', { kind, linkId: _id, error });
}

async function mail(ctx: CallContext & BrokerContext, link: MailedTokenDocument): Promise<void> {
  const token = openToken(link);
  if (token === null) return;
  const { kind, tokenHash, email: to } = link;
  const user = await UserModel.findOne({ email: to }, { status: 1, language: 1 }).lean();
  const { content, isOfUse } = contentOf(link, token, user);
  if (content) {
    const mail = { key: `${kind}:${tokenHash}`, to, orgId: null, language: languageFor(user, link), ...content };
    await call(ctx, 'mail.system.send', { body: mail });
  }
  if (isOfUse) await MailedTokenModel.updateOne({ _id: link._id }, { $set: { sealedToken: null, mailDueAt: null } });
  else await forget(link);
}

/** The content of the mail to the address, by the purpose of the link and the user who logs in with the address. */
function contentOf(
  link: MailedTokenDocument,
  token: string,
  user: Pick<UserDocument, 'status'> | null,
): { content: Content | null; isOfUse: boolean } {
  if (link.kind === 'email-verification') {
    return of({ template: 'email-verification', variables: { link: confirmContactLink(token) } });
  }
  if (link.kind === 'recovery') {
    if (user?.status !== 'active') return { content: null, isOfUse: false };
    return of({ template: 'recovery', variables: { link: resetLink(token, link.returnTo) } });
  }
  if (!user) return of({ template: 'registration', variables: { link: confirmRegistrationLink(token) } });
  const links = { loginLink: loginLink(), recoveryLink: recoveryLink() };
  return { content: { template: 'registration-existing', variables: links }, isOfUse: false };
}

function of(content: Content): { content: Content; isOfUse: boolean } {
  return { content, isOfUse: true };
}

async function forget({ _id }: MailedTokenDocument): Promise<void> {
  await MailedTokenModel.deleteOne({ _id });
}
