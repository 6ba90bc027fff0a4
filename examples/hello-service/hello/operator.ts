import { defineCommand, z } from 'platform/service';
import { GreetingModel } from './greeting.ts';

/** `hello:count <organization>` in the operator's console, while a node runs the service. */
export const countGreetings = defineCommand({
  commands: [
    {
      usage: 'hello:count <organization>',
      description: 'The number of greetings of an organization (org_…)',
      fields: { organization: 'orgId' },
    },
  ],
  body: z.strictObject({ orgId: z.string().max(100) }),
  handler: async ({ body: { orgId } }) => ({
    lines: [`${orgId} has ${await GreetingModel.countDocuments({ orgId })} greetings.`],
  }),
});
