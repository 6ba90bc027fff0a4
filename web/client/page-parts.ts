import { Idiomorph } from 'idiomorph';

/** Parses a page response; null when another page was returned instead, such as the login page. */
export async function readPage(response: Response): Promise<Document | null> {
  if (!response.ok || new URL(response.url).pathname !== location.pathname) return null;
  return new DOMParser().parseFromString(await response.text(), 'text/html');
}

/**
 * Morphs the parts of this page into a newer page. Elements that stay keep their identity, so a click between two versions
 * reaches its button, and the focus stays. Where the focused element is gone, the reply gets the focus.
 */
export function morphParts(newer: Document): void {
  for (const part of newer.querySelectorAll('[data-part]')) {
    const present = document.getElementById(part.id);
    if (!present) continue;
    const hadFocus = present.contains(document.activeElement);
    void Idiomorph.morph(present, part.innerHTML, {
      morphStyle: 'innerHTML',
      callbacks: { beforeNodeMorphed: isOutdated },
    });
    if (hadFocus && !present.contains(document.activeElement)) {
      document.getElementById('text')?.focus({ preventScroll: true });
    }
  }
}

/** False for what stays: a select that the user has open, a time that is localized already. */
function isOutdated(present: Element, newer: Node): boolean {
  if (present instanceof HTMLSelectElement) return present !== document.activeElement;
  return !(
    present instanceof HTMLTimeElement &&
    newer instanceof HTMLTimeElement &&
    present.dateTime === newer.dateTime
  );
}
