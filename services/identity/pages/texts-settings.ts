import { html } from '../../../web/html.ts';

/** The console's settings of an organization. */
export const consoleSettings = {
  title: 'Settings',
  sections: { general: 'General', retention: 'Data retention', danger: 'Danger zone' },
  general: {
    words: 'The name that members and invited people see.',
    name: 'Name',
    nameMissing: 'Enter a name.',
    submit: 'Save changes',
    slug: 'Slug',
    slugHint: 'Part of the addresses of this console and of the API. It can’t be changed.',
    slugName: 'slug',
    id: 'Organization ID',
    idHint: html`Your backend sends it as <code>x-tenant-id</code>.`,
    idName: 'organization ID',
    created: 'Created',
  },
  retention: {
    words: 'How long data is kept before it is deleted. Your plan decides.',
    customers: 'Events, stories and conversations',
    audit: 'Audit log',
    days: (days: string, count: number): string => (count === 1 ? '1 day' : `${days} days`),
    unknown: html`<span class="quiet">Not available right now</span>`,
    hint: 'A smaller plan shortens these times 30 days after the change.',
    plan: 'Compare plans',
  },
  danger: {
    words: 'These can’t be undone.',
    remove: {
      title: 'Delete organization',
      words: 'Deletes this organization with everything in it:',
      consequences: [
        'Members lose access, and API keys and OAuth clients stop working, within a second.',
        'Applications, events, stories, files, email and conversations are erased.',
        'The subscription ends immediately.',
        'The slug stays taken. Invoices and the audit log are kept.',
      ],
      ownersOnly: 'Only an owner can delete the organization.',
      confirm: (slug: string): string => `Enter ${slug} to confirm`,
      confirmWrong: (slug: string): string => `Enter ${slug} exactly as it is written here.`,
      submit: 'Delete organization',
    },
  },
  lacks: (permission: string): string => `Your role lacks ${permission}. An owner or an admin can give it to you.`,
  notices: { saved: 'Changes saved.' },
};
