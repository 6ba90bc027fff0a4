import { type Context, ServiceBroker } from 'moleculer';
import {
  type Caller,
  type CallInput,
  type CallOutput,
  type Calls,
  type Ctx,
  call,
} from '../../../lib/contract/context.ts';
import { newId } from '../../../lib/data/ids.ts';
import { InvoiceModel } from '../../../models/billing/invoice.ts';
import { SubscriptionModel } from '../../../models/billing/subscription.ts';
import billing from '../../../services/billing/billing.service.ts';
import { paymentModels } from '../../../services/billing/payment/models.ts';
import { startPayment } from '../../../services/billing/payment/start.ts';
import { startQuota } from '../../../services/billing/quota/quota.ts';
import { subscriptionEvents } from '../../../services/billing/subscriptions/entitlements.ts';
import { actionsOf } from '../../support/actions-of.ts';
import { connectOwnDatabase } from '../../support/own-database.ts';

type Act = { action: string; orgId: string; before?: unknown; after?: unknown };
type Mail = { key: string; to: string; template: string; orgId: string };
type Name = keyof Calls & string;

export type BillingBroker = {
  /** What was recorded, and what was mailed, once a key. */
  acts: Act[];
  mails: Map<string, Mail>;
  /** The origins of the clients of every organization. */
  origins: string[];
  context: () => Ctx;
  /** Calls an action on behalf of an organization's application that may do anything. */
  callAs: <N extends Name>(orgId: string, name: N, input: CallInput<N>) => Promise<CallOutput<N>>;
  call: <N extends Name>(name: N, input: CallInput<N>) => Promise<CallOutput<N>>;
  stop: () => Promise<void>;
};

/** The actions of billing over a database of their own; other services only note what they are asked for. */
export async function startBillingBroker(): Promise<BillingBroker> {
  const database = await connectOwnDatabase(...paymentModels, InvoiceModel, SubscriptionModel);
  const broker = new ServiceBroker({ logger: false, validator: false });
  const acts: Act[] = [];
  const mails = new Map<string, Mail>();
  const origins: string[] = [];
  broker.createService({
    name: 'identity',
    actions: {
      'organizations.describe': () => ({ organization: { name: 'Shop', slug: 'shop', isFirst: false } }),
      'organizations.owners': () => ({ owners: [{ userId: 'usr_1', email: 'owner@example.com' }] }),
      'oauth.redirect-origins': () => ({ origins }),
      'audit.append': (ctx: Context<{ body: Act }>) => void acts.push(ctx.params.body),
    },
  });
  broker.createService({
    name: 'mail',
    actions: {
      'system.send': (ctx: Context<{ body: Mail }>) => {
        mails.set(ctx.params.body.key, ctx.params.body);
        return { messageId: newId('msg') };
      },
    },
  });
  broker.createService({
    name: 'billing',
    actions: {
      ...actionsOf(billing, 'invoices.'),
      ...actionsOf(billing, 'organizations.'),
      ...actionsOf(billing, 'checkouts.', 'webhooks.', 'clock.', 'console.'),
      ...actionsOf(billing, 'plans.', 'limits.'),
      ...actionsOf(billing, 'entitlements.', 'subscription', 'usage.read'),
    } as never,
    events: { ...subscriptionEvents },
  });
  await broker.start();
  startQuota(broker);
  await startPayment();
  const context = () => broker.ContextFactory.create(broker) as Ctx;
  return {
    acts,
    mails,
    origins,
    context,
    callAs(orgId, name, input) {
      const ctx = context();
      const caller: Caller = { type: 'application', id: 'app_1', keyId: 'key_1', orgId, scopes: ['svc:admin'] };
      ctx.meta.caller = caller;
      return call(ctx, name, input);
    },
    call: (name, input) => call(context(), name, input),
    async stop() {
      await broker.stop();
      await database.close();
    },
  };
}
