import { z } from 'zod';
import { defineAction } from '../../lib/action.ts';
import { settings } from '../../lib/settings.ts';
import { exampleStory, readStory, storyOutput } from './stories.ts';
import { lookupIdentifiers } from './story/identifiers.ts';

/** GET /v1/story/resolve?q=: the story of the customer that an id, email or phone number names; ambiguous is 404. */
export const resolveStory = defineAction({
  rest: 'GET /v1/story/resolve',
  summary: 'Find a story by customer id, email or phone number',
  permission: 'context.story.read',
  tenant: 'required',
  input: { query: z.strictObject({ q: z.string('Must be one value.').min(1, 'Must not be empty.').max(256) }) },
  output: storyOutput,
  errors: ['STORY_NOT_FOUND'],
  example: { query: { q: 'jean@example.com' }, output: exampleStory },
  handler({ query, caller }) {
    return readStory(caller.orgId, lookupIdentifiers(query.q, settings.DEFAULT_COUNTRY));
  },
});

declare module '../../lib/calls.ts' {
  interface Calls {
    'context.story.resolve': typeof resolveStory;
  }
}
