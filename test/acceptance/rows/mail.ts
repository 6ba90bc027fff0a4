import type { Row } from './row.ts';

const decisions = 'decisions, Mail, notification, connect';

/** Mail: templates, sending, suppressions and reports. */
export const mailRows = {
  'mail.send': {
    from: 'Endpoints, Mail',
    route: 'POST /v1/mail/send',
    says: 'POST /v1/mail/send answers 202 with messageId and status queued',
  },
  'mail.send-refused': {
    from: 'Per-endpoint statuses; decisions',
    says: 'a mail without a recipient or template, to several recipients or without a required variable is 400 naming it',
  },
  'mail.messages': {
    from: decisions,
    route: 'GET /v1/mail/messages',
    says: 'the messages of the tenant are listed, by status and recipient',
  },
  'mail.message': {
    from: decisions,
    route: 'GET /v1/mail/messages/:messageId',
    says: 'a message shows its status and what happened to it',
  },
  'mail.resend': {
    from: 'issue 42, part 3',
    route: 'POST /v1/mail/messages/:messageId/resend',
    says: 'a mail that was sent is not sent again, and one of another tenant is not found',
  },
  'mail.templates': {
    from: decisions,
    route: 'GET /v1/mail/templates',
    says: 'the templates of the tenant are listed',
  },
  'mail.template-create': {
    from: decisions,
    route: 'POST /v1/mail/templates',
    says: 'a template is created live, in its first version',
  },
  'mail.template-starters': {
    from: 'issue 17',
    route: 'GET /v1/mail/template-starters',
    says: 'a template can be created from each starter',
  },
  'mail.template': {
    from: decisions,
    route: 'GET /v1/mail/templates/:templateId',
    says: 'a template is read with any of its versions',
  },
  'mail.template-versions': {
    from: 'issue 42, part 3',
    route: 'GET /v1/mail/templates/:templateId/versions',
    says: 'the versions of a template are listed, the newest first',
  },
  'mail.template-update': {
    from: decisions,
    route: 'PATCH /v1/mail/templates/:templateId',
    says: 'each change is a new version, live at once unless publish is false',
  },
  'mail.template-publish': {
    from: decisions,
    route: 'POST /v1/mail/templates/:templateId/publish',
    says: 'a version is made live later, and an earlier one again',
  },
  'mail.template-preview': {
    from: decisions,
    route: 'POST /v1/mail/templates/:templateId/preview',
    says: 'a preview renders samples and values, escaped, in the variant of a locale',
  },
  'mail.template-test': {
    from: 'issue 17',
    route: 'POST /v1/mail/templates/:templateId/test',
    says: 'a test sends a version to one address, published or not',
  },
  'mail.template-delete': {
    from: decisions,
    route: 'DELETE /v1/mail/templates/:templateId',
    says: 'a deleted template is 404, and sending it is 400',
  },
  'mail.settings': {
    from: decisions,
    route: 'GET /v1/mail/settings',
    says: 'the settings show the sender that mail has',
  },
  'mail.settings-change': {
    from: decisions,
    route: 'PUT /v1/mail/settings',
    says: 'the name and the reply address are chosen by the tenant, the address by the operator',
  },
  'mail.suppressions': {
    from: decisions,
    route: 'GET /v1/mail/suppressions',
    says: 'the suppressed addresses of the tenant are listed',
  },
  'mail.suppress': {
    from: decisions,
    route: 'POST /v1/mail/suppressions',
    says: 'mail to a suppressed address is answered 202 with status suppressed',
  },
  'mail.unsuppress': {
    from: decisions,
    route: 'DELETE /v1/mail/suppressions/:suppressionId',
    says: 'an address that is not suppressed any more gets mail',
  },
  'mail.feedback': {
    from: 'issue 17',
    route: 'POST /v1/mail/feedback',
    says: 'a report without the signature of the settings is refused',
  },
  'mail.feedback-ses': {
    from: 'issue 17',
    route: 'POST /v1/mail/feedback/ses',
    says: 'a report of Amazon SES is refused where its topic is not in the settings',
  },
  'mail.feedback-postmark': {
    from: 'issue 17',
    route: 'POST /v1/mail/feedback/postmark',
    says: 'a report of Postmark is refused without the credentials of the settings',
  },
} as const satisfies Record<string, Row>;
