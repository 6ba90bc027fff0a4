import type { Row } from './row.ts';

/** A person: login, profile, contacts, addresses, sessions, password, leaving. */
export const accountRows = {
  'me.read': {
    from: 'Endpoints, Identity',
    route: 'GET /identity/me',
    says: 'GET /identity/me with an API key gives the application it belongs to, its organization and scopes',
  },
  'first-run.made': {
    from: 'decisions, First run',
    says: 'the first start makes a user, an organization, an application and a key',
    proven: 'test/faults/identity/first-run.test.ts',
  },
  'me.user': {
    from: 'decisions, Identity',
    says: 'GET /identity/me with a session gives the user, the profile fields, and each organization with the role there',
  },
  'me.update': {
    from: 'Endpoints, Identity; Resources, User',
    route: 'PATCH /identity/me',
    says: 'PATCH /identity/me changes the profile fields it names; null clears one',
  },
  'me.fields': {
    from: 'Resources, User; decisions, Shapes',
    says: 'a profile field of a wrong form, or none of the profile, is 400 and is named',
  },
  'me.application': {
    from: 'decisions, Credentials',
    says: 'an application has no profile, contacts, addresses or sessions: 403',
  },
  'me.export': {
    from: 'decisions, Identity',
    route: 'GET /identity/me/export',
    says: 'GET /identity/me/export gives all that is stored about the user, and no secret',
  },
  'me.last-owner': {
    from: 'decisions, Identity',
    says: 'the only owner of an organization cannot delete their account: 409',
  },
  'me.delete': {
    from: 'decisions, Identity',
    route: 'DELETE /identity/me',
    says: 'DELETE /identity/me deletes the account: sessions, login and membership are gone',
  },

  'contacts.create': {
    from: 'Endpoints, Identity; Resources, Contact',
    route: 'POST /identity/me/contacts',
    says: 'POST /identity/me/contacts takes type, value, isPrimary (false when absent) and gives the contact',
  },
  'contacts.list': {
    from: 'Endpoints, Identity',
    route: 'GET /identity/me/contacts',
    says: 'GET /identity/me/contacts lists the contacts of the user',
  },
  'contacts.update': {
    from: 'Endpoints, Identity',
    route: 'PATCH /identity/me/contacts/:contactId',
    says: 'PATCH /identity/me/contacts/:contactId changes value and isPrimary, nothing else',
  },
  'contacts.remove': {
    from: 'Endpoints, Identity',
    route: 'DELETE /identity/me/contacts/:contactId',
    says: 'DELETE /identity/me/contacts/:contactId removes it: 204, then 404',
  },
  'contacts.types': {
    from: 'Resources, Contact',
    says: 'type is one of phone, email, chatapp, photoapp, socialapp, microblog, and the value of that type',
  },
  'contacts.primary': {
    from: 'decisions, Identity',
    says: 'a type has one primary contact: its first, until another is made primary',
  },
  'contacts.login': {
    from: 'decisions, Identity',
    says: 'the login email is a contact that can be neither removed nor changed: 409',
  },
  'contacts.foreign': { from: 'decisions, Shapes', says: "another user's contact or address is 404" },
  'contacts.verification': {
    from: 'issue 5, part 1',
    route: 'POST /identity/me/contacts/:contactId/verification',
    says: 'POST /identity/me/contacts/:contactId/verification has a link mailed to an email contact: 202',
  },
  'contacts.confirmed': {
    from: 'issue 5, part 1',
    says: 'the mailed link confirms the contact, once, for the user who added it',
    proven: 'test/integration/identity/accounts-contacts.test.ts',
  },
  'login-email.change': {
    from: 'issue 5, part 1',
    route: 'PUT /identity/me/login-email',
    says: 'PUT /identity/me/login-email takes a confirmed email contact of the user alone, with the password',
  },
  'addresses.create': {
    from: 'Endpoints, Identity; Resources, Address',
    route: 'POST /identity/me/addresses',
    says: 'POST /identity/me/addresses takes the six fields and gives the address',
  },
  'addresses.list': {
    from: 'Endpoints, Identity',
    route: 'GET /identity/me/addresses',
    says: 'GET /identity/me/addresses lists the addresses of the user',
  },
  'addresses.update': {
    from: 'Endpoints, Identity',
    route: 'PATCH /identity/me/addresses/:addressId',
    says: 'PATCH /identity/me/addresses/:addressId changes the fields it names',
  },
  'addresses.remove': {
    from: 'Endpoints, Identity',
    route: 'DELETE /identity/me/addresses/:addressId',
    says: 'DELETE /identity/me/addresses/:addressId removes it: 204, then 404',
  },
  'addresses.fields': {
    from: 'Resources, Address',
    says: 'type is one of home, work, billing, shipping, country a two-letter code, and no text is endless',
  },

  'sessions.list': {
    from: 'decisions, Identity',
    route: 'GET /identity/me/sessions',
    says: 'GET /identity/me/sessions lists where the user is logged in, never a token',
  },
  'sessions.revoke': {
    from: 'decisions, Identity',
    route: 'DELETE /identity/me/sessions/:id',
    says: 'DELETE /identity/me/sessions/:id ends a session: it is refused within a second',
  },
  'sessions.revoke-others': {
    from: 'issue 5, part 1',
    route: 'DELETE /identity/me/sessions',
    says: 'DELETE /identity/me/sessions ends all but the one that asks',
  },
  'sessions.origin': {
    from: 'decisions, Credentials',
    says: 'with the session cookie all but GET needs the Origin of the platform: else 403',
  },
  'sessions.lifetime': {
    from: 'decisions, Identity',
    says: 'a session ends 30 days after its last use, and 90 after the login',
    proven: 'test/integration/identity/sessions.test.ts',
  },
  'password.change': {
    from: 'decisions, Identity',
    route: 'PUT /identity/me/password',
    says: 'PUT /identity/me/password takes the current and a new one, and ends the other sessions',
  },
  'password.rules': {
    from: 'decisions, Identity',
    says: 'a password has 8 to 256 characters and is none of the common ones: 400',
  },
  'login.page': {
    from: 'Endpoints, Identity; Authentication 1',
    says: 'GET /self-service/login/browser shows the login page; after it a session cookie is set and the browser is at return_to',
  },
  'login.cookie': {
    from: 'Authentication 1; issue 5, Bad input',
    says: 'the cookie is unreadable for scripts and sent to this site alone',
  },
  'login.form-token': {
    from: 'issue 5, part 1',
    says: 'a form without its token, or with that of another browser, logs nobody in',
  },
  'login.new-session': {
    from: 'issue 5, Bad input',
    says: 'a login makes a new session, adopts none, and ends the former one of the browser',
  },
  'account.page': {
    from: 'issue 5, part 1',
    says: '/account is the page of whoever is logged in; others log in first',
  },
  'login.return-to': {
    from: 'decisions, Identity',
    says: 'return_to leads to the platform, and to a client’s origin after a page that names it; compared exactly; anything else is 400',
  },
  'login.refusal': {
    from: 'decisions, Identity',
    says: 'a wrong password and an address without an account are refused in the same words',
  },
  'login.lock-out': {
    from: 'decisions, Identity',
    says: 'ten failures lock an address out, whether or not it has an account',
  },
  'login.logout': { from: 'issue 5, part 1', says: '/self-service/logout/browser asks, then ends the session' },
  'registration.silent': {
    from: 'decisions, Identity',
    says: 'registration and recovery say the same for an address with an account and for one without',
  },
  'registration.mailed': {
    from: 'issue 5, part 1',
    says: 'the mailed link makes the account, once',
    proven: 'test/integration/identity/accounts-registration.test.ts',
  },
  'recovery.mailed': {
    from: 'issue 5, part 1',
    says: 'the mailed link sets a new password, once, and ends all sessions',
    proven: 'test/integration/identity/accounts-recovery.test.ts',
  },
} as const satisfies Record<string, Row>;
