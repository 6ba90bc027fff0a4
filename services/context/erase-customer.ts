import type { Context } from 'moleculer';
import { z } from 'zod';
import { defineAction } from '../../lib/action.ts';
import { apiError } from '../../lib/errors.ts';
import { settings } from '../../lib/settings.ts';
import { beginErasure, eraseElsewhere, runErasure } from './customer-erasures.ts';
import { customerPath, exampleStory, findSettledCustomer } from './stories.ts';
import { type Identifier, identifierKey, lookupIdentifiers } from './story/identifiers.ts';

/**
 * DELETE /v1/story/customers/:customerId: erases a person, here and in the services that declare it; only the ids of
 * the events stay, for 30 days. In place of the id, the path may name an email address or a telephone number, by which
 * a person without an id is known.
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
    const identifiers = lookupIdentifiers(path.customerId, settings.DEFAULT_COUNTRY);
    const customer = await findUnlessElsewhere(ctx, orgId, identifiers);
    if (customer !== null) await runErasure(ctx, await beginErasure(orgId, customer));
  },
});

/**
 * The customer with the id, or else with the email address or telephone number; null for a person without a story who
 * was known to other services, and is erased there.
 */
async function findUnlessElsewhere(
  ctx: Pick<Context, 'broker'>,
  orgId: string,
  identifiers: Identifier[],
): Promise<string | null> {
  for (const identifier of identifiers) {
    const customer = await findSettledCustomer(orgId, identifier);
    if (customer !== null) return customer;
  }
  if (await eraseElsewhere(ctx, orgId, identifiers.map(identifierKey))) return null;
  throw apiError('STORY_NOT_FOUND');
}

declare module '../../lib/calls.ts' {
  interface Calls {
    'context.story.erase': typeof eraseCustomer;
  }
}
