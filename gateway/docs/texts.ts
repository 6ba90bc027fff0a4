/** The texts of the documentation's frame and reference. Its content is in docs/, in English alone. */
const en = {
  name: 'Documentation',
  code: 'Text',
  linkTo: (heading: string): string => `Link to ${heading}`,
  onThisPage: 'On this page',
  pages: 'Pages',
  console: 'Console',
  previous: 'Previous',
  next: 'Next',
  groups: { start: 'Get started', guides: 'Guides', tables: 'Look up', api: 'API reference' },
  search: {
    title: 'Search',
    label: 'Search the documentation',
    none: (words: string): string => `No page has “${words}”.`,
    noneAdvice: 'Search for another word, the path of an endpoint or the code of an error.',
    found: (count: number, words: string): string => `${count === 1 ? '1 result' : `${count} results`} for “${words}”`,
    empty: 'Type what you look for: a word, the path of an endpoint or the code of an error.',
  },
  api: {
    title: 'API reference',
    type: 'Type',
    optional: 'optional',
    body: 'Body',
    places: { path: 'Path', query: 'Query', header: 'Headers' },
    answer: (status: string): string => `Answer ${status}`,
    answerFields: (status: string): string => `Fields of the answer ${status}`,
    empty: (description: string): string => (description === 'Success' ? 'without a body' : description),
    services: 'Services',
    errors: 'Errors',
    allErrors: 'What each code means, and what to do',
    endpoints: (count: number): string => (count === 1 ? '1 endpoint' : `${count} endpoints`),
    types: {
      any: 'any value',
      or: ' or ',
      listOf: (items: string): string => `list of ${items}`,
      characters: (least: number, most: number): string =>
        least > 0 ? `${least} to ${most} characters` : `at most ${most} characters`,
      between: (least: number, most: number): string => `${least} to ${most}`,
      atLeast: (least: number): string => `at least ${least}`,
    },
    key: {
      label: 'API key for requests from this page',
      hint: 'The page sends it to this platform only, and forgets it when you leave. Requests change real data.',
    },
    try: { title: 'Try it', send: 'Send request', answer: 'Answer' },
  },
  notFound: { title: 'Page not found', words: 'The documentation has no page at this address.', back: 'Documentation' },
};

export const texts = (): typeof en => en;
