import { defineAction } from '../../lib/action.ts';
import { customerPath, exampleStory, readStory, storyOutput } from './stories.ts';

/** GET /v1/story/customers/:customerId: the story of a customer; the id of a merged customer returns the survivor's. */
export const readCustomerStory = defineAction({
  rest: 'GET /v1/story/customers/:customerId',
  summary: "Read a customer's story",
  permission: 'context.story.read',
  tenant: 'required',
  input: { path: customerPath },
  output: storyOutput,
  errors: ['STORY_NOT_FOUND'],
  example: { path: { customerId: exampleStory.customerId }, output: exampleStory },
  handler({ path, caller }) {
    return readStory(caller.orgId, [{ type: 'id', value: path.customerId.trim() }]);
  },
});

declare module '../../lib/calls.ts' {
  interface Calls {
    'context.story.read': typeof readCustomerStory;
  }
}
