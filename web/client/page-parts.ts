const shown = new Map<string, string>();

/** Parses a page response; null when another page was returned instead, such as the login page. */
export async function readPage(response: Response): Promise<Document | null> {
  if (!response.ok || new URL(response.url).pathname !== location.pathname) return null;
  return new DOMParser().parseFromString(await response.text(), 'text/html');
}

/** Replaces the changed parts of this page by the parts of a newer one. Keeps the focus. */
export function swapParts(newer: Document): void {
  for (const part of newer.querySelectorAll('[data-part]')) {
    const present = document.getElementById(part.id);
    if (!present || shown.get(part.id) === part.innerHTML) continue;
    shown.set(part.id, part.innerHTML);
    const focused = present.contains(document.activeElement) ? document.activeElement : null;
    // Do not replace a select element that the user has open.
    if (focused instanceof HTMLSelectElement) continue;
    const name = focused && nameOf(focused);
    present.replaceChildren(...document.importNode(part, true).childNodes);
    if (name !== null) focusOn(present, name);
  }
  localizeTimes(document);
}

function nameOf(element: Element): string {
  const attribute = (name: string): string => element.getAttribute(name) ?? '';
  return [element.id, attribute('href'), attribute('name'), attribute('value')].join(' ');
}

function focusOn(part: Element, name: string): void {
  const elements = [...part.querySelectorAll<HTMLElement>('a, button, select, summary')];
  const same = elements.find((element) => nameOf(element) === name) ?? document.getElementById('text');
  same?.focus({ preventScroll: true });
}

const dayOf = (at: Date): string => at.toDateString();

/** Formats the times of a page in the reader's time zone; short times of today without the date. */
export function localizeTimes(root: ParentNode): void {
  const locale = document.getElementById('inbox')?.dataset.locale;
  const today = dayOf(new Date());
  for (const element of root.querySelectorAll<HTMLTimeElement>('time[datetime]')) {
    const at = new Date(element.dateTime);
    const whole = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short' }).format(at);
    const time = { hour: '2-digit', minute: '2-digit' } as const;
    const short = new Intl.DateTimeFormat(
      locale,
      dayOf(at) === today ? time : { day: 'numeric', month: 'short', ...time },
    ).format(at);
    element.title = whole;
    const words = 'short' in element.dataset ? short : whole;
    if (element.textContent !== words) element.textContent = words;
  }
}
