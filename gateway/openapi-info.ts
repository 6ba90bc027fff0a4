import { errorCatalogue } from '../lib/contract/errors.ts';
import type { JsonSchema } from '../lib/contract/json-schema.ts';
import { settings } from '../lib/settings/settings.ts';

/** The general part of the document: what all operations have in common. */
export const info = {
  title: 'Platform APIs',
  version: '1.0.0',
  description: [
    'Identity, access, billing, storage, mail, notifications, customer stories and conversations of organizations and ' +
      'their applications.',
    '**Credentials.** Most operations take `Authorization: Bearer` with an API key or an OAuth 2.0 access token, or ' +
      'the session cookie of a signed-in user. Each operation names the permission that it requires.',
    '**Organizations.** All data belongs to one organization. A credential of an application acts in its own. ' +
      'Operations with the header `x-tenant-id` require its id as a confirmation; a user who belongs to several ' +
      'organizations chooses one by it. Data of other organizations is answered as if it did not exist.',
    '**Errors** are JSON: a code of the catalogue in `error`, a sentence in `message`, the `requestId`, and for ' +
      'invalid fields `details` with the path of each. A refused request has changed nothing.',
    '**Lists** have `limit` and `cursor`; `nextCursor` of the answer leads to the next page and is null on the last.',
    '**Retries.** Operations that list the header `Idempotency-Key` can be repeated with the same key within 24 hours: ' +
      'the repetition gets the first answer. `429` and `503` say in `Retry-After` how many seconds to wait.',
    '**Times** are ISO 8601 in UTC with milliseconds, **amounts of money** whole minor units (cents), **sizes** bytes.',
  ].join('\n\n'),
  contact: { name: settings.BRAND_NAME, url: settings.PUBLIC_URL },
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
};

export const mainServer = {
  url: settings.PUBLIC_URL,
  description: 'The main address. It serves every operation that names no other server.',
};

/** The server of a service that has a separate listener. */
export function serverOf(service: string, url: string): { url: string; description: string } {
  return { url, description: serverDescriptions[service] ?? `The address of the service ${service}.` };
}

const serverDescriptions: Record<string, string> = {
  storage:
    'The storage address. Files are uploaded and delivered here, apart from the pages and the session cookie of the ' +
    'main address; it accepts API keys, access tokens and signed addresses.',
};

/** The description of a tag, which is the name of a service. */
export function tagDescription(name: string): string {
  return tagDescriptions[name] ?? `The endpoints of the service ${name}.`;
}

const tagDescriptions: Record<string, string> = {
  access:
    'Permissions, roles and their assignments to members and applications, and checks of who may do what. Changes ' +
    'answer `Access-Revision`, which a later check can wait for with `minRevision`.',
  billing: 'Plans, subscriptions and checkouts, what a plan includes and how much of it is used, and invoices.',
  connect:
    'The chat widget of websites and the inbox in which agents answer. The operations below `/v1/widget` are called by ' +
    "visitors' browsers with a visitor token; all others by members and applications.",
  context: 'Business events, and the stories of customers that are composed from them.',
  health: 'The state of a node, for load balancers and supervisors. Not rate limited.',
  identity:
    'Users and their accounts, organizations with members and invitations, applications with API keys and OAuth ' +
    'clients, and the audit log.',
  mail: 'Mail by templates to one recipient at a time, its delivery reports, and suppressed addresses.',
  notification: 'Notifications by templates over the channels that an organization has connected to providers.',
  oauth:
    'OAuth 2.0 and OpenID Connect: authorization code with PKCE, client credentials and refresh tokens. Errors have ' +
    'the format of RFC 6749.',
  storage:
    'Buckets and objects, signed addresses for uploads and downloads, and image transformation. Served at the storage ' +
    'address, which each operation names.',
};

const errorDetail: JsonSchema = {
  type: 'object',
  required: ['path', 'message'],
  properties: {
    path: { type: 'string', description: 'The field, such as `body.email` or `query.limit`.' },
    message: { type: 'string', description: 'The rule that the value violates.' },
  },
};

const errorQuota: JsonSchema = {
  type: 'object',
  required: ['meter', 'limit', 'used', 'resetsAt'],
  properties: {
    meter: { type: 'string', description: 'The kind of use that is counted.' },
    limit: { type: 'number', description: 'The limit of the plan, in the unit of the meter.' },
    used: { type: 'number', description: 'The present use, in the unit of the meter.' },
    resetsAt: {
      type: ['string', 'null'],
      format: 'date-time',
      description: 'When the use begins at zero again; null for one that does not.',
    },
  },
};

const error: JsonSchema = {
  type: 'object',
  description: 'The answer to a request that was refused or failed.',
  required: ['error', 'message', 'requestId'],
  properties: {
    error: {
      type: 'string',
      enum: Object.keys(errorCatalogue),
      description: 'The code of the error, for programs. It never changes its meaning.',
    },
    message: { type: 'string', description: 'The error as a sentence, for people. Its words may change.' },
    requestId: { type: 'string', description: 'The id of the request, by which the operator finds it in the log.' },
    details: {
      type: 'array',
      description: 'The invalid fields, with INPUT_INVALID and where a request names something that does not exist.',
      items: { $ref: '#/components/schemas/ErrorDetail' },
    },
    upgradeUrl: {
      type: 'string',
      format: 'uri',
      description: 'The page on which the plan can be changed, with errors of the plan.',
    },
    quota: {
      $ref: '#/components/schemas/ErrorQuota',
      description: 'The limit that was reached, with errors of the plan.',
    },
  },
};

export const errorSchemas: Record<string, JsonSchema> = {
  Error: error,
  ErrorDetail: errorDetail,
  ErrorQuota: errorQuota,
};
