import { describe, expect, test } from '@jest/globals';
import { compileContent } from '../../../messaging/templates/compile.ts';
import type { Content, Variable } from '../../../messaging/templates/content.ts';
import { inGerman as inGermanForTemplates } from '../../../messaging/templates/pages/problems-de.ts';
import { inGerman as inGermanForChannels } from '../../../services/notification/pages/console/problems-de.ts';

const variables: Variable[] = [{ name: 'name', required: false, sample: 'Grace' }];

async function problemsOf(content: Content): Promise<string[]> {
  const made = await compileContent(content, variables, []);
  return 'problems' in made ? made.problems.map(({ message }) => inGermanForTemplates(message)) : [];
}

describe('a problem of a template is said in German', () => {
  test.each<[Content, string]>([
    [{ text: '{{ nope }}' }, 'Die Variable nope wird verwendet, ist aber nicht angelegt.'],
    [{ text: '{{ name' }, 'Die Ausgabe „{{ name“ ist nicht geschlossen, Zeile 1, Spalte 1'],
    [{ text: '{% if name %}a' }, 'Das Tag „{% if name %}“ ist nicht geschlossen, Zeile 1, Spalte 1'],
    [{ text: 'a\n{% else %}' }, 'Das Tag „else“ ist hier nicht bekannt, Zeile 2, Spalte 1'],
    [{ text: '{{ name | shout }}' }, 'Den Filter shout gibt es nicht, Zeile 1, Spalte 1'],
    [{ text: '{% assign x %}' }, '„=“ fehlt, Zeile 1, Spalte 12'],
    [{ html: '<script>a</script>' }, '<script> ist nicht erlaubt.'],
    [{ html: '<p onclick="a">b</p>' }, 'Das Attribut onclick führt Code aus und ist nicht erlaubt.'],
    [
      { html: '<a href="javascript:a">b</a>' },
      'Die Adresse eines Links oder Bildes muss mit http, https, mailto, tel oder sms beginnen.',
    ],
    [
      { html: '<p {{ name }}>a</p>' },
      '{{ name }} steht in einem Tag: Setzen Sie es in den Wert eines Attributs in Anführungszeichen.',
    ],
    [
      { mjml: 'a' },
      'Kein gültiges MJML: <mjml> mit <mj-body> ist erforderlich, und alle Tags müssen geschlossen sein.',
    ],
    [
      { mjml: '<mjml><mj-body><mj-section colour="a" /></mj-body></mjml>' },
      'Zeile 1, mj-section: Nicht erlaubtes Attribut: colour',
    ],
  ])('%j', async (content, sentence) => {
    expect(await problemsOf(content)).toContain(sentence);
  });

  test('and stays as it is when it is not known', () => {
    expect(inGermanForTemplates('Something new.')).toBe('Something new.');
  });
});

test.each([
  ['The webhook answered 404.', 'Der Webhook hat mit 404 geantwortet.'],
  [
    'The webhook: The host cannot be reached (ECONNREFUSED).',
    'Der Webhook: Der Host ist nicht erreichbar (ECONNREFUSED).',
  ],
  ['Telegram: The host did not answer in time.', 'Telegram: Der Host hat nicht rechtzeitig geantwortet.'],
  ['Telegram: Forbidden: bot was blocked by the user', 'Telegram: Forbidden: bot was blocked by the user'],
  ['Twilio (20003): status 401', 'Twilio (20003): Status 401'],
  ['WhatsApp (100): no reason given', 'WhatsApp (100): ohne Angabe von Gründen'],
  ['The provider telegram does not take this recipient.', 'telegram nimmt diesen Empfänger nicht an.'],
])('a problem of a channel is said in German: %s', (message, sentence) => {
  expect(inGermanForChannels(message)).toBe(sentence);
});
