import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Language, languages } from '../../../lib/format/language.ts';
import { escapeHtml, renderSystemMail, type SystemMail, systemMail } from '../../../services/mail/system-mail.ts';
import { contrast } from '../../../web/theme.ts';
import { anyCodePoint } from '../../support/code-points.ts';

const link = 'https://platform.example/self-service/confirm?token=abc_-123';
const ofPlan = { organizationName: 'Blue Mugs', plan: 'Pro', billingLink: link };
const mails: SystemMail[] = [
  { template: 'registration', variables: { link } },
  { template: 'registration-existing', variables: { loginLink: `${link}&l`, recoveryLink: `${link}&r` } },
  { template: 'recovery', variables: { link } },
  { template: 'email-verification', variables: { link } },
  {
    template: 'invitation',
    variables: { link, organizationName: 'Blue Mugs', inviterName: 'Ada Moreau', role: 'admin' },
  },
  { template: 'password-changed', variables: { recoveryLink: link } },
  { template: 'login-email-changed', variables: { newEmail: 'new@example.com' } },
  { template: 'payment-failed', variables: { ...ofPlan, graceUntil: '2032-03-07T23:59:59.999Z' } },
  { template: 'subscription-canceled', variables: { ...ofPlan, endsAt: '2032-03-07T00:00:00.000Z' } },
  { template: 'subscription-ended', variables: ofPlan },
  { template: 'subscription-expired', variables: { ...ofPlan, freeFrom: '2032-03-07T12:00:00.000Z' } },
  {
    template: 'quota-warning',
    variables: {
      organizationName: 'Blue Mugs',
      what: 'events today',
      percent: '80',
      used: '800',
      limit: '1,000',
      billingLink: link,
    },
  },
];
const days = { en: '7 March 2032', de: '7. März 2032' };
/** An instant is told as its day, by UTC. */
function shownAs(value: string, language: Language): string {
  if (value.startsWith('2032-03-07T')) return days[language];
  return value === 'admin' && language === 'de' ? 'Administrator' : value;
}

/** The sentence for those who did not ask for the mail. */
const unasked = { en: /If (?:you|this|it) /, de: /Wenn Sie / };

const envelope = { key: 'one', to: 'ada@example.com', orgId: null };
const parse = (mail: object) => systemMail.safeParse({ ...envelope, ...mail });

describe("the platform's own mails", () => {
  test('are all shown here', () => {
    const known = systemMail.options.map(({ shape }) => [...shape.template.values][0]);
    expect(mails.map(({ template }) => template).sort()).toEqual(known.sort());
  });

  test.each(languages.flatMap((language) => mails.map((mail) => [mail.template, language, mail] as const)))(
    '%s says everything in text and in HTML: %s',
    (_, language, mail) => {
      expect(parse({ ...mail, language }).success).toBe(true);
      const { subject, html, text } = renderSystemMail({ ...mail, language });
      for (const value of Object.values(mail.variables)) {
        expect(text).toContain(shownAs(value, language));
        expect(html).toContain(escapeHtml(shownAs(value, language)));
      }
      expect(html).toContain(`<html lang="${language}">`);
      expect(subject).toMatch(/^\S.{5,80}$/);
      expect(html).toContain(`<title>${escapeHtml(subject)}</title>`);
      expect(html).toContain('name="color-scheme" content="light dark"');
      // Nothing is loaded, and nothing is lost where pictures are not shown.
      expect(html).not.toMatch(/<(?:img|script|link|style|form|iframe)\b|url\(/);
      expect(text).not.toMatch(/<[a-z]/);
      expect(text).toMatch(unasked[language]);
    },
  );

  test('are English without a language, and have other words in German', () => {
    for (const mail of mails) {
      expect(parse(mail).data?.language).toBe('en');
      const english = renderSystemMail(mail);
      expect(english).toEqual(renderSystemMail({ ...mail, language: 'en' }));
      expect(english.html).toContain('lang="en"');
      expect(renderSystemMail({ ...mail, language: 'de' }).subject).not.toBe(english.subject);
    }
    expect(parse({ ...mails[0], language: 'tlh' }).success).toBe(false);
  });

  test('give each link as something to press and in plain', () => {
    for (const mail of mails) {
      const { html, text } = renderSystemMail(mail);
      const links = Object.values(mail.variables).filter((value) => value.startsWith('https:'));
      for (const one of links) {
        expect(html).toContain(`href="${escapeHtml(one)}"`);
        expect(html).toContain(`>${escapeHtml(one)}</a>`);
        expect(text.split('\n')).toContain(one);
      }
    }
  });

  test('never hold an unescaped value', () => {
    const hostile = fc.oneof(
      fc.string({ unit: anyCodePoint, minLength: 1, maxLength: 100 }),
      fc.constantFrom('<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', "' onmouseover='x", '&lt;b&gt;'),
      fc
        .array(fc.constantFrom('<', '>', '"', "'", '&', 'a', '/', '=', ' ', '`'), { minLength: 1 })
        .map((c) => c.join('')),
    );
    fc.assert(
      fc.property(hostile, hostile, hostile, (organizationName, inviterName, role) => {
        const variables = { link, organizationName, inviterName, role };
        const { html } = renderSystemMail({ template: 'invitation', variables });
        const plain = renderSystemMail({
          template: 'invitation',
          variables: { link, organizationName: 'o', inviterName: 'i', role: 'r' },
        });
        // Markup is the template's alone: the same tags, in the same order, whatever the values are.
        expect(tagsOf(html)).toEqual(tagsOf(plain.html));
        expect(html.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, '')).not.toContain('&');
      }),
    );
  });

  test('have the logo and the colour of the organization that invites, below the name of the platform', () => {
    const { template, variables } = mails[4]!;
    const logoUrl = 'https://platform.example/organizations/mugs/logo/logo_1?a=1&b=2';
    const organization = { name: 'Blue "Mugs"', logoUrl, color: '#ffee00' };
    const html = (more: object) => renderSystemMail(parse({ template, variables, ...more }).data!).html;
    const image = `<img src="${escapeHtml(logoUrl)}" alt="Blue &quot;Mugs&quot;" height="48"`;
    const branded = html({ organization });
    expect(branded).toContain(image);
    expect(branded.indexOf('>Platform<')).toBeLessThan(branded.indexOf(image));
    const [, fill, text] = /background-color:(#[0-9a-f]{6});color:(#[0-9a-f]{6})/.exec(branded)!;
    expect(contrast(fill!, text!)).toBeGreaterThanOrEqual(4.5);
    expect(html({ organization: { ...organization, logoUrl: null } })).not.toContain('<img');
    expect(html({ organization: { name: 'Mugs', logoUrl: null, color: null } })).toBe(html({}));
    for (const wrong of [{ color: 'red;' }, { logoUrl: 'javascript:alert(1)' }, { name: '' }]) {
      expect(parse({ template, variables, organization: { ...organization, ...wrong } }).success).toBe(false);
    }
  });

  test('have subjects of one line for every name that is taken', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCodePoint, minLength: 1, maxLength: 100 }), (organizationName) => {
        const parsed = parse({
          template: 'invitation',
          variables: { link, organizationName, inviterName: 'Ada', role: 'admin' },
        });
        if (!parsed.success) return;
        expect(renderSystemMail(parsed.data).subject).not.toMatch(/[\p{Cc}\u2028\u2029\u202a-\u202e]/u);
      }),
    );
  });
});

const tagsOf = (html: string): string[] => html.match(/<[^>]*>/g) ?? [];

describe('a request for a mail', () => {
  test.each([
    ['a name of two lines', { organizationName: 'Mugs\r\nBcc: all@example.com' }],
    ['a name with a line separator', { inviterName: 'Ada\u2028Bcc' }],
    ['an empty name', { inviterName: '' }],
    ['a script for a link', { link: 'javascript:alert(1)' }],
    ['a link of two lines', { link: 'https://platform.example/\r\nx' }],
    ['a link with a space', { link: 'https://platform.example/ x' }],
    ['a variable that the template does not have', { extra: 'x' }],
    ['a variable missing', { role: undefined }],
  ])('is refused with %s', (_what, change) => {
    const { variables } = mails[4]!;
    expect(parse({ template: 'invitation', variables: { ...variables, ...change } }).success).toBe(false);
  });

  test.each([
    'ada@example.com\r\nBcc: all@example.com',
    'ada@example.com, bob@example.com',
    'ada@example.com;bob@example.com',
    'Ada <ada@example.com>',
    '<ada@example.com>',
    '"ada\\" x"@example.com',
    'ada@example.com>\r\nRCPT TO:<bob@example.com',
    'ada @example.com',
    'ada@exam\u0000ple.com',
    'ada@bob@example.com',
    'ada',
    '@example.com',
    `${'a'.repeat(243)}@example.com`,
  ])('is refused with the address %j', (to) => {
    expect(parse({ ...mails[0], to }).success).toBe(false);
  });

  test.each([
    'ada@example.com',
    'ada+shop@example.com',
    'josé@exämple.example',
    'admin@localhost',
    "o'neil@example.com",
  ])('is taken with the address %j', (to) => {
    expect(parse({ ...mails[0], to }).success).toBe(true);
  });

  test('loses the marks by which a name would turn the direction of the sentence', () => {
    const variables = { link, organizationName: 'Blue\u202e Mugs', inviterName: 'Ada', role: 'admin' };
    expect(parse({ template: 'invitation', variables }).data).toMatchObject({
      variables: { organizationName: 'Blue Mugs' },
    });
  });
});
