/** How long the blob URL of a saved file is kept, in milliseconds. */
const keepSaved = 60_000;

/** Creates an element. Its children are nodes and plain texts, never markup. */
export function el<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Record<string, string> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}

/** Creates an icon of one path, 24 by 24. */
export function icon(path: string): SVGElement {
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  svg.appendChild(document.createElementNS(space, 'path')).setAttribute('d', path);
  return svg;
}

/** Creates an icon button, with its name for screen readers. */
export function iconButton(name: string, path: string, attributes: Record<string, string> = {}): HTMLButtonElement {
  return el('button', { type: 'button', 'aria-label': name, title: name, ...attributes }, icon(path));
}

/** Sets a text unless it is unchanged, so that screen readers do not announce it again. */
export function write(node: Element | null, text: string): void {
  if (node && node.textContent !== text) node.textContent = text;
}

/**
 * Saves bytes as a file. Does not navigate the frame, because the policy of the host page may forbid the storage
 * origin.
 */
export function save(bytes: ArrayBuffer, fileName: string): void {
  // Without a type, so that the browser never displays it.
  const href = URL.createObjectURL(new Blob([bytes]));
  el('a', { href, download: fileName }).click();
  setTimeout(() => URL.revokeObjectURL(href), keepSaved);
}
