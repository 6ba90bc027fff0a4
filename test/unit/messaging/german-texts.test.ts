import { describe, expect, test } from '@jest/globals';
import type { Language } from '../../../lib/format/language.ts';
import { texts as templates } from '../../../messaging/templates/pages/texts.ts';
import { texts as mail } from '../../../services/mail/pages/console/texts.ts';
import { texts as mailbox } from '../../../services/mail/pages/texts.ts';
import { texts as channels } from '../../../services/notification/pages/console/texts.ts';
import { texts as notification } from '../../../services/notification/texts.ts';
import { texts as files } from '../../../services/storage/pages/texts.ts';
import { runInPageContext } from '../../../web/page-context.ts';

/** The texts by their path; those with values to fill in are left out. */
function leavesOf(value: unknown, path = ''): [path: string, text: string][] {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, `${path}.${key}`));
}

/** Words that are the same in both languages, such as names, protocol terms and examples. */
const same =
  /^(?:Bucket|Buckets|Desktop|Format|Grace|HTML|ID|Link|MJML|Marketing|Microblog|Name|Newsletter|Optional|Original|Parameter|SHA-256|SMS|Social|Status|Telegram|Text|URL|Version|Website|Webhook|WhatsApp|curl|name|storage\.\w+)$/;

describe.each(Object.entries({ templates, mail, mailbox, channels, notification, files }))(
  'the German pages: %s',
  (_name, texts) => {
    const read = (language: Language) => runInPageContext({ language, theme: null }, () => leavesOf(texts()));
    const german = read('de');

    test('have no text that was left in English', () => {
      const known = new Map(german);
      expect(read('en').filter(([path, text]) => known.get(path) === text && !same.test(text))).toEqual([]);
    });

    test('quote in German, and do not shout', () => {
      expect(german.filter(([, text]) => /["“](?=\p{L})|!|\.\.\./u.test(text))).toEqual([]);
    });
  },
);
