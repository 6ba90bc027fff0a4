import { catalogue } from '../../../web/catalogue.ts';
import { type Html, html } from '../../../web/html.ts';
import { de } from './texts-de.ts';

/** The English texts of the pages of templates. */
export const en = {
  title: 'Templates',
  kinds: {
    mail: {
      lead: 'The mail that your product sends, with variables that each message fills in.',
      label: 'Mail templates',
      empty: {
        title: 'No mail templates yet',
        words: 'Begin with a receipt, a welcome or an invitation, and change it to your own.',
      },
      newLead: 'The template is a draft until you publish it.',
      blank: 'A subject and a line of text.',
      published: 'Published. New mail uses this version.',
      remove: 'New mail can no longer use it. Mail that was accepted before is still sent.',
      test: {
        words: 'Sends the latest saved version with the samples. A test uses one unit of the plan.',
        sent: 'Test accepted. Messages shows what becomes of it.',
      },
    },
    notification: {
      lead: 'The notifications that your product sends to chats, phones, websites and webhooks.',
      label: 'Notification templates',
      empty: {
        title: 'No notification templates yet',
        words: 'Begin with an order, an appointment or a one-time code, and change it to your own.',
      },
      newLead: 'The template is a draft until you publish it.',
      blank: 'A line of text.',
      published: 'Published. New notifications use this version.',
      remove: 'New notifications can no longer use it. Those that were accepted before are still sent.',
      test: {
        words:
          'Sends the latest saved version with the samples by a connected channel. A test uses one unit of the plan.',
        sent: 'Test sent.',
      },
    },
  },
  create: 'New template',
  search: 'Find by the beginning of the name',
  notFound: {
    title: 'No templates found',
    words: (search: string): Html => html`No name begins with “<bdi>${search}</bdi>”.`,
  },
  columns: { name: 'Name', state: 'State', version: 'Version', locales: 'Languages', changed: 'Changed' },
  states: {
    draft: 'Draft',
    live: (version: number) => `Version ${version} live`,
    ahead: (live: number, latest: number) => `Version ${live} live, ${latest} draft`,
  },
  version: (version: number) => `Version ${version}`,
  defaultLocale: 'Default',
  notices: {
    created: 'Template created as a draft.',
    saved: 'Draft saved.',
    unchanged: 'Nothing has changed.',
    deleted: 'Template deleted.',
    'language-removed': 'Language removed in a new draft.',
  },
  form: {
    title: 'New template',
    name: 'Name',
    nameHint: 'For you. Recipients do not see it.',
    nameMissing: 'Enter a name.',
    starter: 'Begin with',
    starterWrong: 'Choose one of these.',
    blank: 'Blank',
    submit: 'Create template',
    blankSubject: 'Hello {{ name }}',
    blankText: 'Hello {{ name }},',
    blankVariable: 'name',
    blankSample: 'Grace',
  },
  editor: {
    label: 'Template',
    idName: 'template ID',
    changed: (time: Html): Html => html`Changed ${time}`,
    save: 'Save draft',
    publish: 'Save and publish',
    name: 'Name',
    category: 'Category',
    categories: { transactional: 'Transactional', marketing: 'Marketing' },
    outdated: (version: number) =>
      `Version ${version} was saved while you were editing. Save again to replace it with what you see here.`,
    lacks: (permission: string) => `You lack ${permission}.`,
    reading: (version: number) => `You are looking at version ${version}.`,
    toLatest: 'Open the latest version',
    /** The problem of a part, from the message of the API. */
    problem: (message: string) => message,
    elsewhere: (locale: string, part: string, message: string) => `${locale}, ${part}: ${message}`,
    unnamed: (part: string, message: string) => `${part}: ${message}`,
  },
  locales: {
    label: 'Languages',
    add: 'Add language',
    tag: 'Language tag',
    hint: 'Such as de or de-AT. It begins with the default content.',
    submit: 'Add',
    wrong: 'Enter a language tag such as de or de-AT.',
    named: (name: string, tag: string) => `${name} (${tag})`,
    adding: (name: string) => `${name} is added when you save.`,
    remove: (name: string) => `Remove ${name}`,
    question: (name: string) => `Remove ${name}?`,
    consequence: 'A new draft is saved without it. Recipients of this language then get the default content.',
    confirm: 'Remove language',
  },
  variables: {
    title: 'Variables',
    hint: 'A template writes them as {{ name }}. Samples fill the preview and tests.',
    columns: { name: 'Name', sample: 'Sample', required: 'Required' },
    caption: 'Variables of the template',
    named: (index: number) => `Name of variable ${index}`,
    sample: (index: number) => `Sample of variable ${index}`,
    required: (index: number) => `Variable ${index} is required`,
    yes: 'Required',
    no: 'Optional',
    noSample: 'No sample',
    none: 'No variables.',
  },
  preview: {
    title: 'Preview',
    submit: 'Preview',
    samples: 'Samples',
    all: 'All samples',
    withoutOptional: 'Without optional values',
    width: 'Width',
    desktop: 'Desktop',
    phone: 'Phone',
    frame: 'Preview of the HTML',
    text: 'Plain text',
    html: 'HTML, for email',
    noSubject: 'No subject',
    failed: 'This cannot be shown yet:',
    problems: (count: number) =>
      count === 1
        ? 'Fix the marked problem to renew the preview.'
        : `Fix the ${count} marked problems to renew the preview.`,
    unavailable: 'The preview could not be renewed.',
  },
  versions: {
    title: 'Versions',
    draft: (version: Html): Html => html`${version}, draft`,
    live: (version: Html): Html => html`${version}, live`,
    noSubject: 'No subject',
    locales: (tags: string) => `Also in ${tags}`,
    publish: 'Publish',
    publishNamed: (version: number) => `Publish version ${version}`,
    older: 'Older versions',
  },
  test: { title: 'Send a test', submit: 'Send test', link: 'Send test' },
  remove: {
    title: 'Delete this template',
    submit: 'Delete template',
    question: (name: string) => `Delete ${name}?`,
    confirm: 'Delete template',
    zone: 'Danger zone',
  },
};

export const texts = catalogue({ en, de });
