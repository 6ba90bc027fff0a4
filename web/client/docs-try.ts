/** Sends requests of the reference with the key that was typed into the page. The key is kept nowhere else. */

/** The field of the key. Puts the organization of the key into the fields and the bodies that need its id. */
class ApiKey extends HTMLElement {
  connectedCallback(): void {
    this.hidden = false;
    this.querySelector('input')?.addEventListener('change', () => void this.#fillOrganization());
  }

  async #fillOrganization(): Promise<void> {
    const response = await fetch('/identity/me', { headers: credential(), credentials: 'omit' }).catch(() => null);
    if (!response?.ok) return;
    const { orgId } = (await response.json()) as { orgId?: string };
    if (orgId === undefined) return;
    const fields = 'input[name="header:x-tenant-id"], input[name="path:orgId"]';
    for (const field of document.querySelectorAll<HTMLInputElement>(fields)) field.value = orgId;
    for (const body of document.querySelectorAll<HTMLTextAreaElement>('textarea[name="body"]'))
      body.value = body.value.replace(/"(tenantId|orgId)": "org_\w+"/g, `"$1": "${orgId}"`);
  }
}

class Try extends HTMLElement {
  connectedCallback(): void {
    const form = this.querySelector('form');
    if (!form) return;
    this.hidden = false;
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#send(form);
    });
  }

  async #send(form: HTMLFormElement): Promise<void> {
    const button = form.querySelector('button');
    button?.setAttribute('aria-busy', 'true');
    const started = performance.now();
    try {
      const { url, init } = requestOf(form, this.dataset.method ?? 'GET', this.dataset.path ?? '/');
      const response = await fetch(url, { ...init, credentials: 'omit' });
      const text = await response.text();
      this.#show(
        `${response.status} ${response.statusText} · ${Math.round(performance.now() - started)} ms`,
        readable(text),
      );
    } catch (error) {
      this.#show(String(error), '');
    } finally {
      button?.removeAttribute('aria-busy');
    }
  }

  #show(status: string, text: string): void {
    const [box, line, answer] = [
      this.querySelector<HTMLElement>('.code'),
      this.querySelector('[role="status"]'),
      this.querySelector('pre'),
    ];
    if (!box || !line || !answer) return;
    box.hidden = false;
    line.textContent = status;
    answer.textContent = text;
  }
}

function credential(): Record<string, string> {
  const key = document.querySelector<HTMLInputElement>('#api-key')?.value.trim() ?? '';
  return key === '' ? {} : { Authorization: `Bearer ${key}` };
}

/** Puts the fields of the form where they belong. Omits the empty ones, except in the path. */
function requestOf(form: HTMLFormElement, method: string, template: string): { url: string; init: RequestInit } {
  const headers: Record<string, string> = credential();
  const query = new URLSearchParams();
  let path = template;
  let body: string | null = null;
  for (const [name, value] of new FormData(form)) {
    const text = String(value);
    const [place, ...rest] = name.split(':');
    const field = rest.join(':');
    if (name === 'body') body = text;
    else if (place === 'path') path = path.replace(`{${field}}`, encodeURIComponent(text.trim()));
    else if (text.trim() === '') continue;
    else if (place === 'query') query.append(field, text.trim());
    else headers[field] = text.trim();
  }
  if (body !== null) headers['Content-Type'] = 'application/json';
  return { url: query.size > 0 ? `${path}?${query}` : path, init: { method, headers, body } };
}

/** JSON in lines; another text as it is. */
function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

customElements.define('x-api-key', ApiKey);
customElements.define('x-try', Try);
