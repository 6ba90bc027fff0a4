import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { recordAuditEvent } from '../../../lib/audit.ts';
import { now } from '../../../lib/clock.ts';
import { apiError } from '../../../lib/errors.ts';
import { type ApplicationDocument, ApplicationModel } from '../../../models/identity/application.ts';
import {
  applicationDescription,
  applicationName,
  applicationOutput,
  applicationSlugPath,
  exampleApplication,
  findApplication,
  toApplicationResponse,
} from './applications.ts';

/** PATCH /applications/:slug: changes the name or the description; null clears the latter. */
export const updateApplication = defineAction({
  rest: 'PATCH /applications/:slug',
  summary: 'Change an application',
  permission: 'console.apps.write',
  input: {
    path: applicationSlugPath,
    body: z.strictObject({ name: applicationName.optional(), description: applicationDescription.optional() }),
  },
  output: applicationOutput,
  errors: ['NOT_FOUND'],
  example: {
    path: { slug: exampleApplication.slug },
    body: { name: 'Shop backend', description: 'Sends events and reads customer stories' },
    output: {
      ...exampleApplication,
      description: 'Sends events and reads customer stories',
      updatedAt: '2026-03-05T14:00:00.000Z',
    },
  },
  async handler({ path: { slug }, body, caller: { orgId }, ctx }) {
    const current = await findApplication(orgId, slug);
    const changes = changesOf(body, current);
    if (Object.keys(changes).length === 0) return toApplicationResponse(current);
    const before = await ApplicationModel.findOneAndUpdate(
      { orgId, _id: current._id },
      { $set: { ...changes, updatedAt: now() } },
    ).lean<ApplicationDocument>();
    if (!before) throw apiError('NOT_FOUND');
    await recordAuditEvent(ctx, {
      action: 'application.updated',
      orgId,
      target: { type: 'application', id: current._id },
      before: Object.fromEntries(Object.keys(changes).map((name) => [name, before[name as keyof Changes]])),
      after: changes,
    });
    return toApplicationResponse(await findApplication(orgId, slug));
  },
});

type Changes = { name?: string; description?: string };

/** The fields of the body that differ from the application's. */
function changesOf(body: { [K in keyof Changes]?: string | undefined }, current: ApplicationDocument): Changes {
  const { name, description } = body;
  return {
    ...(name !== undefined && name !== current.name && { name }),
    ...(description !== undefined && description !== current.description && { description }),
  };
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.applications.update': typeof updateApplication;
  }
}
