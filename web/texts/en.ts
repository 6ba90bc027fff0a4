import type { ErrorCode } from '../../lib/contract/errors.ts';
import { type SystemPermission, systemPermissions } from '../../lib/contract/permissions.ts';
import type { DecimalUnit } from '../../lib/format/bytes.ts';
import { settings } from '../../lib/settings/settings.ts';
import { type Html, html, joined } from '../html.ts';
import type { Shortcut } from '../shortcuts.ts';

const code = (text: string): Html => html`<code>${text}</code>`;
const descriptions = Object.entries(systemPermissions).map(([key, { description }]) => [key, description] as const);

/** The English texts that pages of all services share. */
export const en = {
  /** The locale in which `Intl` writes dates. */
  dateLocale: 'en-GB',
  size: (amount: string, unit: DecimalUnit): string =>
    `${amount} ${amount === '1' && unit === 'bytes' ? 'byte' : unit}`,
  time: {
    /** How an instant is written inside of a sentence. */
    styleWithin: 'short' as 'short' | 'long',
    inUtc: (time: string): string => `${time} UTC`,
    seconds: (count: number): string => (count === 1 ? 'a second' : `${count} seconds`),
    minutes: (count: number): string => (count === 1 ? 'a minute' : `${count} minutes`),
  },
  forms: {
    /** The title of a page whose form was refused. */
    refusedTitle: (title: string): string => `Error: ${title}`,
    optional: 'optional',
    checkMarked: (count: number): string =>
      count === 1 ? 'Check the marked field.' : `Check the ${count} marked fields.`,
    tooManyAttempts: (wait: string): string => `Too many attempts. Try again in ${wait}.`,
    noCookie: 'Cookies are required. Allow cookies for this site and try again.',
    openTooLong: 'This page was open for too long. Try again.',
    otherSession: 'You logged in again after you opened this page. Check your changes and try again.',
  },
  dialog: { cancel: 'Cancel' },
  mailboxClosed: {
    title: 'Open the mailbox with its link',
    advice: 'The platform prints the link to this page with its token when it starts. Open it once in this browser.',
  },
  console: {
    navigation: 'Console',
    breadcrumb: 'Breadcrumb',
    shortcuts: 'Shortcuts',
    skip: 'Skip to content',
    menu: 'Menu',
    docs: 'Docs',
    documentation: 'Documentation',
    account: 'Your account',
    back: 'Back to the console',
    organizations: 'Organizations',
    newOrganization: 'New organization',
    logOut: 'Log out',
    search: 'Search',
    palette: {
      label: 'Go to a page, user, customer, file, invoice, or the ID of a request or message',
      results: 'Results',
      close: 'Close: esc',
      escape: 'esc',
    },
    keyboard: {
      title: 'Keyboard shortcuts',
      close: 'Close',
      groups: { page: 'On this page', everywhere: 'Everywhere', lists: 'Lists' },
      keys: {
        search: ['⌘K Ctrl+K', 'Search'],
        filter: ['/', 'Go to the search box of the list'],
        help: ['?', 'Show keyboard shortcuts'],
        close: ['Esc', 'Close a window or menu'],
        next: ['j ↓', 'Next row'],
        previous: ['k ↑', 'Previous row'],
        open: ['Enter', 'Open the row'],
        select: ['x', 'Select the row'],
      } satisfies Record<string, Shortcut>,
    },
    language: 'Language',
    themes: { label: 'Theme', system: 'System', light: 'Light', dark: 'Dark' },
    groups: { identity: 'Identity', messaging: 'Messaging', data: 'Data', organization: 'Organization' },
    areas: {
      overview: 'Overview',
      inbox: 'Inbox',
      roles: 'Roles',
      applications: 'Applications',
      users: 'Users',
      invitations: 'Invitations',
      customers: 'Customers',
      templates: 'Templates',
      notificationTemplates: 'Notification templates',
      messages: 'Messages',
      suppressions: 'Suppressed addresses',
      channels: 'Channels',
      sender: 'Mail sender',
      websites: 'Websites',
      files: 'Files',
      events: 'Events',
      logs: 'Logs',
      usage: 'Usage and billing',
      settings: 'Settings',
    },
    tabs: 'Tabs',
    logs: {
      audit: 'Audit log',
      requests: 'Requests',
      messages: 'Messages',
      from: 'From',
      to: 'To',
      dayWrong: 'Enter a date like 2026-11-30.',
      older: 'Older',
    },
    areaTabs: {
      templates: 'Mail',
      notificationTemplates: 'Notifications',
      channels: 'Connections',
    } as Partial<Record<string, string>>,
    accountPages: {
      profile: 'Profile',
      organizations: 'Organizations',
      password: 'Password',
      contacts: 'Contacts',
      addresses: 'Addresses',
      sessions: 'Sessions',
      applications: 'Applications',
      data: 'Your data',
    },
    notAllowed: {
      title: (area: string): string => `You can’t open ${area}`,
      words: (permissions: readonly string[]): Html =>
        html`Your role in this organization lacks ${joined(permissions.map(code), ' or ')}. An owner or an admin can give it to you.`,
      back: 'Go to the overview',
    },
    suspended: {
      badge: 'Suspended',
      title: (organization: string): string => `${organization} is suspended`,
      lead: 'The operator of this platform has suspended this organization. Its data is kept.',
      since: 'Since',
      reason: 'Reason',
      contact: 'Contact',
      operator: (platform: string): string => `Ask the operator of ${platform} to end the suspension.`,
      meaning: 'While it is suspended',
      consequences: [
        'API keys, access tokens and the console are refused, and no tokens are issued.',
        'Public files, signed links and the chat of its websites are closed.',
        'Messages that were accepted before wait.',
        'Retention, erasure and invoices go on.',
        'Your account and your other organizations are not affected.',
      ],
      invoices: 'Show invoices',
    },
    readOnly: (permission: string): Html =>
      html`You can look, but not change anything here: your role lacks <code>${permission}</code>.`,
  },
  /** Below the name of an organization: the platform that shows the page. */
  brandedBy: (platform: string): string => `on ${platform}`,
  upload: {
    title: 'Upload',
    file: 'File',
    drop: 'Drop files or folders here, or',
    choose: 'choose files',
    submit: 'Upload',
    replace: 'Replace a file with the same name',
    uploads: 'Uploads',
    /** Words of the script, with values in braces. */
    running: 'Uploading {done} of {all}',
    ended: '{done} of {all} uploaded',
    waiting: 'Waiting',
    progress: '{percent} %',
    secondsLeft: '{percent} %, {left} s left',
    minutesLeft: '{percent} %, {left} min left',
    storing: 'Storing',
    done: 'Done',
    lost: 'Connection lost. Tries again',
    failed: 'Not uploaded. Try again',
    loggedOut: 'You are logged out. Reload the page',
    cancel: 'Cancel {name}',
    retry: 'Try {name} again',
    replaceOne: 'Replace {name}',
    replaceWord: 'Replace',
    close: 'Close uploads',
  },
  /** The frame of the operator's console. */
  operator: {
    title: 'Operator console',
    badge: 'Operator',
    back: 'Back to the console',
    groups: { tenants: 'Tenants', operations: 'Operations' },
    areas: {
      overview: 'Overview',
      organizations: 'Organizations',
      users: 'Users',
      registration: 'Registration',
      nodes: 'Nodes',
      queues: 'Queues',
      jobs: 'Jobs',
      backups: 'Backups',
    },
    organization: {
      tabs: { label: 'Organization', overview: 'Overview', plan: 'Plan and invoices', audit: 'Audit log' },
      idName: 'organization ID',
    },
    states: {
      active: 'Active',
      trialing: 'Not paid yet',
      past_due: 'Past due',
      expired: 'Expired',
      incomplete: 'First payment pending',
      canceled: 'Deleted',
    },
    unknown: 'Unknown',
    suspended: 'Suspended',
    suspension: (since: Html, reason: string): Html => html`<p>Suspended since ${since}: <bdi>${reason}</bdi></p>`,
  },
  chart: { asTable: 'Show as table', period: 'Period' },
  meter: (name: string, percent: number): string => `${name}: ${percent} % used`,
  list: {
    pages: 'Pages',
    next: 'Next',
    first: 'First page',
    apply: 'Filter',
    clear: 'Clear filters',
    remove: (filter: string): string => `Remove the filter ${filter}`,
    bulk: { select: (name: string): string => `Select ${name}`, selected: 'selected' },
    columns: {
      act: 'Columns',
      actWithHidden: (count: number): string => `Columns, ${count} hidden`,
      shown: 'Shown columns',
      apply: 'Apply',
      all: 'Show all',
    },
    export: {
      act: 'Export',
      bound: (rows: number): string => `As filtered, at most ${rows.toLocaleString('en')} rows`,
      formats: { csv: 'CSV', ndjson: 'NDJSON' },
      cutOff: (rows: number): string => `Only the first ${rows.toLocaleString('en')} rows are in this file.`,
    },
  },
  live: { reload: 'Reload', live: 'Live' },
  copy: {
    copy: (name: string): string => `Copy ${name}`,
    copied: 'Copied.',
    failed: 'Your browser blocked copying. Select the text and copy it.',
  },
  scopes: {
    known: {
      openid: 'Verify your identity',
      profile: 'View your profile: name, picture, gender, date of birth and addresses',
      email: 'See your email address and contacts',
      offline_access: 'Stay connected when you’re not using it',
      'svc:read': 'Read all data in the services of the organization',
      'svc:write': 'Read and change all data in the services of the organization',
      'svc:admin': 'Full access to the organization, including its administration',
    },
    other: (scope: string): Html => html`Use the permission <code>${scope}</code>`,
  },
  /** The descriptions of the platform's permissions, as in the API. */
  permissions: Object.fromEntries(descriptions) as Record<SystemPermission, string>,
  /** The names of the platform's permissions, by namespace. */
  permissionGroups: {
    access: 'Access control',
    billing: 'Billing',
    connect: 'Inbox and websites',
    console: 'Console',
    context: 'Events and stories',
    mail: 'Mail',
    notification: 'Notifications',
    storage: 'Storage',
  },
  /** Why the platform refused an input; in English the message of the API. */
  refusals: {
    message: (_code: ErrorCode, message: string): string => message,
    /** Says what is wrong with one field. */
    detail: (message: string): string => message,
    /** By code, where a script shows why a file was refused. */
    ofUploads: {} as Partial<Record<string, string>>,
  },
  errors: {
    /** Texts for users; the messages of the errors are for developers. */
    byCode: {
      RATE_LIMITED: {
        title: 'Too many requests',
        words: 'Too many requests in a short time. Wait a moment, then try again.',
      },
      ORIGIN_REFUSED: {
        title: 'This form came from another site',
        words: `We accept forms from our own pages only. Open ${settings.PUBLIC_URL} and try again.`,
      },
      CONTENT_TYPE_UNSUPPORTED: {
        title: 'Unsupported format',
        words: 'This page accepts its own form only. Go back and try again.',
      },
      METHOD_NOT_ALLOWED: {
        title: 'This page can’t be reloaded',
        words: 'It answered a form. Go back and start again.',
      },
      BODY_TOO_LARGE: { title: 'Too much data', words: 'The form is too large. Shorten your input and try again.' },
      CREDENTIAL_INVALID: {
        title: 'You are logged out',
        words: 'Your session has ended. Log in again to continue.',
      },
      ROUTE_NOT_FOUND: {
        title: 'Page not found',
        words: 'There is no page at this address. Check the address, or go to your account.',
      },
      ORGANIZATION_SUSPENDED: {
        title: 'This organization is suspended',
        words: 'The operator of this platform has suspended it. Contact the operator.',
      },
      NOT_FOUND: {
        title: 'Not found',
        words: 'This does not exist, or it was removed. Check the address, or go to your account.',
      },
      INTERNAL: { title: 'Something went wrong', words: 'There is a problem on our side. Try again in a moment.' },
      MAIL_DISABLED: {
        title: 'Email is turned off',
        words:
          'This page is not available because this platform does not send email. Contact the operator of the platform.',
      },
      PAYMENTS_DISABLED: {
        title: 'Payments are turned off',
        words: 'This platform does not accept payments. To change your plan, contact its operator.',
      },
      UNAVAILABLE: {
        title: 'Temporarily unavailable',
        words: 'A part of the platform is not responding. Try again in a moment.',
      },
    },
    otherTitle: 'Something went wrong',
    report: (requestId: string): Html =>
      html`If this keeps happening, contact us with the request ID <code>${requestId}</code>.`,
    toAccount: 'Go to your account',
  },
};
