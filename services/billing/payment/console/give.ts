import { z } from 'zod';
import { defineAction } from '../../../../lib/action.ts';
import { call } from '../../../../lib/calls.ts';
import { idPattern } from '../../../../lib/ids.ts';
import { consoleOutput } from '../../../../lib/said.ts';
import { type PlanName, planNames } from '../../../../models/billing/sold-version.ts';

const orgPattern = idPattern('org');

/** `billing.console.give`, for the console: gives an organization a plan without payment. */
export const give = defineAction({
  summary: 'Give an organization a plan',
  permission: 'internal',
  input: { body: z.strictObject({ orgId: z.string(), plan: z.string() }) },
  output: consoleOutput,
  async handler({ body: { orgId, plan }, ctx }) {
    if (!orgPattern.test(orgId)) return { lines: [`${orgId} is not the id of an organization.`] };
    if (!isPlan(plan)) return { lines: [`There is no plan ${plan}. Plans: ${planNames.join(', ')}.`] };
    await call(ctx, 'billing.subscriptions.give', { body: { orgId, plan } });
    return { lines: [`${orgId} has the plan ${plan}, free of charge.`] };
  },
});

function isPlan(name: string): name is PlanName {
  return planNames.some((planName) => planName === name);
}

declare module '../../../../lib/calls.ts' {
  interface Calls {
    'billing.console.give': typeof give;
  }
}
