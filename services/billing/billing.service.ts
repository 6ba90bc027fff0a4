import type { Service, ServiceSchema } from 'moleculer';
import { settings } from '../../lib/settings/settings.ts';
import { StartError } from '../../lib/settings/start-error.ts';
import { problemOfPayment } from '../../lib/settings/variables-payment.ts';
import { mongo } from '../../mixins/mongo.ts';
import { CounterModel } from '../../models/billing/counter.ts';
import { DeclaredLimitModel } from '../../models/billing/declared-limit.ts';
import { InvoiceModel } from '../../models/billing/invoice.ts';
import { SoldVersionModel } from '../../models/billing/sold-version.ts';
import { SubscriptionModel } from '../../models/billing/subscription.ts';
import { TakeModel } from '../../models/billing/take.ts';
import { UsagePeriodModel } from '../../models/billing/usage-period.ts';
import { actOnCheckout } from './checkouts/act-on-checkout.ts';
import { openCheckoutAction } from './checkouts/open-checkout.ts';
import { readCheckoutPage } from './checkouts/show-checkout.ts';
import { listInvoices, readInvoicePdf } from './invoices/invoices.ts';
import { billingCron, periodJobs } from './jobs.ts';
import { moveClock, resetClock } from './move-clock.ts';
import { clock, decline, give, pay, showOrganization } from './operator.ts';
import { operatorEndpoints } from './operator-endpoints.ts';
import { closeOrganization, eraseOrganization } from './organizations.ts';
import { billingPages, cancelPages } from './pages/billing.ts';
import { checkoutPages } from './pages/checkout.ts';
import { operatorPlanPages } from './pages/operator-plan.ts';
import { paymentModels } from './payment/models.ts';
import { paymentJobs, startPayment } from './payment/start.ts';
import { receiveWebhook } from './payment/webhooks.ts';
import { listPlans } from './plans/list-plans.ts';
import { describeLimits } from './plans/plans.actions.ts';
import { plansInCommon } from './plans/plans.ts';
import { requireSoldVersions } from './plans/sold-versions.ts';
import { keepDeclaredLimits, loadDeclaredLimits } from './quota/declared-limits.ts';
import {
  commitTakes,
  correctGauge,
  readGauge,
  readQuota,
  refundTakes,
  refundUnits,
  releaseGaugeAction,
  releaseGaugeMany,
  renewTakes,
  setGaugeAction,
  takeQuota,
  takeQuotas,
} from './quota/quota.actions.ts';
import { startQuota } from './quota/quota.ts';
import { describeSubscription } from './subscriptions/describe-subscription.ts';
import {
  cancelSubscription,
  grantPlan,
  readSubscriptionAction,
  resumeSubscription,
} from './subscriptions/endpoints.ts';
import { describeEntitlements, readEntitlements } from './subscriptions/entitlements.actions.ts';
import { subscriptionEvents } from './subscriptions/entitlements.ts';
import { listUsageHistory, readUsageAction } from './usage/usage-history.ts';

const models = [
  CounterModel,
  DeclaredLimitModel,
  InvoiceModel,
  SoldVersionModel,
  SubscriptionModel,
  TakeModel,
  UsagePeriodModel,
  ...paymentModels,
];

/** Billing: plans, subscriptions, usage and payments. */
const billing: ServiceSchema = {
  name: 'billing',
  metadata: { erases: 'organizations.erase', common: plansInCommon() },
  mixins: [billingCron([...periodJobs, ...paymentJobs]), mongo(...models)],
  actions: {
    'invoices.list': listInvoices,
    'invoices.read-pdf': readInvoicePdf,
    'organizations.close': closeOrganization,
    'organizations.erase': eraseOrganization,
    ...checkoutPages,
    ...billingPages,
    ...cancelPages,
    ...operatorPlanPages,
    'checkouts.open': openCheckoutAction,
    'checkouts.show': readCheckoutPage,
    'checkouts.act': actOnCheckout,
    'webhooks.receive': receiveWebhook,
    'clock.move': moveClock,
    'clock.reset': resetClock,
    ...operatorEndpoints,
    'console.pay': pay,
    'console.decline': decline,
    'console.give': give,
    'console.show': showOrganization,
    'console.clock': clock,
    'usage.list-history': listUsageHistory,
    'plans.list': listPlans,
    'limits.describe': describeLimits,
    'quota.take': takeQuota,
    'quota.take-many': takeQuotas,
    'quota.commit': commitTakes,
    'quota.refund': refundTakes,
    'quota.give-back': refundUnits,
    'quota.renew': renewTakes,
    'quota.read': readQuota,
    'quota.read-gauge': readGauge,
    'quota.correct-gauge': correctGauge,
    'quota.set-gauge': setGaugeAction,
    'quota.release': releaseGaugeAction,
    'quota.release-many': releaseGaugeMany,
    'entitlements.read': readEntitlements,
    'entitlements.describe': describeEntitlements,
    'subscription.read': readSubscriptionAction,
    'subscription.describe': describeSubscription,
    'subscriptions.give': grantPlan,
    'subscription.cancel': cancelSubscription,
    'subscription.resume': resumeSubscription,
    'usage.read': readUsageAction,
  },
  events: {
    ...subscriptionEvents,
    async '$services.changed'(this: Service) {
      await keepDeclaredLimits(this.broker).catch((error) => {
        this.logger.warn("Storing a service's meters and limits failed; their first use retries", { error });
      });
    },
  },
  // Runs before any connection is opened, so that a node with invalid settings fails immediately.
  created() {
    const problem = problemOfPayment(settings);
    if (problem !== null) throw new StartError(problem);
  },
  // The service is announced only after this resolves, so that a node whose plans break a sold version sells nothing.
  async started(this: Service) {
    startQuota(this.broker);
    await loadDeclaredLimits();
    await keepDeclaredLimits(this.broker);
    await requireSoldVersions();
    await startPayment();
  },
};

export default billing;
