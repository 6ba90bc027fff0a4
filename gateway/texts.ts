import { catalogue } from '../web/catalogue.ts';
import { html } from '../web/html.ts';
import { de } from './texts-de.ts';

/** The texts of the page at the platform's address. */
export const en = {
  front: {
    title: 'Home',
    pages: 'Pages',
    start: 'Start here',
    docs: 'Docs',
    logIn: 'Log in',
    register: 'Create account',
    closed: {
      mail: 'New accounts cannot be created here now, because this platform sends no mail.',
      invitation: 'New accounts need an invitation. Ask an owner or admin of your organization.',
    },
    heading: 'Accounts, billing, files and messages behind one API',
    lede: (name: string): string =>
      `${name} has logins and organizations, permissions, plans and invoices, files, mail, notifications, customer stories and website chat. Each service has a REST API, and all share one console.`,
    request: 'Request',
    answer: 'Answer',
    needsNoKey: html`This request needs no key. The next ones are in <a href="/docs/start">Get started</a>.`,
    doors: {
      console: { name: 'Console', words: 'Users, roles, keys, files, mail, stories, billing' },
      docs: { name: 'Documentation', words: 'Quickstarts for curl, Express and Next.js, and guides' },
      reference: { name: 'API reference', words: 'Each endpoint with examples, to try on the page' },
      openapi: { name: 'API description', words: 'OpenAPI 3.1, for generators and tools' },
      openid: { name: 'OpenID discovery', words: 'For OAuth libraries' },
    },
    services: {
      title: 'Services',
      list: {
        identity: 'Logins, users and API keys',
        access: 'Roles and permissions',
        billing: 'Plans and invoices',
        context: 'Events and customer stories',
        storage: 'Files and images',
        mail: 'Mail by template',
        notification: 'Chat apps and SMS',
        connect: 'Website chat',
      },
    },
  },
};

export const texts = catalogue({ en, de });
