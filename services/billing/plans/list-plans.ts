import { z } from 'zod';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { decodeCursor, pageOf, pageQuery, toPage } from '../../../lib/contract/input.ts';
import { billingCycles, currencies, planNames, taxBehavior } from '../../../models/billing/sold-version.ts';
import { limitsOfPlan, limitsOutput } from './plans.actions.ts';
import { entitlementsOf, entitlementsOutput, type Plan, plansOnSale } from './plans.ts';

const planOutput = z
  .strictObject({
    plan: z.enum(planNames),
    version: z.int(),
    name: z.string(),
    description: z.string(),
    prices: z.array(
      z.strictObject({ billingCycle: z.enum(billingCycles), currency: z.enum(currencies), amount: z.int() }),
    ),
    /** Whether the prices include tax. */
    taxBehavior: z.literal(taxBehavior),
    entitlements: entitlementsOutput,
    limits: limitsOutput,
  })
  .meta({ id: 'Plan' });

/** GET /v1/plans: the plans that are sold today, the least first. `amount` is in minor units, tax included. */
export const listPlans = defineAction({
  rest: 'GET /v1/plans',
  summary: 'List the plans that are sold',
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
  };
}
