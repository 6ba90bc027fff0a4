import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  type CompiledContent,
  type Content,
  pickLocale,
  type RenderedContent,
} from '../../../messaging/templates/content.ts';
import { withSafeAddresses } from '../../../messaging/templates/safe-addresses.ts';
import { inThread, renderOnThread } from '../../../messaging/templates/thread.ts';
import { createTurnQueue, type Turn } from '../../../messaging/templates/turns.ts';

const own = { orgId: 'org', userId: 'usr' };
const names = ['name', 'link', 'colour', 'lines'];
const variables = names.map((name) => ({
  name,
  required: false,
  sample: name === 'link' ? 'https://example.com' : 'x',
}));
const section = (inner: string) =>
  `<mjml><mj-body><mj-section><mj-column>${inner}</mj-column></mj-section></mj-body></mjml>`;

async function compile(content: Content): Promise<CompiledContent> {
  const result = await inThread(own, { kind: 'compile', content, variables, builtIn: [] });
  if ('problems' in result) throw new Error(JSON.stringify(result.problems));
  return result.compiled;
}

async function problemsOf(content: Content): Promise<string[]> {
  const result = await inThread(own, { kind: 'compile', content, variables, builtIn: [] });
  return 'problems' in result ? result.problems.map(({ path, message }) => `${path}: ${message}`) : [];
}

async function render(content: Content, values: Record<string, string> = {}): Promise<RenderedContent> {
  const compiled = await compile(content);
  const filled = { name: '', link: '', colour: '', lines: '', ...values };
  return await inThread(own, { kind: 'render', content: compiled, variables: filled });
}

describe('a template', () => {
  test('writes values escaped into HTML, as they are into text, and on one line into a subject', async () => {
    const content = { subject: 'Hi {{ name }}', html: '<p title="{{ name }}">{{ name }}</p>', text: '{{ name }}' };
    expect(await render(content, { name: `<b>"Ann" & 'Bo'</b>\r\nBcc: eve@example.com` })).toEqual({
      subject: `Hi <b>"Ann" & 'Bo'</b> Bcc: eve@example.com`,
      html: expect.stringMatching(/^<p title="&lt;b&gt;&#34;Ann&#34; &amp; &#39;Bo&#39;&lt;\/b&gt; \nBcc/),
      text: `<b>"Ann" & 'Bo'</b> \nBcc: eve@example.com`,
    });
  });

  test('cuts a text between characters as people see them', async () => {
    const name = 'Noe\u0308l \u{1f1e9}\u{1f1ea}\u{1f1eb}\u{1f1f7}!';
    const lengths = [20, 9, 8, 7, 5, 4, 3, 2];
    const text = lengths.map((length) => `{{ name | truncate: ${length}, "~" }}`).join(',');
    const cuts = [name, 'Noe\u0308l \u{1f1e9}\u{1f1ea}~', 'Noe\u0308l ~', 'Noe\u0308l ~'];
    expect((await render({ text }, { name })).text?.split(',')).toEqual([...cuts, 'Noe\u0308~', 'No~', 'No~', 'N~']);
    expect((await render({ text: '{{ name | truncate: 8 }}' }, { name: 'Ada Lovelace' })).text).toBe('Ada L...');
  });

  test('does not interpret Liquid or HTML in values', async () => {
    const name = '{{ link }}{% for i in (1..9) %}x{% endfor %}<script>';
    const { html } = await render({ html: '<p>{{ name | escape }}</p>' }, { name });
    expect(html).toBe('<p>{{ link }}{% for i in (1..9) %}x{% endfor %}&lt;script&gt;</p>');
  });

  test.each([
    ['the tag raw', { html: '{% raw %}{{ name }}{% endraw %}' }, 'html: tag "raw" not found'],
    ['the filter raw', { html: '{{ name | raw }}' }, 'html: undefined filter: raw'],
    ['the filter json', { html: '{{ name | json }}' }, 'html: undefined filter: json'],
    ['a file', { text: '{% include "/etc/passwd" %}' }, 'text: tag "include" not found'],
    ['a layout', { text: '{% layout "/etc/passwd" %}' }, 'text: tag "layout" not found'],
    ['a property', { text: '{{ name.constructor }}' }, 'undefined variable: name.constructor'],
    ['an unknown variable', { subject: '{{ nmae }}' }, 'subject: The variable nmae is used'],
    ['broken Liquid', { text: 'a {{ name' }, 'text: output "{{ name" not closed'],
    ['a value outside quotes', { html: '<a href={{ link }}>x</a>' }, 'put it into a quoted attribute value'],
    ['a value as an attribute', { html: '<a {{ name }}>x</a>' }, 'put it into a quoted attribute value'],
    ['a value as an element', { html: '<{{ name }}>x' }, 'put it into a quoted attribute value'],
    ['a value in a style sheet', { html: '<style>a { color: {{ colour }} }</style>' }, 'is inside <style>'],
    ['a script', { html: '<script>1</script>' }, '<script> is not allowed'],
    ['a script in two parts', { html: '<scr{% if name %}{% endif %}ipt>1' }, '<script> is not allowed'],
    ['a frame', { html: '<iframe src="https://example.com"></iframe>' }, '<iframe> is not allowed'],
    ['a handler', { html: '<p OnClick="x">a</p>' }, 'The attribute onclick runs code'],
    ['a refresh', { html: '<meta http-equiv="refresh" content="0">' }, '<meta http-equiv="refresh"> is not allowed'],
    ['a javascript: link', { html: '<a href="javascript:alert(1)">a</a>' }, 'address must be http'],
    ['a hidden one', { html: '<a href=" java&#x0a;script&colon;alert(1)">a</a>' }, 'address must be http'],
    ['a data: image', { html: '<img src="data:image/png;base64,AA==">' }, 'address must be http'],
    [
      'an unknown element of MJML',
      { mjml: section('<mj-foo />') },
      "mjml: Line 1, mj-foo: Element mj-foo doesn't exist",
    ],
    ['no MJML', { mjml: 'hello' }, 'mjml: Not valid MJML'],
    ['a file in MJML', { mjml: section('<mj-include path="/etc/passwd" />') }, '<mj-include> is not allowed'],
    ['an endless loop', { text: '{% for i in (1..100000000) %}x{% endfor %}' }, 'memory alloc limit exceeded'],
    ['a long loop', { text: '{% for i in (1..9999) %}{% for j in (1..9999) %}x{% endfor %}{% endfor %}' }, 'exceeded'],
    [
      'a value that doubles',
      { text: '{% assign a = name %}{% for i in (1..60) %}{% assign a = a | append: a %}{% endfor %}{{ a }}' },
      'The filter append reads or writes more',
    ],
  ])('is refused for %s', async (_what, content, message) => {
    expect((await problemsOf(content)).join('\n')).toContain(message);
  });

  test('can have a link whose address is a value, which never gets another scheme', async () => {
    const compiled = await compile({ html: '<a href="{{ link }}">a</a> <a href="https://e.com/?q={{ name }}">b</a>' });
    expect(compiled.addressVariables).toEqual(['link']);
    const values = { name: '" onclick="x', link: 'JavaScript:alert(1)', colour: '', lines: '' };
    expect(renderOnThread(compiled, values).html).toBe(
      '<a href="#">a</a> <a href="https://e.com/?q=&#34; onclick=&#34;x">b</a>',
    );
  });

  test('keeps values in style attributes to colours and lengths', async () => {
    const content = { html: '<p style="color:{{ colour }}">a</p>' };
    expect((await render(content, { colour: '#ff0080' })).html).toBe('<p style="color:#ff0080">a</p>');
    expect((await render(content, { colour: 'red;background:url(https://e.com)' })).html).toBe(
      '<p style="color:">a</p>',
    );
  });

  test('has a text of its HTML, with links and without the markup of values', async () => {
    const html =
      '<h1>Hello {{ name }}</h1><p>Open <a href="{{ link }}">the page</a>.</p><div style="display:none">x</div>';
    const { text } = await render({ html }, { name: 'Ann & Bo', link: 'https://example.com/a?b=1&c=2' });
    expect(text).toBe('Hello Ann & Bo\n\nOpen the page [https://example.com/a?b=1&c=2].');
  });

  test('is made from MJML, with the values in their places', async () => {
    const mjml = section('<mj-text>Hello {{ name }}</mj-text><mj-button href="{{ link }}">Go</mj-button>');
    const { html, text } = await render({ mjml }, { name: '<Ann>', link: 'https://example.com/go' });
    expect(html).toMatch(/<!doctype html>[\s\S]*Hello &lt;Ann&gt;[\s\S]*href="https:\/\/example\.com\/go"/);
    expect(html).not.toMatch(/fonts\.googleapis|<mj-/);
    expect(text).toMatch(/^Hello <Ann>\n+Go \[https:\/\/example\.com\/go\]$/);
  });

  test('can loop over a list in a value', async () => {
    const html = '<ul>{% assign list = lines | split: "|" %}{% for line in list %}<li>{{ line }}</li>{% endfor %}</ul>';
    expect((await render({ html }, { lines: 'a|<b>' })).html).toBe('<ul><li>a</li><li>&lt;b&gt;</li></ul>');
  });

  test('has nil for an optional variable without a value, in every part', async () => {
    const branch = '{% if name %}with {{ name }}{% else %}without{% endif %}';
    const options = { parameter: branch };
    const compiled = await compile({
      subject: branch,
      html: `<p title="${branch}">${branch}</p>`,
      text: branch,
      options,
    });
    const values = { name: null, link: null, colour: null, lines: null };
    expect(renderOnThread(compiled, values)).toEqual({
      ...{ subject: 'without', html: '<p title="without">without</p>', text: 'without' },
      options: { parameter: 'without' },
    });
    expect(renderOnThread(compiled, { ...values, name: 'Ada' })).toMatchObject({ subject: 'with Ada' });
  });

  test('can use nil with every filter, as its value and as its parameters', async () => {
    const names = [
      ...['plus', 'minus', 'times', 'at_least', 'at_most', 'abs', 'ceil', 'floor', 'round', 'append', 'prepend'],
      ...['capitalize', 'downcase', 'upcase', 'strip', 'lstrip', 'rstrip', 'strip_newlines', 'remove', 'remove_first'],
      ...['replace', 'replace_first', 'slice', 'split', 'truncate', 'truncatewords', 'url_encode', 'date', 'default'],
      ...['first', 'last', 'join', 'reverse', 'size', 'sort', 'uniq', 'compact', 'concat', 'escape', 'newline_to_br'],
    ];
    const source = names.map((name) => `{{ name | ${name}: name }}{{ "1" | ${name}: name }}`).join('');
    const compiled = await compile({
      text: `${source}{{ name | replace: name, name }}{{ name.size }}{% for one in name %}x{% endfor %}`,
    });
    const values = { name: null, link: null, colour: null, lines: null };
    expect(renderOnThread(compiled, values).text).not.toMatch(/null|undefined|NaN/);
  });

  test('fails when its values make it too large, and only then', async () => {
    const text = '{{ name }}'.repeat(60);
    await expect(render({ text }, { name: 'x'.repeat(10_000) })).rejects.toThrow('exceeds 400000 characters');
    expect((await render({ text }, { name: 'y' })).text).toBe('y'.repeat(60));
  });

  test('of a user with six organizations that is expensive delays no other user', async () => {
    // Some tenths of a second each, so that a user of two of them has no claim to the quick thread.
    const slow = {
      text: '{% for i in (1..999) %}{% for j in (1..50) %}{% if j == 0 %}x{% endif %}{% endfor %}{% endfor %}',
    };
    const work = (turn: Turn, content: Content) => inThread(turn, { kind: 'compile', content, variables, builtIn: [] });
    // Both threads run when it begins.
    await Promise.all(Array.from({ length: 2 }, (_, number) => work({ orgId: `org_${number}`, userId: 'free' }, slow)));
    const ended: string[] = [];
    const expensive = Array.from({ length: 12 }, (_, number) =>
      work({ orgId: `org_${number % 6}`, userId: 'free' }, slow).then(() => ended.push('free')),
    );
    for (const userId of ['ann', 'bob', 'eve']) {
      await work({ orgId: `org_${userId}`, userId }, { text: 'x' }).then(() => ended.push(userId));
    }
    expect(ended.length).toBeLessThan(8);
    await Promise.all(expensive);
    expect(ended).toHaveLength(15);
  });

  test.each([
    ['a format', `{{ "now" | date: "${'%A'.repeat(20_000)}" | truncate: 5 }}`, 'The format of the filter date'],
    ['a padded field', '{{ "now" | date: "%0999999999Y" | truncate: 5 }}', 'The format of the filter date'],
    [
      'a text that is multiplied',
      `{{ "${'a'.repeat(500)}" | replace: "a", "${'b'.repeat(500)}" | truncate: 5 }}`,
      'The filter replace reads or writes more',
    ],
    [
      'a text with another between its letters',
      `{{ "${'a'.repeat(500)}" | replace: nil, "${'b'.repeat(500)}" | truncate: 5 }}`,
      'The filter replace reads or writes more',
    ],
    [
      'a list that is joined',
      `{{ "${'a'.repeat(500)}" | split: "" | join: "${'b'.repeat(500)}" | truncate: 5 }}`,
      'The filter join reads or writes more',
    ],
    [
      'a long literal',
      `{{ "${'a'.repeat(100_001)}" | upcase | truncate: 5 }}`,
      'The filter upcase reads or writes more',
    ],
  ])('is refused for %s that takes much memory', async (_what, html, message) => {
    expect((await problemsOf({ html })).join('\n')).toContain(message);
  });

  test.each([
    ['elements', { html: `${'<div>'.repeat(8000)}x${'</div>'.repeat(8000)}` }],
    ['tags of Liquid', { text: `${'{% if name %}'.repeat(8000)}x${'{% endif %}'.repeat(8000)}` }],
    ['MJML', { mjml: section(`<mj-text>${'<b>'.repeat(8000)}x${'</b>'.repeat(8000)}</mj-text>`) }],
  ])('with 8,000 levels of %s is refused', async (_what, content) => {
    expect(await problemsOf(content)).not.toEqual([]);
  });

  test('with hundreds of elements that are not closed, and with 400 levels, is taken', async () => {
    const html = `<ul>${'<li>x'.repeat(600)}</ul>${'<p>x<br>'.repeat(600)}${'<b>'.repeat(400)}x${'</b>'.repeat(400)}`;
    expect(await problemsOf({ html })).toEqual([]);
  });
});

describe('the turns of templates', () => {
  const jobs = (
    queue: ReturnType<typeof createTurnQueue<{ turn: Turn }>>,
    userId: string,
    ...organizations: string[]
  ) => {
    for (const orgId of organizations) queue.add({ turn: { orgId, userId } });
  };

  test('go to the user who used the threads least, and then from one organization of the user to the next', () => {
    const clock = { now: 0 };
    const queue = createTurnQueue<{ turn: Turn }>(() => clock.now);
    jobs(queue, 'free', 'a', 'a', 'b', 'c');
    jobs(queue, 'other', 'x', 'x');
    const served: string[] = [];
    for (let job = queue.next(false); job; job = queue.next(false)) {
      served.push(job.turn.orgId);
      queue.charge(job.turn, job.turn.userId === 'free' ? 1000 : 300);
    }
    expect(served.join('')).toBe('axxbca');
    jobs(queue, 'free', 'a');
    expect(queue.next(true)).toBeNull();
    clock.now += 60_000;
    expect(queue.next(true)).toMatchObject({ turn: { orgId: 'a' } });
  });

  test('are refused to an organization with 200 that wait', () => {
    const queue = createTurnQueue<{ turn: Turn }>();
    jobs(queue, 'free', ...Array.from({ length: 200 }, () => 'a'));
    expect(() => jobs(queue, 'free', 'a')).toThrow();
    jobs(queue, 'free', 'b');
  });
});

describe('addresses in HTML', () => {
  test.each([
    ['<a href="https://e.com">', true],
    ['<a href="/a:b">', true],
    ['<a href="?a=javascript:1">', true],
    ['<a href="mailto:a@b.c">', true],
    ['<a href="tel:+43">', true],
    ['<a href="#x">', true],
    ["<a href='javascript:1'>", false],
    ['<a href=javascript:1>', false],
    ['<a href="\tjava\nscript:1">', false],
    ['<a href="&#106;avascript:1">', false],
    ['<a href="javascript&colon;1">', false],
    ['<a href="vbscript:1">', false],
    ['<a xlink:href="javascript:1">', false],
    ['<img srcset="https://e.com/a 1x, data:image/png,x 2x">', false],
    ['<!--[if mso]><v:rect href="javascript:1"><![endif]-->', false],
    ['<p style="background:url(javascript:1)">', false],
    ['<p style="background:url(\'data:x\')">', false],
  ])('%s stay: %s', (html, isSafe) => {
    expect(withSafeAddresses(html) === html).toBe(isSafe);
    expect(withSafeAddresses(html)).not.toMatch(/javascript(?!:1">)|data:|vbscript/);
  });

  test('come to no scheme that runs code, whatever is put before and into them', () => {
    const noise = fc.constantFrom('', ' ', '\t', '\n', '&#9;', '&Tab;', '&NewLine;', '\u0001');
    fc.assert(
      fc.property(fc.array(noise, { minLength: 11, maxLength: 11 }), (between) => {
        const address = [...'javascript'].map((letter, place) => between[place] + letter).join('');
        expect(withSafeAddresses(`<a href="${address}${between[10]}:alert(1)">`)).toBe('<a href="#">');
      }),
    );
  });
});

describe('the variant of a locale', () => {
  test.each([
    ['de-AT', 'de-AT'],
    ['de-CH', 'de'],
    ['de', 'de'],
    ['fr', ''],
    [undefined, ''],
    ['sr-Latn-RS', 'sr-Latn'],
  ])('of %s is %s', (wanted, picked) => {
    expect(pickLocale(['', 'de', 'de-AT', 'sr-Latn'], wanted)).toBe(picked);
  });
});
