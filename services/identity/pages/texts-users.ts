import { type Content, html } from '../../../web/html.ts';

/** The words that several pages about members share. */
const shared = {
  /** The roles of members, as a form and a badge show them. */
  roles: { owner: 'Owner', admin: 'Admin', member: 'Member' },
  lacks: (permission: string): string => `Your role lacks ${permission}. An owner or an admin can give it to you.`,
  refusals: {
    LAST_OWNER: 'This is the only owner who is not suspended. Make another member an owner first.',
    OWN_MEMBERSHIP: 'You can’t suspend yourself. Ask another admin, or leave the organization.',
    OWNER_REQUIRED: 'Only an owner can do this to an owner, or make a member an owner.',
    SCOPE_NOT_HELD:
      'This member may do things that you may not. Only someone who holds all their permissions can do this.',
    ALREADY_MEMBER: 'This person is a member already.',
    INVITATION_PENDING: 'This address has an open invitation. Send it again, or revoke it first.',
    INVITATION_NOT_OPEN: 'This invitation was accepted or revoked, or has expired.',
  },
};

/** The list of the users of an organization. */
const list = {
  title: 'Users',
  lead: 'Everyone who is a member of this organization.',
  invite: 'Invite member',
  label: 'Users',
  file: 'users',
  search: 'Search users',
  placeholder: 'Name, email, phone or user ID',
  columns: { name: 'Name', email: 'Email', role: 'Role', state: 'State', lastLogin: 'Last login', created: 'Created' },
  states: { active: 'Active', suspended: 'Suspended' },
  never: 'Never',
  summary: (role: string, lastLogin: Content) => html`${role}, ${lastLogin}`,
  neverLoggedIn: 'never logged in',
  you: 'You',
  none: {
    title: 'No users found',
    words: (search: string) =>
      html`Nothing matches <bdi>${search}</bdi>. Names and login emails are found by their beginning, telephone numbers and other emails as a whole.`,
  },
  alone: {
    title: 'You are the only member',
    words: 'Invite people who run the organization with you. They get a link by email, which works for 7 days.',
    code: 'curl',
  },
  notices: { removed: 'Member removed. They have no access to this organization.' },
};

/** The pages of one user. */
const user = {
  idName: 'user ID',
  tabs: {
    label: 'User',
    overview: 'Overview',
    access: 'Access',
    sessions: 'Sessions',
    messages: 'Messages',
    audit: 'Audit',
  },
  you: 'You',
  notices: {
    role: 'Role changed.',
    suspended: 'Member suspended. They have no access to this organization.',
    restored: 'Suspension ended. The member has the same roles as before.',
    recovery: 'Email sent. Its link works for one hour.',
    'session-ended': 'Session ended.',
    'sessions-ended': 'All sessions ended.',
  },
  facts: {
    title: 'Details',
    email: 'Login email',
    confirmed: 'confirmed',
    notConfirmed: 'not confirmed',
    role: 'Role',
    state: 'State',
    suspendedSince: (time: Content) => html`Suspended since ${time}`,
    joined: 'Joined',
    created: 'Account created',
    lastLogin: 'Last login',
  },
  contacts: {
    title: 'Contacts',
    lead: 'Contacts other than the login email are private, and shown shortened.',
    columns: { value: 'Value', type: 'Type', state: 'State', added: 'Added' },
    confirmed: 'Confirmed',
    waiting: 'Not confirmed',
    none: 'No contacts yet.',
  },
  recovery: {
    submit: 'Send recovery email',
    question: (name: string) => `Send ${name} a recovery email?`,
    consequence: 'They get a link to choose a new password. Until they use it, nothing changes.',
    confirm: 'Send email',
  },
  role: {
    title: 'Role',
    label: 'Role',
    submit: 'Change role',
    question: (name: string) => `Change the role of ${name}?`,
    consequence: 'What they may do changes within a second.',
    confirm: 'Change role',
  },
  zone: {
    title: 'Danger zone',
    suspend: {
      name: 'Suspend',
      words: 'Takes away all access to this organization until you end the suspension.',
      submit: 'Suspend',
      question: (name: string) => `Suspend ${name}?`,
      consequence: 'They lose all access to this organization within a second. Their roles stay for later.',
      confirm: 'Suspend',
    },
    restore: {
      name: 'End suspension',
      words: 'The member has the same roles as before.',
      submit: 'End suspension',
      question: (name: string) => `End the suspension of ${name}?`,
      consequence: 'They have the same access as before the suspension.',
      confirm: 'End suspension',
    },
    remove: {
      name: 'Remove from organization',
      words: 'Ends the membership with all roles. The account stays.',
      submit: 'Remove',
      question: (name: string) => `Remove ${name} from the organization?`,
      consequence: 'They lose all access and all roles here. To come back, they need a new invitation.',
      confirm: 'Remove',
    },
    leave: {
      name: 'Leave organization',
      words: 'Ends your membership with all roles. Your account stays.',
      submit: 'Leave',
      question: () => 'Leave this organization?',
      consequence: 'You lose all access and all roles here. To come back, you need a new invitation.',
      confirm: 'Leave',
    },
  },
  sessions: {
    title: 'Sessions',
    none: 'Not logged in anywhere.',
    current: 'This browser',
    origin: (address: string, lastUsed: Content) => html`${address}, last used ${lastUsed}`,
    since: (time: Content) => html`Since ${time}`,
    end: {
      submit: 'End session',
      question: (device: string) => `End the session in ${device}?`,
      consequence: 'That browser is logged out. They can log in again.',
      confirm: 'End session',
    },
    endAll: {
      submit: 'End all sessions',
      question: (name: string) => `End all sessions of ${name}?`,
      consequence: 'They are logged out everywhere, also from other organizations. They can log in again.',
      confirm: 'End all',
    },
  },
  messages: {
    title: 'Messages',
    all: 'All messages to this address',
    hint: 'These are the last messages to the login address. Other addresses of a user are private.',
    none: 'No mail was sent to this user yet.',
    away: 'The mail cannot be read at the moment. Reload the page in a minute.',
    noSubject: 'No subject',
    columns: { subject: 'Subject', state: 'State', accepted: 'Accepted' },
  },
  audit: {
    title: 'Audit',
    none: 'Nothing is recorded about this user here.',
    change: (before: string, after: string) => `${before} → ${after}`,
    times: (count: number) => (count === 1 ? 'once' : `${count} times`),
  },
  access: {
    roles: 'Roles',
    suspended: 'This member is suspended: no role is in force, and every check is denied.',
    since: (time: Content) => html`Since ${time}`,
    until: (time: Content) => html`until ${time}`,
    permissions: 'Permissions',
    permissionsLead: (name: Content) => html`Everything that ${name} may do here. Choose one to see why.`,
    permissionsNone: 'No permissions.',
    ask: {
      title: (name: Content) => html`Check access of ${name}`,
      label: 'Permission',
      submit: 'Ask why',
      placeholder: 'storage.delete',
    },
    yes: (name: Content, permission: string) => html`Yes, ${name} has <code>${permission}</code>.`,
    no: (name: Content, permission: string) => html`No, ${name} lacks <code>${permission}</code>.`,
    reasons: {
      SUSPENDED: 'The membership is suspended.',
      PERMISSION_UNKNOWN: 'The organization has no such permission.',
      NOT_GRANTED: 'None of their roles includes it.',
      EXPIRED: 'The role that included it has expired.',
    },
    member: 'Member of this organization',
    assigned: 'Assigned role',
    included: 'Included in the role above',
    granted: 'In this role',
    wouldGrant: (roles: string) => `Roles that would give it: ${roles}.`,
  },
};

/** The invitations of an organization. */
const invitations = {
  title: 'Invitations',
  lead: 'An invitation is a link by email. It works for 7 days, once, and only for the owner of that address.',
  form: {
    title: 'Invite member',
    email: 'Email',
    emailMissing: 'Enter an email address.',
    role: 'Role',
    submit: 'Send invitation',
  },
  label: 'Invitations',
  file: 'invitations',
  sent: 'Sent',
  states: { pending: 'Open', accepted: 'Accepted', revoked: 'Revoked', expired: 'Expired' },
  by: (role: string, inviter: Content, time: Content) => html`${role}, invited by ${inviter}, ${time}`,
  formerUser: 'a former user',
  formerApplication: 'a deleted application',
  expires: (time: Content) => html`Expires ${time}`,
  resend: {
    submit: 'Resend',
    name: (email: string) => `Resend the invitation to ${email}`,
    question: (email: string) => `Send ${email} a new link?`,
    consequence: 'The previous link stops working. The new one works for 7 days.',
    confirm: 'Send link',
  },
  revoke: {
    submit: 'Revoke',
    name: (email: string) => `Revoke the invitation to ${email}`,
    question: (email: string) => `Revoke the invitation to ${email}?`,
    consequence: 'Its link stops working. You can invite the person again.',
    confirm: 'Revoke',
  },
  none: {
    title: 'No invitations yet',
    words: 'People whom you invite are listed here until they accept.',
    code: 'curl',
  },
  notices: {
    invited: 'Invitation sent.',
    resent: 'Invitation sent again. The previous link no longer works.',
    revoked: 'Invitation revoked.',
  },
};

/** The bulk actions of both lists. */
const bulk = {
  labels: { users: 'Selected users', invitations: 'Selected invitations' },
  none: 'Select at least one row.',
  tooMany: (maximum: number) => `Select at most ${maximum} rows.`,
  cancel: 'Cancel',
  outcomes: 'Outcome of each row',
  refused: 'Refused',
  noneDone: 'Nothing was changed. The list says why.',
  summary: (done: number, refused: number) =>
    refused === 0 ? `All ${done} done.` : `${done} done, ${refused} refused. Refused rows are as before.`,
  gone: 'This organization no longer has it.',
  back: 'Back to the list',
  users: {
    suspend: {
      submit: user.zone.suspend.submit,
      question: (count: number) => (count === 1 ? 'Suspend 1 member?' : `Suspend ${count} members?`),
      consequence: user.zone.suspend.consequence,
      title: 'Suspend members',
      done: 'Suspended',
    },
    restore: {
      submit: user.zone.restore.submit,
      question: (count: number) =>
        count === 1 ? 'End the suspension of 1 member?' : `End the suspension of ${count} members?`,
      consequence: user.zone.restore.consequence,
      title: 'End suspensions',
      done: 'Active',
    },
  },
  invitations: {
    resend: {
      submit: invitations.resend.submit,
      question: (count: number) => (count === 1 ? 'Resend 1 invitation?' : `Resend ${count} invitations?`),
      consequence: 'Each person gets a new link, which works for 7 days. The previous links stop working.',
      title: 'Resend invitations',
      done: 'Sent again',
    },
    revoke: {
      submit: invitations.revoke.submit,
      question: (count: number) => (count === 1 ? 'Revoke 1 invitation?' : `Revoke ${count} invitations?`),
      consequence: 'Their links stop working. You can invite the people again.',
      title: 'Revoke invitations',
      done: 'Revoked',
    },
  },
};

/** The pages of the console about users and invitations. */
export const people = { ...shared, list, user, invitations, bulk };
