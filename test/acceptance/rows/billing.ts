import type { Row } from './row.ts';

/** Billing: plans, what they include, what is used of it, and how it is paid. */
export const billingRows = {
  'plans.list': {
    from: 'decisions, Billing',
    route: 'GET /v1/plans',
    says: 'GET /v1/plans lists free, pro and scale to anybody in pages of limit, with prices by cycle and currency, tax included, what each includes and its limits',
  },
  'plans.first': {
    from: 'decisions, Billing',
    says: 'the organization of the first run is on scale',
    proven: 'test/integration/billing/subscriptions.test.ts',
  },
  'plans.version': {
    from: 'decisions, Billing',
    says: 'a subscription keeps the version of its plan that it was sold until it changes plan',
    proven: 'test/unit/billing/payment-quotes.test.ts',
  },
  'entitlements.read': {
    from: 'Endpoints, Billing; Resources, Entitlements',
    route: 'GET /v1/orgs/:orgId/entitlements',
    says: 'GET /v1/orgs/:orgId/entitlements gives plan, status, currentPeriodEnd and the eight groups',
  },
  'entitlements.disabled': {
    from: 'Resources, Groups content and pulse',
    says: 'a group that the plan does not include is { enabled: false } without limits',
  },
  'subscription.read': {
    from: 'Endpoints, Billing; Resources, Subscription',
    route: 'GET /v1/orgs/:orgId/subscription',
    says: 'GET /v1/orgs/:orgId/subscription gives plan, status, the current period and what happens at its end',
  },
  'subscription.free': {
    from: 'decisions, Billing',
    says: 'a new organization is on free by calendar months, which cannot be cancelled or resumed: 409',
  },
  'subscription.grace': {
    from: 'decisions, Billing',
    says: 'past_due works for 7 days, then everything metered is 402',
    proven: 'test/integration/billing/payment-clock.test.ts',
  },
  'subscription.end': {
    from: 'decisions, Billing',
    says: 'what was cancelled falls back to free when the period ends',
    proven: 'test/integration/billing/year.test.ts',
  },
  'usage.read': {
    from: 'Endpoints, Billing; Resources, Usage',
    route: 'GET /v1/orgs/:orgId/usage',
    says: 'GET /v1/orgs/:orgId/usage gives the period as <start> / <end>, and what is used beside the limits',
  },
  'usage.counted': {
    from: 'decisions, Business context',
    says: 'an accepted event counts once; a repeated or refused one does not',
  },
  'usage-history.list': {
    from: 'issue 7, part 4',
    route: 'GET /v1/orgs/:orgId/usage/history',
    says: 'GET /v1/orgs/:orgId/usage/history lists closed periods in pages of limit, those of meter alone if asked',
  },
  'usage-history.closed': {
    from: 'issue 7, part 4',
    says: 'a period that is over is archived with what was used and the limit, newest first',
    proven: 'test/integration/billing/usage-history.test.ts',
  },
  'billing.permission': {
    from: 'decisions, System permissions',
    says: 'reading needs billing.read, checkout, cancel and resume need billing.write: else 403',
  },
  'billing.foreign': { from: 'decisions, Shapes', says: "another organization's billing is 404, as one of nobody" },
  'billing.tenant': {
    from: 'Authentication 5',
    says: 'billing takes the organization from the path: x-tenant-id may be left out',
  },

  'quota.exceeded': {
    from: 'Errors, Billing errors; Limits',
    says: 'an event beyond eventsPerDay is 402 PLAN_LIMIT_EXCEEDED with upgradeUrl, and is not stored',
  },
  'quota.order': {
    from: 'decisions, Business context',
    says: 'at the limit a repeated event is still 409, and a wrong one 400',
  },
  'quota.batch': {
    from: 'issue 7, part 3',
    says: 'a batch takes what fits and says which events it left out',
  },
  'quota.upgrade': {
    from: 'issue 7, part 2',
    says: 'after an upgrade the limit is the new one within a second',
  },
  'quota.nodes': {
    from: 'decisions, Billing',
    says: 'not one unit more than the limit is admitted, on any number of nodes, whoever of them dies',
    proven: 'test/pool/billing/quota.test.ts',
  },
  'quota.retention': {
    from: 'Limits; decisions, Billing',
    says: 'events are kept for contextRetentionDays of the plan',
    proven: 'test/integration/context/retention.test.ts',
  },
  'quota.warned': {
    from: 'decisions, Billing',
    says: 'the owners are told once that 80 %, and once that 100 % of a limit is used',
    proven: 'test/integration/billing/usage-history.test.ts',
  },
  'quota.not-included': {
    from: 'Errors, Billing errors',
    says: 'what the plan does not include is 403 SERVICE_NOT_INCLUDED with upgradeUrl',
    proven: 'test/integration/billing/refusals.test.ts',
  },
  'quota.payment': {
    from: 'Errors, Billing errors; decisions, Billing',
    says: 'with an expired subscription everything metered is 402 PAYMENT_REQUIRED with upgradeUrl',
    proven: 'test/integration/billing/refusals.test.ts',
  },

  'checkout.create': {
    from: 'Endpoints, Billing; Resources, Checkout session',
    route: 'POST /v1/orgs/:orgId/checkout',
    says: 'POST /v1/orgs/:orgId/checkout gives checkoutUrl, sessionId and expiresAt, and changes nothing yet',
  },
  'checkout.fields': {
    from: 'issue 7, Bad input',
    says: 'an unknown plan, cycle or currency, or free, is 400 and is named',
  },
  'checkout.urls': {
    from: 'decisions, Billing',
    says: "successUrl and cancelUrl are on the platform's origin or one of the organization's clients': else 400",
  },
  'checkout.allowed-origins': {
    from: 'decisions, Billing',
    says: 'successUrl and cancelUrl may be on an origin of ALLOWED_ORIGINS',
    proven: 'test/unit/billing/return-urls.test.ts',
  },
  'checkout.open': {
    from: 'issue 7, Bad input',
    says: 'while a checkout is open the same wish answers the same, and another one takes its place',
  },
  'checkout.paid': {
    from: 'Endpoints, Billing; issue 7, part 5',
    says: 'a payment leads to successUrl, and the plan and its limits count from then on',
  },
  'checkout.declined': {
    from: 'issue 7, part 5',
    says: 'a declined payment changes nothing and can be tried again',
  },
  'checkout.challenged': {
    from: 'issue 7, part 5',
    says: 'a payment that the bank wants confirmed counts when it is confirmed',
  },
  'checkout.abandoned': {
    from: 'issue 7, part 5',
    says: 'who gives up is led to cancelUrl, and nothing has changed',
  },
  'checkout.current': {
    from: 'issue 7, Bad input',
    says: 'a checkout for the plan and cycle that the organization has is 409 PLAN_IS_CURRENT',
  },
  'checkout.downgrade': {
    from: 'issue 7, part 5',
    says: 'a smaller plan is confirmed without a payment, and the larger one stays until the period ends',
  },

  'cancel.create': {
    from: 'Endpoints, Billing; States; decisions, Billing',
    route: 'POST /v1/orgs/:orgId/cancel',
    says: 'POST /v1/orgs/:orgId/cancel answers the subscription with cancelAtPeriodEnd, which keeps all until then',
  },
  'cancel.resume': {
    from: 'decisions, Billing',
    route: 'POST /v1/orgs/:orgId/resume',
    says: 'POST /v1/orgs/:orgId/resume undoes it; again either answers the same',
  },
  'invoices.list': {
    from: 'Endpoints, Billing; Resources, Invoice',
    route: 'GET /v1/orgs/:orgId/invoices',
    says: 'GET /v1/orgs/:orgId/invoices gives { invoices, nextCursor } in pages of limit, the newest first',
  },
  'invoices.pdf': {
    from: 'Endpoints, Billing',
    route: 'GET /v1/invoices/:invoiceId/pdf',
    says: 'GET /v1/invoices/:invoiceId/pdf is reached through pdfUrl without a credential, or with one of the organization',
  },
  'invoices.number': {
    from: 'decisions, Billing',
    says: 'the numbers of invoices have no gap, whoever dies while they are given',
    proven: 'test/integration/billing/invoices.test.ts',
  },
  'invoices.link': {
    from: 'issue 7, part 6',
    says: 'a link to a PDF that was changed, or is of another invoice, is 403',
  },
  'webhooks.order': {
    from: 'issue 7, part 5',
    says: 'webhooks that are repeated or out of order end as in order; one about somebody unknown is kept and tried again',
    proven: 'test/integration/billing/stripe.test.ts',
  },
  'webhooks.refuse': {
    from: 'issue 7, part 5',
    route: 'POST /v1/billing/webhooks/:provider',
    says: 'POST /v1/billing/webhooks/:provider refuses what is unsigned, wrongly signed or old: 400; nobody’s is 404',
  },
} as const satisfies Record<string, Row>;
