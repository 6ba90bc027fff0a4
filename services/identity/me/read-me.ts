import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import type { ApplicationCaller } from '../../../lib/caller.ts';
import { apiError } from '../../../lib/errors.ts';
import { exampleId } from '../../../lib/examples.ts';
import { createFindBatcher } from '../../../lib/find-together.ts';
import { type ApplicationDocument, ApplicationModel } from '../../../models/identity/application.ts';
import { readCurrentUser } from '../users/current-user.ts';
import { toUserResponse, userOutput } from './user-output.ts';

const applicationOutput = z
  .strictObject({
    type: z.literal('application'),
    id: z.string(),
    slug: z.string(),
    name: z.string(),
    orgId: z.string(),
    scopes: z.array(z.string()),
    keyId: z.string().optional(),
    clientId: z.string().optional(),
  })
  .meta({ id: 'CurrentApplication' });

/** GET /identity/me: the owner of the credential, and its scopes. The call that confirms a connection. */
export const readMe = defineAction({
  rest: 'GET /identity/me',
  summary: 'Read the owner of the credential',
  permission: 'authenticated',
  input: {},
  output: z.discriminatedUnion('type', [applicationOutput, userOutput]),
  example: {
    output: {
      type: 'application',
      id: exampleId('app'),
      slug: 'shop-backend',
      name: 'Shop backend',
      orgId: exampleId('org'),
      scopes: ['context.events.write', 'context.story.read'],
      keyId: exampleId('key'),
    },
  },
  async handler({ caller }) {
    return caller.type === 'application'
      ? toApplicationResponse(caller)
      : toUserResponse(await readCurrentUser(caller.id), caller);
  },
});

const findApplication = createFindBatcher<ApplicationDocument>(ApplicationModel, '_id', ['slug', 'name']);

async function toApplicationResponse(caller: ApplicationCaller): Promise<z.output<typeof applicationOutput>> {
  const { orgId, id, scopes, keyId, clientId } = caller;
  const application = await findApplication(orgId, id);
  // The application was deleted since the credential was checked.
  if (!application) throw apiError('CREDENTIAL_INVALID');
  const { slug, name } = application;
  const credential = keyId === undefined ? { clientId } : { keyId };
  return { type: 'application' as const, id, slug, name, orgId, scopes, ...credential };
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.me.read': typeof readMe;
  }
}
