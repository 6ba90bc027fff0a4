import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { ApplicationModel } from '../../../models/identity/application.ts';

/** `identity.applications.exists`, for access control: whether an organization has this application. */
export const checkApplication = defineAction({
  summary: 'Check whether an organization has an application',
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({ orgId: z.string(), applicationId: z.string() }) },
  output: z.strictObject({ exists: z.boolean() }),
  async handler({ body: { orgId, applicationId } }) {
    const found = await ApplicationModel.findOne({ orgId, _id: applicationId }, { _id: 1 }).lean();
    return { exists: found !== null };
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.applications.exists': typeof checkApplication;
  }
}
