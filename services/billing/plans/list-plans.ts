import { z } from 'zod';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { decodeCursor, pageOf, pageQuery, toPage } from '../../../lib/contract/input.ts';
import { billingCycles, currencies, planNames, taxBehavior } from '../../../models/billing/sold-version.ts';
import { declaredLimitsOf } from '../quota/meters.ts';
import { limitsOfPlan, limitsOutput } from './plans.actions.ts';
import { entitlementsOf, entitlementsOutput, type Plan, plansOnSale, servicesOutput } from './plans.ts';

const planOutput = z
  .strictObject({
    plan: z.enum(planNames),
    version: z
      .int()
      .describe('The version of the plan. A sold version keeps its prices and limits, or gets better ones.'),
    name: z.string(),
    description: z.string(),
    prices: z
      .array(
        z
          .strictObject({ billingCycle: z.enum(billingCycles), currency: z.enum(currencies), amount: z.int() })
          .meta({ id: 'PlanPrice' }),
      )
      .describe('The prices by cycle and currency.'),
    taxBehavior: z.literal(taxBehavior).describe('Always `inclusive`: the prices contain tax.'),
    entitlements: entitlementsOutput,
    limits: limitsOutput.describe('The maximum number of each resource in an organization.'),
    services: servicesOutput
      .optional()
      .describe(
        'The limits that further services declare, such as `services.hello.greetingsPerDay`; absent without any.',
      ),
  })
  .meta({ id: 'Plan' });

/** GET /v1/plans: the plans that are sold today, the least first. `amount` is in minor units, tax included. */
export const listPlans = defineAction({
  rest: 'GET /v1/plans',
  summary: 'List the plans that are sold',
  description:
    'Returns the plans on sale today, the smallest first, with their prices, what they include and their limits. ' +
    'Prices are in minor units of the currency (cents) and include tax.',
  permission: 'public',
  input: { query: z.strictObject(pageQuery) },
  output: pageOf(planOutput),
  errors: ['CURSOR_INVALID'],
  example: {
    query: { limit: '20' },
    output: { data: plansOnSale().map(toPlanResponse), nextCursor: null },
  },
  handler({ query: { limit, cursor } }) {
    const [after] = decodeCursor(cursor, 1) ?? [];
    const onSale = plansOnSale();
    const rest = onSale.slice(onSale.findIndex(({ name }) => name === after) + 1);
    return toPage(rest.slice(0, limit + 1), limit, ({ name }) => [name], toPlanResponse);
  },
});

function toPlanResponse(plan: Plan): z.output<typeof planOutput> {
  const { name, version, title, description, prices } = plan;
  const services = declaredLimitsOf(name);
  return {
    plan: name,
    version,
    name: title,
    description,
    prices: billingCycles.flatMap((billingCycle) =>
      currencies.map((currency) => ({ billingCycle, currency, amount: prices[billingCycle][currency] })),
    ),
    taxBehavior,
    entitlements: entitlementsOf(plan),
    limits: limitsOfPlan(name),
    ...(Object.keys(services).length > 0 && { services }),
  };
}
