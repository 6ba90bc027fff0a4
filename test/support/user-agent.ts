import { type Answer, send } from './http.ts';

/** A page as a browser without scripts sees it. */
export type Page = Answer & { url: string };

/** What a person does in a browser that has cookies and follows redirects, but runs no scripts. */
export type UserAgent = {
  /** The cookies that are sent wherever the browser goes on the platform, by name. */
  cookies: Map<string, string>;
  /** Keeps the cookies of an answer that was not asked for here. */
  keepCookies: (answer: Answer) => void;
  /** Opens an address and follows redirects on its own origin; stops at one that leads elsewhere. */
  open: (url: string) => Promise<Page>;
  /** Sends the form of a page with what is typed into it, by the button of this name and value when one is given. */
  submit: (page: Page, typed?: Record<string, string>, button?: RegExp) => Promise<Page>;
  /** Where a redirect leads that was not followed; throws with the page when there is none. */
  leftTo: (page: Page) => URL;
};

const maxRedirects = 12;

/** A browser of a test's own at a platform; it may have a session already. */
export function newUserAgent(platformUrl: string, sessionToken?: string): UserAgent {
  const { origin } = new URL(platformUrl);
  const cookies = new Map<string, string>();
  const pathCookies = new Map<string, Cookie>();
  const keepCookies = ({ headers }: Answer) => {
    for (const line of headers['set-cookie'] ?? []) keep(readCookie(line));
  };
  if (sessionToken !== undefined) cookies.set('platform_session', sessionToken);

  function keep({ name, value, path, isOver }: Cookie & { isOver: boolean }): void {
    if (path !== '/') pathCookies.set(`${name} ${path}`, { name, path, value: isOver ? '' : value });
    else if (isOver) cookies.delete(name);
    else cookies.set(name, value);
  }

  function cookiesFor(pathname: string): string {
    const below = [...pathCookies.values()].filter(
      ({ path, value }) => value !== '' && (pathname === path || pathname.startsWith(`${path}/`)),
    );
    const sent = [...below.map(({ name, value }) => [name, value]), ...cookies];
    return sent.map(([name, value]) => `${name}=${value}`).join('; ');
  }

  async function request(method: 'GET' | 'POST', url: string, form?: URLSearchParams): Promise<Page> {
    const { pathname, search } = new URL(url);
    const headers: Record<string, string> = {
      cookie: cookiesFor(pathname),
      ...(form && { 'content-type': 'application/x-www-form-urlencoded', origin }),
    };
    const body = form && String(form);
    const answer = await send(origin, {
      method,
      path: `${pathname}${search}`,
      headers,
      ...(body !== undefined && { body }),
    });
    keepCookies(answer);
    return { ...answer, url };
  }

  async function follow(page: Page): Promise<Page> {
    let at = page;
    for (let redirects = 0; redirects < maxRedirects; redirects += 1) {
      const { location } = at.headers;
      if (at.status < 300 || at.status > 399 || !location) return at;
      const next = new URL(location, at.url);
      if (next.origin !== origin) return at;
      at = await request('GET', next.href);
    }
    throw new Error(`More than ${maxRedirects} redirects; the last led to ${at.url}`);
  }

  return {
    cookies,
    keepCookies,
    open: async (url) => follow(await request('GET', new URL(url, origin).href)),
    async submit(page, typed = {}, button) {
      const { action, fields } = readForm(page, button);
      const form = new URLSearchParams({ ...fields, ...typed });
      return follow(await request('POST', new URL(action, page.url).href, form));
    },
    leftTo(page) {
      const { location } = page.headers;
      if (location) return new URL(location, page.url);
      throw new Error(`No redirect, but ${page.status} at ${page.url}: ${page.text.slice(0, 2000)}`);
    },
  };
}

type Cookie = { name: string; value: string; path: string };

/** What a Set-Cookie line says, as far as browsers tell cookies apart (RFC 6265 section 5.3). */
function readCookie(line: string): Cookie & { isOver: boolean } {
  const [pair = '', ...attributes] = line.split(/; */);
  const [name = '', ...value] = pair.split('=');
  const attribute = (wanted: string) =>
    attributes.find((each) => each.toLowerCase().startsWith(`${wanted}=`))?.slice(wanted.length + 1);
  const expires = attribute('expires');
  const isOver = expires !== undefined && Date.parse(expires) <= Date.now();
  return { name, value: value.join('='), path: attribute('path') ?? '/', isOver };
}

type Form = { action: string; fields: Record<string, string> };

/** The form with the button that matches, else the first that is sent by POST. */
function readForm({ text, url, status }: Page, button: RegExp | undefined): Form {
  const forms = [...text.matchAll(/<form([^>]*)>([\s\S]*?)<\/form>/g)];
  const posts = forms.filter(([, attributes]) => /method="post"/i.test(attributes!));
  for (const [, attributes = '', inside = ''] of posts) {
    const pressed = [...inside.matchAll(/<button([^>]*)>([\s\S]*?)<\/button>/g)].find(
      ([, , label]) => !button || button.test(label!.replace(/<[^>]+>/g, '').trim()),
    );
    if (!pressed) continue;
    const inputs = [...inside.matchAll(/<input([^>]*)>/g)].map(([, input]) => input!);
    const fields = [...inputs, pressed[1]!].flatMap((input) => {
      const name = attribute(input, 'name');
      const isUnchecked = /type="(?:checkbox|radio)"/.test(input) && !/\bchecked\b/.test(input);
      return name === null || isUnchecked ? [] : [[name, attribute(input, 'value') ?? ''] as const];
    });
    return { action: attribute(attributes, 'action') ?? url, fields: Object.fromEntries(fields) };
  }
  throw new Error(`No form with ${button ?? 'a button'} at ${url} (${status}): ${text.slice(0, 2000)}`);
}

function attribute(tag: string, name: string): string | null {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1];
  return value === undefined ? null : decodeEntities(value);
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/** The text that escaped HTML stands for. */
export function decodeEntities(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (_entity, name: string) => entities[name]!);
}
