import type { ErrorCode } from './errors.ts';

/** When each error happens, and what its receiver can do, in Markdown. `docs/errors.md` shows both. */
export const errorGuide: Record<ErrorCode, { when: string; remedy: string }> = {
  INPUT_INVALID: {
    when: 'A field of the body, path, query or headers is missing, unknown or wrong.',
    remedy: 'Correct the fields that `details` names; the same request is refused again.',
  },
  REQUEST_MALFORMED: {
    when: 'The bytes received are not a valid HTTP request.',
    remedy: 'Use an HTTP library; look for a proxy that changes requests.',
  },
  JSON_MALFORMED: {
    when: 'The body is not JSON, or not UTF-8; the message has the line and column of the first error.',
    remedy: 'Send the output of a JSON library, in UTF-8.',
  },
  PATH_INVALID: {
    when: 'The path has a broken percent-encoding or an encoded control character.',
    remedy: "Encode each part of the path once, with your language's function for it.",
  },
  CURSOR_INVALID: {
    when: 'The cursor of a list was changed, cut or taken from another list.',
    remedy: 'Send `nextCursor` unchanged, or start without a cursor.',
  },
  WEBHOOK_INVALID: {
    when: 'A payment provider’s webhook is unsigned, wrongly signed, too old or unreadable.',
    remedy: 'Sign the body exactly as it is sent; look for a proxy that changes it.',
  },
  TENANT_REQUIRED: {
    when: 'A service call has no `x-tenant-id` header.',
    remedy: 'Send the id of your organization.',
  },
  TENANT_INVALID: {
    when: 'The `x-tenant-id` header is not the id of any organization.',
    remedy: 'Send the `org_…` id, not the slug or name.',
  },
  SIGNATURE_INVALID: {
    when: 'The signature of a signed URL was changed or cut, is for another use, or has expired.',
    remedy: 'Create a new signed URL; send the method and the headers that came with it.',
  },
  CREDENTIAL_REQUIRED: {
    when: 'The request carries no credential.',
    remedy: 'Send `Authorization: Bearer` with an API key.',
  },
  CREDENTIAL_INVALID: {
    when: 'The credential is mistyped, unknown, expired or revoked; the answer does not say which.',
    remedy: 'Check the key for copying errors; otherwise create a new one.',
  },
  IDENTITY_INVALID: {
    when: "A visitor's `userHash` was made by another secret or over other values, or its `issuedAt` is older than a day.",
    remedy: 'Sign the user again on your server, and begin a new session of the widget.',
  },
  PAYMENT_REQUIRED: {
    when: 'The subscription has expired, or a payment failed and the grace period is over.',
    remedy: 'Pay at `upgradeUrl`, which the answer contains.',
  },
  PLAN_LIMIT_EXCEEDED: {
    when: 'The quota of the plan for this day, this month or in total is used, or a resource has reached its plan limit. The message and `quota` have the use, the limit and when it resets.',
    remedy: 'Wait for the next day or month, delete what is not needed, or take a larger plan at `upgradeUrl`.',
  },
  SERVICE_NOT_INCLUDED: {
    when: "The organization's plan does not include this part of the platform.",
    remedy: 'Take a plan that includes it at `upgradeUrl`.',
  },
  PERMISSION_DENIED: {
    when: 'The credential is valid, but its scopes, or the role of its user, lack the permission that the message names.',
    remedy: 'Use a key or token with that scope, or ask an owner for a role that has the permission.',
  },
  TENANT_MISMATCH: {
    when: 'The credential belongs to another organization than `x-tenant-id` names.',
    remedy: 'Use a key of that organization, or send the organization of the key.',
  },
  USER_REQUIRED: {
    when: "An application's credential was used for a resource that only a person has, such as a profile or a membership.",
    remedy:
      "Send a user's access token of an OAuth client with the scope `profile`, or let the user do it in the browser.",
  },
  SESSION_REQUIRED: {
    when: 'An access token was used for something that only the user in a session may do: passwords, sessions, leaving.',
    remedy: 'Let the user do it on the account page.',
  },
  ORIGIN_REFUSED: {
    when: 'A request that changes something carried the session cookie, but did not come from a page of the platform.',
    remedy: 'Send an access token instead of the cookie.',
  },
  AGENT_REQUIRED: {
    when: 'The user is not an agent, and requested the inbox or wrote into it.',
    remedy: 'Let an owner or admin make the user an agent, which occupies a seat of the plan.',
  },
  ORGANIZATION_SUSPENDED: {
    when: 'The operator of the platform has suspended the organization of the credential, the path, the file or the website.',
    remedy:
      'Ask the operator of the platform. Owners read the reason in the console; nothing needs to be created again once the suspension ends.',
  },
  SESSION_TOO_OLD: {
    when: 'The user logged in longer ago than `maxSessionHours` of the organization allows. API keys and access tokens do not get this error.',
    remedy: 'Let the user log in again. On pages this happens by itself.',
  },
  EMAIL_DOMAIN_NOT_ALLOWED: {
    when: 'An invitation is made, mailed again or accepted for an address whose domain is not in `allowedEmailDomains` of the organization.',
    remedy: 'Invite an address of an allowed domain, or let an owner or admin allow the domain in the settings.',
  },
  SITE_DISABLED: {
    when: 'The widget of a site is turned off; its visitors cannot read or write.',
    remedy: 'Turn it on in the settings of the site.',
  },
  VISITOR_BLOCKED: {
    when: "The visitor, the customer or the address is on the organization's block list.",
    remedy: 'Remove the block at `/v1/connect/blocks` if it is a mistake.',
  },
  OWNER_REQUIRED: {
    when: 'The caller is not an owner of the organization, and the action is for owners only.',
    remedy: 'Ask an owner of the organization to do it.',
  },
  SCOPE_NOT_HELD: {
    when: 'The request would grant, change or revoke a permission that the caller does not hold; the message names it.',
    remedy: 'Ask for less, or use a credential that holds it.',
  },
  ROLE_READ_ONLY: {
    when: 'The request would change or delete `role_owner`, `role_admin` or `role_member`.',
    remedy: 'Create another role; it may include one of these.',
  },
  REGISTRATION_CLOSED: {
    when: 'The operator limits registration to invited people or to the domains of some addresses. The answer is the same for an address with an account.',
    remedy: 'Ask an owner or admin of your organization for an invitation, or use an address of your organization.',
  },
  NOT_FOUND: {
    when: 'The resource does not exist, or belongs to someone else.',
    remedy: 'Check the id, and that the credential is of the right organization.',
  },
  ROUTE_NOT_FOUND: {
    when: 'No endpoint has this path at this address, or its service is not running. Storage has another address, which the message then names.',
    remedy: 'Compare the path with `/openapi.json`, which has the address of each.',
  },
  STORY_NOT_FOUND: {
    when: 'No customer has this id, email or phone number, or more than one customer has it.',
    remedy: 'Send an event about the person first, or use an identifier that only they have.',
  },
  METHOD_NOT_ALLOWED: {
    when: 'The path exists, but not with this method.',
    remedy: 'Use one of the methods in the message and in the `Allow` header.',
  },
  REQUEST_TIMEOUT: {
    when: 'The headers took longer than 15 seconds, or the body made no progress for 60 seconds, or it averaged less than 1 KiB/s after its first 30 seconds.',
    remedy: 'Send the request again over a better connection, or in smaller parts. A whole request has no deadline.',
  },
  EVENT_ALREADY_SENT: {
    when: 'An event with this `eventId` was accepted before, perhaps by an attempt whose answer was lost.',
    remedy: 'Treat it as success; a different event needs another id.',
  },
  SLUG_TAKEN: {
    when: 'Another organization or application has, or had, this slug.',
    remedy: 'Choose another slug.',
  },
  BUCKET_NAME_TAKEN: {
    when: 'Another bucket has this name, or a bucket of another organization had it.',
    remedy: 'Choose another name.',
  },
  SIGNATURE_USED: {
    when: 'A file was uploaded to this signed URL already, or is being uploaded.',
    remedy: 'Create another signed URL for another upload; after an interrupted upload, try again in some minutes.',
  },
  LAST_OWNER: {
    when: 'The request would remove, demote or suspend the only owner of the organization who is not suspended.',
    remedy: 'Make another member an owner first, or delete the organization.',
  },
  OWN_MEMBERSHIP: {
    when: 'A member asks to be suspended, or restored, by their own credential.',
    remedy: 'Ask another administrator. To leave the organization, remove yourself as a member.',
  },
  ALREADY_MEMBER: {
    when: 'The invited person is already a member.',
    remedy: 'Change their role instead.',
  },
  INVITATION_PENDING: {
    when: 'The address has an open invitation.',
    remedy: 'Resend that invitation, or revoke it first.',
  },
  INVITATION_NOT_OPEN: {
    when: 'The invitation was accepted or revoked, or its seven days are over.',
    remedy: 'Ask for a new invitation.',
  },
  CONTACT_EXISTS: {
    when: 'The user already has a contact of this type and value.',
    remedy: 'Change the existing contact.',
  },
  CONTACT_IS_LOGIN: {
    when: 'The contact is the address its user logs in with.',
    remedy: 'Make another verified address the login first.',
  },
  EMAIL_TAKEN: {
    when: 'Another account uses this address for its login.',
    remedy: 'Choose another address, or log in with the other account.',
  },
  LIMIT_REACHED: {
    when: 'The maximum number is reached: of contacts, addresses or organizations of a user, of open invitations of an organization, or of versions of a template.',
    remedy: 'Delete one that is not needed.',
  },
  PLAN_IS_CURRENT: {
    when: 'The organization already has, or has already scheduled, this plan and billing cycle.',
    remedy: 'Nothing is due; resume the subscription if it was cancelled.',
  },
  PLAN_IS_FREE: {
    when: 'The organization is on `free`, which cannot be cancelled or resumed.',
    remedy: 'Buy a plan with a checkout.',
  },
  MESSAGE_NOT_RESENDABLE: {
    when: 'The mail or notification has not failed, its content is no longer stored, or it is mail of the platform itself.',
    remedy: 'Send a new message. `isResendable` of a message tells whether it can be sent again.',
  },
  JOB_RUNNING: {
    when: 'An operator starts a scheduled job that a node is running. After the crash of that node, this may last two minutes.',
    remedy: 'Wait until it has ended; then start it again if it is still needed.',
  },
  CONFLICT: {
    when: 'Concurrent changes of the same record prevented this one.',
    remedy: 'Read the record again and repeat the change.',
  },
  IDEMPOTENCY_MISMATCH: {
    when: 'The `Idempotency-Key` was used within 24 hours with another request, by another caller or with other scopes.',
    remedy: 'Use a new key for each request that is not a retry.',
  },
  IDEMPOTENCY_IN_PROGRESS: {
    when: 'A request with this `Idempotency-Key` is still running, or its process died recently.',
    remedy: 'Retry after the seconds in `Retry-After`; the retry finds the outcome.',
  },
  PRECONDITION_FAILED: {
    when: 'A precondition of the request fails: the resource has another `ETag` than `If-Match` names, or `If-None-Match` names the present one.',
    remedy: 'Read the resource again, and send the `ETag` of that answer.',
  },
  BODY_TOO_LARGE: {
    when: 'The body is larger than this endpoint accepts; the message has the maximum.',
    remedy: 'Send less per request, for example smaller batches.',
  },
  CONTENT_TYPE_UNSUPPORTED: {
    when: 'The body is not declared as the media type that the endpoint takes, mostly `application/json` in UTF-8, or is compressed.',
    remedy: 'Send `Content-Type: application/json` and no `Content-Encoding`.',
  },
  RANGE_NOT_SATISFIABLE: {
    when: '`Range` begins after the end of the content.',
    remedy: 'Ask for bytes below the size in `Content-Range`.',
  },
  RATE_LIMITED: {
    when: 'The credential, or the address without one, exceeded its limit of requests, passwords or mails.',
    remedy: 'Wait for the seconds in `Retry-After`; `RateLimit-Remaining` is the number of requests that remain.',
  },
  HEADERS_TOO_LARGE: {
    when: 'The path, query and headers have more than 16 KiB in total.',
    remedy: 'Send less: usually a query value or a cookie has grown.',
  },
  INTERNAL: {
    when: 'An unexpected error occurred; the log has the reason under the request id.',
    remedy: 'Report the request id to the operator; a retry may succeed.',
  },
  REVISION_NOT_REACHED: {
    when: 'The node did not reach the revision in `minRevision` within two seconds.',
    remedy: 'Retry after the seconds in `Retry-After`, with a revision from an earlier answer.',
  },
  UNAVAILABLE: {
    when: 'The database, a service or a payment provider cannot be reached.',
    remedy: 'Retry after the seconds in `Retry-After`.',
  },
  MAIL_DISABLED: {
    when: 'The operator turned mail off, and this action needs it: registering, inviting, recovering.',
    remedy: 'Ask the operator to set up mail, or to do it for you.',
  },
  PAYMENTS_DISABLED: {
    when: 'The operator turned payments off, so a checkout is not possible.',
    remedy: 'Ask the operator for the plan; existing plans stay.',
  },
  STORE_FULL: {
    when: 'The disk or the object store has no room for the upload; nothing of it was stored.',
    remedy: 'Contact the operator of the platform.',
  },
};
