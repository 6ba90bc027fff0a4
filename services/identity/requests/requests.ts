import { z } from 'zod';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { exampleId, exampleInstant } from '../../../lib/contract/examples.ts';
import { olderIds, pageOf, pageQuery, pathText, timeRange, timestamp, toPage } from '../../../lib/contract/input.ts';
import { idPattern } from '../../../lib/data/ids.ts';
import {
  callerTypes,
  type FailedRequestDocument,
  FailedRequestModel,
} from '../../../models/identity/failed-request.ts';
import { organizationPath, orgIdOfSlug } from '../organizations.ts';

export const requestMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

const failedRequestOutput = z
  .strictObject({
    id: z.string().describe('The id of the record (`frq_…`).'),
    requestId: z
      .string()
      .describe('The id that the answer had as `X-Request-Id`. A client that chooses it may repeat it.'),
    answeredAt: timestamp.describe('When it was answered.'),
    method: z.string().describe('The HTTP method.'),
    route: z.string().describe('The pattern of the path, such as `/v1/story/customers/:customerId`.'),
    path: z.string().describe('The path, without its query and without tokens. At most 500 characters.'),
    status: z.int().describe('The HTTP status of the answer.'),
    error: z.string().describe('The error code.'),
    message: z.string().describe('The message of the answer.'),
    details: z
      .array(
        z
          .strictObject({
            path: z.string().describe('The field, such as `body.name`.'),
            message: z.string().describe('The rule that the value violates.'),
          })
          .meta({ id: 'FailedRequestDetail' }),
      )
      .describe('The invalid fields, as far as they and the message fit into 2 KiB.'),
    milliseconds: z.number().describe('The time from the first byte of the request to the last of its answer.'),
    caller: z
      .strictObject({
        type: z.enum(callerTypes).describe('`website`: a visitor in the chat widget of a website.'),
        id: z.string().describe('The id of the application, user or website.'),
        credentialId: z
          .string()
          .nullable()
          .describe('The id of the API key, OAuth client or session; null for a website.'),
      })
      .describe('Who sent it.'),
    userAgent: z.string().nullable(),
    omitted: z.int().describe('The number of failed requests after this one, in the same minute, that are not listed.'),
  })
  .meta({ id: 'FailedRequest' });

const exampleFailedRequest = {
  id: exampleId('frq'),
  requestId: exampleId('req'),
  answeredAt: exampleInstant,
  method: 'POST',
  route: '/applications/:id/api-keys',
  path: `/applications/${exampleId('app')}/api-keys`,
  status: 400,
  error: 'INPUT_INVALID',
  message: 'body.name is required (string).',
  details: [{ path: 'body.name', message: 'Required (string).' }],
  milliseconds: 2.4,
  caller: { type: 'application', id: exampleId('app'), credentialId: exampleId('key') },
  userAgent: 'acme-bikes/1.4 node/24',
  omitted: 0,
} satisfies z.input<typeof failedRequestOutput>;

const filters = {
  status: z
    .string()
    .regex(/^[45](?:xx|\d\d)$/, 'Must be 4xx, 5xx or a status such as 404.')
    .optional()
    .describe('Only this status, such as `404`, or this class: `4xx` or `5xx`.'),
  error: z.string().min(1).max(100).optional().describe('Only this error code, such as `PERMISSION_DENIED`.'),
  method: z.enum(requestMethods).optional().describe('Only this HTTP method.'),
  callerId: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('Only what this application, user, website, API key or OAuth client sent.'),
  requestId: z.string().min(1).max(128).optional().describe('Only requests with this id.'),
  ...timeRange,
};

/** GET /organizations/:slug/requests: the requests that were answered with an error, the newest first. */
export const listFailedRequests = defineAction({
  rest: 'GET /organizations/:slug/requests',
  summary: "List an organization's failed requests",
  description:
    'Returns the requests of the organization that were answered with an error (4xx or 5xx), the newest first, ' +
    'with the reason of each: requests by its API keys, access tokens, sessions and widgets. Requests without a valid ' +
    'credential belong to no organization. A record appears within some seconds, and is kept for seven days: the last ' +
    '10,000 of an organization. Each listener keeps 60 a minute; `omitted` counts the others. Queries, bodies and ' +
    'credentials are never stored. The filters can be combined; `from` is inclusive, `to` is exclusive.',
  permission: 'console.audit.read',
  organization: ({ path }) => orgIdOfSlug(path.slug),
  input: { path: organizationPath, query: z.strictObject({ ...pageQuery, ...filters }) },
  output: pageOf(failedRequestOutput),
  errors: ['NOT_FOUND', 'CURSOR_INVALID'],
  example: {
    path: { slug: 'acme-bikes' },
    query: { limit: '20', status: '4xx', method: 'POST', from: '2026-03-01T00:00:00.000Z' },
    output: { data: [exampleFailedRequest], nextCursor: null },
  },
  async handler({ query: { limit, cursor, from, to, status, callerId, ...equal }, caller: { orgId } }) {
    const found = await FailedRequestModel.find({
      orgId,
      ...equal,
      ...olderIds('frq', { cursor, from, to }),
      ...(status !== undefined && { status: statusFilter(status) }),
      ...(callerId !== undefined && { $or: [{ 'caller.id': callerId }, { 'caller.credentialId': callerId }] }),
    })
      .sort({ _id: -1 })
      .limit(limit + 1)
      .lean<FailedRequestDocument[]>();
    return toPage(found, limit, ({ _id }) => [_id], toResponse);
  },
});

/** A status, or the range of a class. */
function statusFilter(status: string): number | { $gte: number; $lt: number } {
  if (!status.endsWith('xx')) return Number(status);
  const first = Number(status.charAt(0)) * 100;
  return { $gte: first, $lt: first + 100 };
}

/** The ids that the platform makes and those that it accepts from clients. */
const requestIdPattern = /^[A-Za-z0-9._:-]{1,128}$/;
const recordIdPattern = idPattern('frq');

/** GET /organizations/:slug/requests/:requestId: one request that was answered with an error. */
export const readFailedRequest = defineAction({
  rest: 'GET /organizations/:slug/requests/:requestId',
  summary: 'Read a failed request',
  description:
    'Returns the request that was answered with an error, by the request id of the answer or by the id of the record ' +
    '(`frq_…`). If several requests have the request id, it is the newest; the list has all of them. A request that ' +
    'succeeded, one of another organization, and one that is older than seven days is `NOT_FOUND`.',
  permission: 'console.audit.read',
  organization: ({ path }) => orgIdOfSlug(path.slug),
  input: {
    path: organizationPath.extend({
      requestId: pathText(requestIdPattern).describe(
        'The request id (`req_…`, or as the client chose it), or `frq_…`.',
      ),
    }),
  },
  output: failedRequestOutput,
  errors: ['NOT_FOUND'],
  example: { path: { slug: 'acme-bikes', requestId: exampleFailedRequest.requestId }, output: exampleFailedRequest },
  async handler({ path: { requestId }, caller: { orgId } }) {
    const named = recordIdPattern.test(requestId) ? { _id: requestId } : { requestId };
    const found = await FailedRequestModel.findOne({ orgId, ...named })
      .sort({ _id: -1 })
      .lean<FailedRequestDocument>();
    if (!found) throw apiError('NOT_FOUND', { message: 'No failed request of the last seven days has this id.' });
    return toResponse(found);
  },
});

function toResponse({
  _id,
  orgId,
  requestId,
  answeredAt,
  ...request
}: FailedRequestDocument): z.output<typeof failedRequestOutput> {
  return { id: _id, requestId, answeredAt: answeredAt.toISOString(), ...request };
}
