import type { Service, ServiceSchema } from 'moleculer';
import { problemOfPayment } from '../../lib/payment-variables.ts';
import { settings } from '../../lib/settings.ts';
import { StartError } from '../../lib/start-error.ts';
import { mongo } from '../../mixins/mongo.ts';
import { CounterModel } from '../../models/billing/counter.ts';
import { InvoiceModel } from '../../models/billing/invoice.ts';
import { SoldVersionModel } from '../../models/billing/sold-version.ts';
import { SubscriptionModel } from '../../models/billing/subscription.ts';
import { TakeModel } from '../../models/billing/take.ts';
import { UsagePeriodModel } from '../../models/billing/usage-period.ts';
import { invoiceActions } from './invoices/actions.ts';
import { organizationActions } from './organizations/actions.ts';
import { pageActions } from './pages/actions.ts';
import { paymentActions } from './payment/actions.ts';
import { paymentModels } from './payment/models.ts';
import { paymentJobs, startPayment } from './payment/start.ts';
import { periodActions } from './periods/actions.ts';
import { billingCron, periodJobs } from './periods/jobs.ts';
import { planActions } from './plans/actions.ts';
import { plansInCommon } from './plans/plans.ts';
import { requireSoldVersions } from './plans/sold-versions.ts';
import { quotaActions } from './quota/actions.ts';
import { clearCharged, startQuota } from './quota/running.ts';
import { subscriptionActions, subscriptionEvents } from './subscriptions/actions.ts';

const models = [
  CounterModel,
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
    ...invoiceActions,
    ...organizationActions,
    ...pageActions,
    ...paymentActions,
    ...periodActions,
    ...planActions,
    ...quotaActions,
    ...subscriptionActions,
  },
  events: subscriptionEvents,
  // Runs before any connection is opened, so that a node with invalid settings fails immediately.
  created() {
    const problem = problemOfPayment(settings);
    if (problem !== null) throw new StartError(problem);
  },
  // The service is announced only after this resolves, so that a node whose plans break a sold version sells nothing.
  async started(this: Service) {
    startQuota(this.broker);
    await requireSoldVersions();
    await startPayment();
  },
  async stopped() {
    await clearCharged();
  },
};

export default billing;
