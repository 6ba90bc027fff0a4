import { z } from 'zod';
import { defineAction } from '../../lib/action.ts';
import { eraseMessages } from './erase-messages.ts';
import { eraseCustomer as erase } from './erasure.ts';
import { customerPath, exampleStory, findOne } from './stories.ts';

/**
 * DELETE /v1/story/customers/:customerId: erases a person with the mail to their addresses; only the ids of their events
 * stay, for 30 days. Repeatable.
 */
export const eraseCustomer = defineAction({
  rest: 'DELETE /v1/story/customers/:customerId',
  summary: 'Erase a customer: story, events, identifiers and mail',
  permission: 'context.events.write',
  tenant: 'required',
  input: { path: customerPath },
  output: z.void(),
  errors: ['STORY_NOT_FOUND'],
  example: { path: { customerId: exampleStory.customerId } },
  async handler({ path, caller: { orgId }, ctx }) {
    for (;;) {
      const customer = await findOne(orgId, [{ type: 'id', value: path.customerId.trim() }]);
      // First, so that a failure leaves the addresses for the next request.
      await eraseMessages(ctx, orgId, customer);
      if (await erase(orgId, customer)) return;
    }
  },
});

declare module '../../lib/calls.ts' {
  interface Calls {
    'context.story.erase': typeof eraseCustomer;
  }
}
