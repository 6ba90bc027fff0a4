import type { Context } from 'moleculer';
import { z } from 'zod';
import { defineAction } from '../../lib/action.ts';
import { registeredErasures } from '../../lib/declarations.ts';
import { eraseCustomer as erase } from './erasure.ts';
import { type Contact, contactOf } from './read-contact.ts';
import { customerPath, exampleStory, findOne } from './stories.ts';

/**
 * DELETE /v1/story/customers/:customerId: erases a person; only the ids of their events stay, for 30 days. Other services
 * go first, because the identifiers by which they know the person are erased here: when one fails, the request does, and
 * its repetition begins again.
 */
export const eraseCustomer = defineAction({
  rest: 'DELETE /v1/story/customers/:customerId',
  summary: 'Erase a customer: story, events and identifiers',
  permission: 'context.events.write',
  tenant: 'required',
  input: { path: customerPath },
  output: z.void(),
  errors: ['STORY_NOT_FOUND'],
  example: { path: { customerId: exampleStory.customerId } },
  async handler({ path, caller: { orgId }, ctx }) {
    for (;;) {
      const customer = await findOne(orgId, [{ type: 'id', value: path.customerId.trim() }]);
      await eraseElsewhere(ctx, orgId, await contactOf(orgId, customer));
      if (await erase(orgId, customer)) return;
    }
  },
});

async function eraseElsewhere(ctx: Context, orgId: string, contact: Contact): Promise<void> {
  for (const [service, action] of registeredErasures(ctx.broker, 'erasesCustomers')) {
    for (let isComplete = false; !isComplete; ) {
      const body = { orgId, ...contact };
      const answer = await ctx.call<{ isComplete?: unknown } | null, object>(`${service}.${action}`, { body });
      isComplete = answer?.isComplete === true;
    }
  }
}

declare module '../../lib/calls.ts' {
  interface Calls {
    'context.story.erase': typeof eraseCustomer;
  }
}
