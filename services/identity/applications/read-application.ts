import { defineAction } from '../../../lib/action.ts';
import {
  applicationOutput,
  applicationSlugPath,
  exampleApplication,
  findApplication,
  toApplicationResponse,
} from './applications.ts';

/** GET /applications/:slug: one application of the organization. */
export const readApplication = defineAction({
  rest: 'GET /applications/:slug',
  summary: 'Read an application',
  permission: 'console.apps.read',
  input: { path: applicationSlugPath },
  output: applicationOutput,
  errors: ['NOT_FOUND'],
  example: { path: { slug: exampleApplication.slug }, output: exampleApplication },
  async handler({ path: { slug }, caller: { orgId } }) {
    return toApplicationResponse(await findApplication(orgId, slug));
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.applications.read': typeof readApplication;
  }
}
