/** The actions of the service by name, for typed calls. Written by `npm run generate`. */
declare module '../../lib/contract/context.ts' {
  interface Calls {
    'billing.checkouts.act': typeof import('./checkouts/act-on-checkout.ts').actOnCheckout;
    'billing.checkouts.open': typeof import('./checkouts/open-checkout.ts').openCheckoutAction;
    'billing.checkouts.show': typeof import('./checkouts/show-checkout.ts').readCheckoutPage;
    'billing.clock.move': typeof import('./move-clock.ts').moveClock;
    'billing.clock.reset': typeof import('./move-clock.ts').resetClock;
    'billing.console.clock': typeof import('./operator.ts').clock;
    'billing.console.decline': typeof import('./operator.ts').decline;
    'billing.console.give': typeof import('./operator.ts').give;
    'billing.console.pay': typeof import('./operator.ts').pay;
    'billing.console.show': typeof import('./operator.ts').showOrganization;
    'billing.entitlements.describe': typeof import('./subscriptions/entitlements.actions.ts').describeEntitlements;
    'billing.entitlements.read': typeof import('./subscriptions/entitlements.actions.ts').readEntitlements;
    'billing.invoices.list': typeof import('./invoices/invoices.ts').listInvoices;
    'billing.invoices.read-pdf': typeof import('./invoices/invoices.ts').readInvoicePdf;
    'billing.limits.describe': typeof import('./plans/plans.actions.ts').describeLimits;
    'billing.operator.invoices.list': typeof import('./operator-endpoints.ts').listInvoices;
    'billing.operator.invoices.pay': typeof import('./operator-endpoints.ts').markPaid;
    'billing.operator.plan.give': typeof import('./operator-endpoints.ts').givePlan;
    'billing.organizations.close': typeof import('./organizations.ts').closeOrganization;
    'billing.organizations.erase': typeof import('./organizations.ts').eraseOrganization;
    'billing.plans.list': typeof import('./plans/list-plans.ts').listPlans;
    'billing.quota.commit': typeof import('./quota/quota.actions.ts').commitTakes;
    'billing.quota.correct-gauge': typeof import('./quota/quota.actions.ts').correctGauge;
    'billing.quota.give-back': typeof import('./quota/quota.actions.ts').refundUnits;
    'billing.quota.read': typeof import('./quota/quota.actions.ts').readQuota;
    'billing.quota.read-gauge': typeof import('./quota/quota.actions.ts').readGauge;
    'billing.quota.refund': typeof import('./quota/quota.actions.ts').refundTakes;
    'billing.quota.release': typeof import('./quota/quota.actions.ts').releaseGaugeAction;
    'billing.quota.release-many': typeof import('./quota/quota.actions.ts').releaseGaugeMany;
    'billing.quota.renew': typeof import('./quota/quota.actions.ts').renewTakes;
    'billing.quota.set-gauge': typeof import('./quota/quota.actions.ts').setGaugeAction;
    'billing.quota.take': typeof import('./quota/quota.actions.ts').takeQuota;
    'billing.quota.take-many': typeof import('./quota/quota.actions.ts').takeQuotas;
    'billing.subscription.cancel': typeof import('./subscriptions/endpoints.ts').cancelSubscription;
    'billing.subscription.describe': typeof import('./subscriptions/describe-subscription.ts').describeSubscription;
    'billing.subscription.read': typeof import('./subscriptions/endpoints.ts').readSubscriptionAction;
    'billing.subscription.resume': typeof import('./subscriptions/endpoints.ts').resumeSubscription;
    'billing.subscriptions.give': typeof import('./subscriptions/endpoints.ts').grantPlan;
    'billing.subscriptions.past-due': typeof import('./operator-endpoints.ts').listPastDue;
    'billing.subscriptions.standings': typeof import('./operator-endpoints.ts').listStandings;
    'billing.usage.list-history': typeof import('./usage/usage-history.ts').listUsageHistory;
    'billing.usage.read': typeof import('./usage/usage-history.ts').readUsageAction;
    'billing.webhooks.receive': typeof import('./payment/webhooks.ts').receiveWebhook;
  }
}

export {};
