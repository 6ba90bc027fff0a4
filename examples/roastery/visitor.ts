/** A page as a browser received it. */
export type Page = { status: number; html: string };

/** A browser of one person at the platform: it keeps cookies, and follows no redirect. */
export type Visitor = {
  open: (path: string) => Promise<Page>;
  submit: (path: string, fields: Record<string, string>) => Promise<Page>;
};

/** Creates a browser without cookies. `fetch` is shared by the visitors of one machine, because they share its limit. */
export function newVisitor(url: string, fetch: typeof globalThis.fetch): Visitor {
  const cookies = new Map<string, string>();

  async function request(path: string, init: RequestInit): Promise<Page> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...init.headers, cookie, accept: 'text/html' };
    const response = await fetch(url + path, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    return { status: response.status, html: await response.text() };
  }

  return {
    open: (path) => request(path, {}),
    // A browser names the page's origin with every form.
    submit: (path, fields) =>
      request(path, { method: 'POST', headers: { origin: new URL(url).origin }, body: new URLSearchParams(fields) }),
  };
}
