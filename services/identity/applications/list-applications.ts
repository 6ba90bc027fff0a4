import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { decodeCursor, pageOf, pageQuery, toPage } from '../../../lib/page.ts';
import { type ApplicationDocument, ApplicationModel } from '../../../models/identity/application.ts';
import { applicationOutput, exampleApplication, toApplicationResponse } from './applications.ts';

/** GET /applications: the applications of the organization, the newest first. */
export const listApplications = defineAction({
  rest: 'GET /applications',
  summary: "List the organization's applications",
  permission: 'console.apps.read',
  input: { query: z.strictObject(pageQuery) },
  output: pageOf(applicationOutput),
  errors: ['CURSOR_INVALID'],
  example: {
    query: { limit: '20' },
    output: { data: [exampleApplication], nextCursor: null },
  },
  async handler({ query, caller: { orgId } }) {
    const before = decodeCursor(query.cursor, 1)?.[0];
    const older = before === undefined ? {} : { _id: { $lt: before } };
    const applications = await ApplicationModel.find({ orgId, ...older })
      .sort({ _id: -1 })
      .limit(query.limit + 1)
      .lean<ApplicationDocument[]>();
    return toPage(applications, query.limit, ({ _id }) => [_id], toApplicationResponse);
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.applications.list': typeof listApplications;
  }
}
